#include "ptx/function_parser.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "ptx/opcodes.hpp"

namespace device_code {
namespace {

/// The bits of a constant: an integer, or the bits of a float (0f...) or double (0d...).
u64 constant_of(const Token& token) {
  const std::string text(token.text);
  const bool is_real = text.size() > 2 && text[0] == '0' && (text[1] == 'f' || text[1] == 'd');
  return is_real ? std::strtoull(text.c_str() + 2, nullptr, 16) : static_cast<u64>(integer_of(token));
}

std::optional<Special> special_of(std::string_view name) {
  static const std::unordered_map<std::string_view, Special> names = {
      {"%tid.x", Special::tid_x},       {"%tid.y", Special::tid_y},       {"%tid.z", Special::tid_z},
      {"%ntid.x", Special::ntid_x},     {"%ntid.y", Special::ntid_y},     {"%ntid.z", Special::ntid_z},
      {"%ctaid.x", Special::ctaid_x},   {"%ctaid.y", Special::ctaid_y},   {"%ctaid.z", Special::ctaid_z},
      {"%nctaid.x", Special::nctaid_x}, {"%nctaid.y", Special::nctaid_y}, {"%nctaid.z", Special::nctaid_z},
      {"%laneid", Special::laneid},     {"%warpid", Special::warpid}};
  const auto found = names.find(name);
  if (found == names.end()) return std::nullopt;
  return found->second;
}

}  // namespace

void FunctionParser::parse_parameters() {
  lexer_.expect("(");
  while (!lexer_.accept(")")) {
    function_.parameters.push_back(parse_parameter());
    lexer_.accept(",");
  }
}

void FunctionParser::parse_result() {
  lexer_.expect("(");
  function_.result = parse_parameter();
  lexer_.expect(")");
}

void FunctionParser::finish_parameters() {
  function_.parameter_bytes = parameter_end_;
  if (!function_.is_kernel) function_.frame_bytes = parameter_end_;
}

void FunctionParser::parse_body() {
  lexer_.expect("{");
  for (int depth = 1; depth > 0;) {
    const Token token = lexer_.peek();
    if (token.kind == Token::Kind::end) fail_at(token.line, "a function does not end");
    if (lexer_.accept("{")) {
      ++depth;
      scopes_.emplace_back();
    } else if (lexer_.accept("}")) {
      --depth;
      scopes_.pop_back();
    } else if (token.text[0] == '.') {
      parse_directive();
    } else {
      parse_statement();
    }
  }
  resolve_labels();
  function_.shared_bytes = shared_end_ - kSharedBegin;
}

/// Assigns an aligned offset after `end`.
u64 FunctionParser::place(u64& end, const Variable& variable) {
  const u64 offset = (end + variable.alignment - 1) / variable.alignment * variable.alignment;
  end = offset + variable.bytes;
  return offset;
}

/// A declared variable: ".align 8 .b8 name[32]".
FunctionParser::Variable FunctionParser::parse_variable() {
  Variable variable;
  u64 count = 1;
  std::optional<u64> alignment;
  while (lexer_.peek().text[0] == '.') {
    const Token word = lexer_.take();
    if (word.is(".align")) {
      alignment = static_cast<u64>(integer_of(lexer_.take()));
    } else {
      if (const auto type = find_type(word.text.substr(1))) variable.bytes = type->bytes();
    }
  }
  variable.name = lexer_.take().text;
  variable.alignment = alignment.value_or(variable.bytes);
  if (lexer_.accept("[")) {
    count = static_cast<u64>(integer_of(lexer_.take()));
    lexer_.expect("]");
  }
  variable.bytes *= count;
  return variable;
}

Parameter FunctionParser::parse_parameter() {
  const Variable variable = parse_variable();
  const u64 offset = place(parameter_end_, variable);
  scopes_.back().symbols[variable.name] =
      function_.is_kernel ? Operand{Operand::Kind::constant, kParameterWindow + kParameterBegin + offset}
                          : Operand{Operand::Kind::frame, offset};
  return {std::string(variable.name), offset, variable.bytes};
}

void FunctionParser::parse_directive() {
  const Token word = lexer_.peek();
  if (word.is(".loc")) {
    parse_location();
  } else if (word.is(".reg")) {
    parse_registers();
  } else if (word.is(".pragma")) {
    while (!lexer_.accept(";")) lexer_.take();
  } else {
    parse_memory(word);
  }
}

/// ".loc 1 62 7, function_name $L__info_string0, inlined_at 1 166 3", which no semicolon ends.
void FunctionParser::parse_location() {
  lexer_.take();
  const auto number = [&] { return static_cast<int>(integer_of(lexer_.take())); };
  source_ = {};
  source_.file = number();
  source_.line = number();
  number();
  if (!lexer_.accept(",")) return;
  lexer_.expect("function_name");
  lexer_.take();
  if (lexer_.accept("+")) lexer_.take();
  lexer_.expect(",");
  lexer_.expect("inlined_at");
  source_.caller_file = number();
  source_.caller_line = number();
  number();
}

/// ".reg .b32 %r<12>;" declares %r0 to %r11.
void FunctionParser::parse_registers() {
  lexer_.take();
  const Token word = lexer_.take();
  const auto type = find_type(word.text.substr(1));
  if (!type) fail_at(word.line, "unknown type \"" + std::string(word.text) + "\"");
  do {
    const std::string_view name = lexer_.take().text;
    if (!lexer_.accept("<")) {
      add_register(name, type->bits);
      continue;
    }
    const i64 count = integer_of(lexer_.take());
    lexer_.expect(">");
    scopes_.back().families[name] = {function_.register_bits.size(), static_cast<u64>(count)};
    function_.register_bits.insert(function_.register_bits.end(), static_cast<std::size_t>(count), type->bits);
  } while (lexer_.accept(","));
  lexer_.expect(";");
}

void FunctionParser::add_register(std::string_view name, u8 bits) {
  scopes_.back().symbols[name] = {Operand::Kind::reg, function_.register_bits.size()};
  function_.register_bits.push_back(bits);
}

/// A variable in local or shared memory, or a parameter of a call.
void FunctionParser::parse_memory(const Token& word) {
  lexer_.take();
  const Variable variable = parse_variable();
  Operand& symbol = scopes_.back().symbols[variable.name];
  if (word.is(".param"))
    symbol = {Operand::Kind::frame, place(function_.frame_bytes, variable)};
  else if (word.is(".local"))
    symbol = {Operand::Kind::local, place(function_.local_bytes, variable)};
  else if (word.is(".shared"))
    symbol = {Operand::Kind::constant, place(shared_end_, variable)};
  else
    fail_at(word.line, "unknown directive \"" + std::string(word.text) + "\"");
  lexer_.expect(";");
}

std::optional<Operand> FunctionParser::find_symbol(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const std::optional<Operand> found = scope->find(name)) return found;
  }
  return std::nullopt;
}

Operand FunctionParser::parse_operand() {
  const Token token = lexer_.take();
  if (token.kind == Token::Kind::number) return {Operand::Kind::constant, constant_of(token)};
  if (token.is("_")) return {Operand::Kind::discarded, 0};
  if (const auto special = special_of(token.text)) return {Operand::Kind::special, static_cast<u64>(*special)};
  std::optional<Operand> symbol = find_symbol(token.text);
  if (!symbol) fail_at(token.line, "unknown operand \"" + std::string(token.text) + "\"");
  if (symbol->kind != Operand::Kind::reg && lexer_.accept("+")) {
    symbol->value += static_cast<u64>(integer_of(lexer_.take()));
  }
  return *symbol;
}

/// One operand, or a vector in braces.
void FunctionParser::parse_operands(std::vector<Operand>& operands) {
  if (!lexer_.accept("{")) {
    operands.push_back(parse_operand());
    return;
  }
  do operands.push_back(parse_operand());
  while (lexer_.accept(","));
  lexer_.expect("}");
}

void FunctionParser::parse_address(Instruction& i) {
  lexer_.expect("[");
  i.from.push_back(parse_operand());
  if (lexer_.accept("+")) i.address_offset = integer_of(lexer_.take());
  lexer_.expect("]");
}

void FunctionParser::parse_statement() {
  const Token first = lexer_.peek();
  Instruction i;
  i.ptx_line = first.line;
  i.source = source_;
  i.function = &function_;
  if (lexer_.accept("@")) parse_guard(i);
  const Token word = lexer_.take();
  if (lexer_.accept(":")) return add_label(word);
  int vector_length;
  const Form form = decode_opcode(word.text, i, vector_length);
  parse_form(form, i);
  check_barrier(i);
  if (form == Form::value || form == Form::pair) cut_constants(i);
  const std::size_t elements = form == Form::store ? i.from.size() - 1 : i.to.size();
  if ((form == Form::load || form == Form::store) && elements != static_cast<std::size_t>(vector_length)) {
    fail_at(i.ptx_line, "the vector has another number of elements");
  }
  i.text = lexer_.between(first, lexer_.peek());
  lexer_.expect(";");
  function_.code.push_back(std::move(i));
}

/// Labels are not local to the braces around them: nvcc gives each label of a function its own name.
void FunctionParser::add_label(const Token& label) {
  const bool is_new = labels_.emplace(label.text, static_cast<int>(function_.code.size())).second;
  if (!is_new) fail_at(label.line, "a second label \"" + std::string(label.text) + "\"");
}

/// Keeps the bits of negative constants that the operands have, as registers do.
void FunctionParser::cut_constants(Instruction& i) {
  if (i.part == Part::wide) return;
  const u64 mask = low_bits(std::max(i.type.bits, i.from_type.bits));
  for (Operand& operand : i.from) {
    if (operand.kind == Operand::Kind::constant) operand.value &= mask;
  }
}

/// The machine has one barrier for each block, for all its threads.
void FunctionParser::check_barrier(const Instruction& i) {
  if (i.op != Op::bar_sync) return;
  const bool is_known = i.from.size() == 1 && i.from[0].kind == Operand::Kind::constant && i.from[0].value == 0;
  if (!is_known) fail_at(i.ptx_line, "only barrier 0 of all threads of a block is known");
}

void FunctionParser::parse_guard(Instruction& i) {
  i.is_guard_negated = lexer_.accept("!");
  const Operand guard = parse_operand();
  if (guard.kind != Operand::Kind::reg) fail_at(i.ptx_line, "the guard is not a register");
  i.guard = static_cast<int>(guard.value);
}

void FunctionParser::parse_form(Form form, Instruction& i) {
  switch (form) {
    case Form::pair:
      parse_operands(i.to);
      if (lexer_.accept("|")) parse_operands(i.to);
      return parse_more(i);
    case Form::value:
      parse_operands(i.to);
      return parse_more(i);
    case Form::load:
      parse_operands(i.to);
      lexer_.expect(",");
      parse_address(i);
      return skip_cache_policy();
    case Form::store:
      parse_address(i);
      lexer_.expect(",");
      parse_operands(i.from);
      return skip_cache_policy();
    case Form::atomic:
      parse_operands(i.to);
      lexer_.expect(",");
      parse_address(i);
      return parse_more(i);
    case Form::reduction:
      parse_address(i);
      return parse_more(i);
    case Form::operands:
      if (!lexer_.peek().is(";")) parse_operands(i.from);
      return parse_more(i);
    case Form::branch:
      jumps_.emplace_back(function_.code.size(), lexer_.take());
      return;
    case Form::call:
      return parse_call(i);
    case Form::none:
      return;
  }
}

void FunctionParser::parse_more(Instruction& i) {
  while (lexer_.accept(",")) parse_operands(i.from);
}

void FunctionParser::skip_cache_policy() {
  if (lexer_.accept(",")) parse_operand();
}

/// "call (result), function, (argument, argument)"; the names are parameters in the caller's frame.
void FunctionParser::parse_call(Instruction& i) {
  const auto frame_offset = [&] {
    const Operand operand = parse_operand();
    if (operand.kind != Operand::Kind::frame) fail_at(i.ptx_line, "a call expects declared parameters");
    return operand.value;
  };
  if (lexer_.accept("(")) {
    i.result = static_cast<i64>(frame_offset());
    lexer_.expect(")");
    lexer_.expect(",");
  }
  const Token name = lexer_.take();
  i.callee = module_.find(name.text);
  if (i.callee == nullptr) fail_at(name.line, "unknown function \"" + std::string(name.text) + "\"");
  if (lexer_.accept(",")) {
    lexer_.expect("(");
    while (!lexer_.accept(")")) {
      i.arguments.push_back(frame_offset());
      lexer_.accept(",");
    }
  }
  if (i.arguments.size() != i.callee->parameters.size()) fail_at(i.ptx_line, "wrong number of arguments");
}

void FunctionParser::resolve_labels() {
  // The end of a function returns.
  Instruction end;
  end.ptx_line = lexer_.peek().line;
  end.function = &function_;
  end.text = "(end)";
  function_.code.push_back(std::move(end));
  for (const auto& [index, label] : jumps_) {
    const auto found = labels_.find(label.text);
    if (found == labels_.end()) fail_at(label.line, "unknown label \"" + std::string(label.text) + "\"");
    function_.code[index].target = found->second;
  }
}

}  // namespace device_code
