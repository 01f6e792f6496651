// Parses the statements of a module outside of its functions.
#include <stdexcept>
#include <utility>

#include "ptx/function_parser.hpp"
#include "ptx/lexer.hpp"
#include "ptx/module.hpp"

namespace device_code {
namespace {

class ModuleParser {
 public:
  ModuleParser(std::string_view text, Module& module) : lexer_(text), module_(module) {}

  void run() {
    while (lexer_.peek().kind != Token::Kind::end) parse_statement();
  }

 private:
  void parse_statement() {
    const Token word = lexer_.take();
    if (word.is(".version") || word.is(".address_size")) {
      lexer_.take();
    } else if (word.is(".target")) {
      module_.target = lexer_.take().text;
      while (lexer_.accept(",")) lexer_.take();
    } else if (word.is(".file")) {
      parse_file();
    } else if (word.is(".section")) {
      skip_section();
    } else if (word.is(".visible") || word.is(".weak")) {
      // Linkage, before a function.
    } else if (word.is(".entry") || word.is(".func")) {
      parse_function(word.is(".entry"));
    } else {
      fail_at(word.line, "unknown statement \"" + std::string(word.text) + "\"");
    }
  }

  /// ".file 1 "path", timestamp, size".
  void parse_file() {
    const auto number = static_cast<int>(integer_of(lexer_.take()));
    module_.files[number] = lexer_.take().text;
    while (lexer_.accept(",")) lexer_.take();
  }

  void skip_section() {
    while (!lexer_.accept("}")) {
      if (lexer_.take().kind == Token::Kind::end) fail_at(lexer_.peek().line, "a section does not end");
    }
  }

  void parse_function(bool is_kernel) {
    auto function = std::make_unique<Function>();
    function->is_kernel = is_kernel;
    function->module = &module_;
    FunctionParser parser(lexer_, module_, *function);
    if (lexer_.peek().is("(")) parser.parse_result();
    const std::string_view name = lexer_.take().text;
    function->name = name;
    if (lexer_.peek().is("(")) parser.parse_parameters();
    parser.finish_parameters();
    while (lexer_.peek().text[0] == '.') parse_limit(*function);
    if (lexer_.accept(";")) {
      // A declaration. Its definition follows; calls before it need its parameters.
      if (module_.find(name) == nullptr) module_.functions.push_back(std::move(function));
      return;
    }
    Function* const declared = module_.find(name);
    if (declared != nullptr) {
      parser.parse_body();
      *declared = std::move(*function);
      for (Instruction& i : declared->code) i.function = declared;
      return;
    }
    module_.functions.push_back(std::move(function));
    parser.parse_body();
  }

  /// ".maxntid 256, 1, 1", ".minnctapersm 3" and others of this form.
  void parse_limit(Function& function) {
    const Token word = lexer_.take();
    u64 product = 1;
    if (lexer_.peek().kind == Token::Kind::number) {
      do product *= static_cast<u64>(integer_of(lexer_.take()));
      while (lexer_.accept(","));
    }
    if (word.is(".maxntid")) function.most_threads = product;
  }

  Lexer lexer_;
  Module& module_;
};

}  // namespace

std::unique_ptr<Module> parse_module(std::string_view text, std::string name) {
  auto module = std::make_unique<Module>();
  module->name = std::move(name);
  try {
    ModuleParser(text, *module).run();
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(module->name + ": " + error.what());
  }
  return module;
}

}  // namespace device_code
