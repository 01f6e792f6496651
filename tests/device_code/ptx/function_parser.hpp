// Parses a function. Names are resolved as they are read: registers to numbers, variables to offsets, labels to
// instructions.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/lexer.hpp"
#include "ptx/module.hpp"
#include "ptx/opcodes.hpp"
#include "ptx/scope.hpp"

namespace device_code {

/// Each function throws std::runtime_error, which names the line, for anything that the machine cannot run.
class FunctionParser {
 public:
  /// `module` has the functions that this one may call.
  FunctionParser(Lexer& lexer, const Module& module, Function& function)
      : lexer_(lexer), module_(module), function_(function), scopes_(1), shared_end_(kSharedBegin) {}

  /// "(.param .b64 a, .param .align 8 .b8 b[32])", and the result, if any, in the same form.
  void parse_parameters();
  void parse_result();
  void finish_parameters();
  /// The statements in braces.
  void parse_body();

 private:
  // Declarations.
  struct Variable {
    std::string_view name;
    u64 bytes = 0, alignment = 1;
  };
  static u64 place(u64& end, const Variable& variable);
  Variable parse_variable();
  Parameter parse_parameter();
  void parse_directive();
  void parse_location();
  void parse_registers();
  void add_register(std::string_view name, u8 bits);
  void parse_memory(const Token& word);

  // Operands.
  std::optional<Operand> find_symbol(std::string_view name) const;
  Operand parse_operand();
  void parse_operands(std::vector<Operand>& operands);
  void parse_address(Instruction& i);

  // Statements.
  void parse_statement();
  void add_label(const Token& label);
  void parse_guard(Instruction& i);
  void parse_form(Form form, Instruction& i);
  void parse_more(Instruction& i);
  void skip_cache_policy();
  void parse_call(Instruction& i);
  static void cut_constants(Instruction& i);
  static void check_barrier(const Instruction& i);
  void resolve_labels();

  Lexer& lexer_;
  const Module& module_;
  Function& function_;
  std::vector<Scope> scopes_;
  std::unordered_map<std::string_view, int> labels_;
  std::vector<std::pair<std::size_t, Token>> jumps_;
  u64 parameter_end_ = 0, shared_end_;
  SourceLine source_;
};

}  // namespace device_code
