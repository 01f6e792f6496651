// `octavo skill`: prints the page for coding agents.
#include <iostream>

#include "exit_code.hpp"
#include "verbs/command.hpp"
#include "verbs/skill_text.hpp"

namespace octavo::tools {

Command add_skill_command(CLI::App& program) {
  CLI::App* verb = program.add_subcommand("skill", "Print a page for coding agents: how to port a training script");
  verb->group("Commands")->footer("");
  return {verb, [] {
            std::cout << kSkillText;
            return kDone;
          }};
}

}  // namespace octavo::tools
