// `octavo info`: what is in a packed file.
#include <memory>

#include "command.hpp"
#include "exit_code.hpp"
#include "info_text.hpp"

namespace octavo::tools {
namespace {

struct Arguments : CommonOptions {
  std::string file;
};

int run(const Arguments& arguments) {
  const DatasetOverview overview = survey(Dataset::open(arguments.file));
  arguments.json ? print_overview_json(overview) : print_overview(overview);
  return kDone;
}

}  // namespace

Command add_info_command(CLI::App& program) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = add_verb(program, "info", "Show what is in a packed file", *arguments);
  verb->add_option("FILE", arguments->file, "A packed file")->required();
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
