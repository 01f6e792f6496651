// `octavo completion`: prints a shell's completion script.
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "exit_code.hpp"
#include "help/option_tree.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

using Verbs = std::vector<VerbInfo>;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The values of an option, as far as they are known.
std::vector<std::string> completions_of(const OptionInfo& option) {
  return option.choices.empty() ? option.suggestions : option.choices;
}

std::string all_names(const std::vector<OptionInfo>& options) {
  std::vector<std::string> names;
  for (const OptionInfo& option : options) names.insert(names.end(), option.names.begin(), option.names.end());
  return joined(names);
}

/// `text` with a backslash before each of these characters.
std::string escaped(const std::string& text, const std::string& characters) {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) != std::string::npos) result += '\\';
    result += c;
  }
  return result;
}

/// For a word in single quotes.
std::string in_quotes(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result;
}

std::string verb_names(const Verbs& verbs) {
  std::vector<std::string> names;
  for (const VerbInfo& verb : verbs) names.push_back(verb.name);
  return joined(names);
}

/// An empty answer makes bash complete file names.
std::string bash_script(const Verbs& verbs) {
  std::ostringstream script;
  script << "# Completion of octavo for bash. Load it with: source <(octavo completion bash)\n"
            "_octavo() {\n"
            "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=\n"
            "  COMPREPLY=()\n"
            "  if ((COMP_CWORD == 1)); then\n"
            "    words='"
         << verb_names(verbs) << " --help --version'\n  else\n    case ${COMP_WORDS[1]}:$previous in\n";
  for (const VerbInfo& verb : verbs) {
    for (const OptionInfo& option : verb.options) {
      for (const std::string& name : option.names) {
        if (!completions_of(option).empty()) {
          script << "      " << verb.name << ":" << name << ") words='" << joined(completions_of(option)) << "' ;;\n";
        } else if (!option.value.empty()) {
          script << "      " << verb.name << ":" << name << ") return ;;\n";
        }
      }
    }
  }
  script << "    esac\n    if [[ -z $words ]]; then\n      case ${COMP_WORDS[1]}:$current in\n";
  for (const VerbInfo& verb : verbs) {
    script << "        " << verb.name << ":-*) words='" << all_names(verb.options) << "' ;;\n";
    for (const OptionInfo& positional : verb.positionals) {
      if (!completions_of(positional).empty()) {
        script << "        " << verb.name << ":*) words='" << joined(completions_of(positional)) << "' ;;\n";
      }
    }
  }
  script << "      esac\n    fi\n  fi\n"
            "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
            "}\n"
            "complete -o default -F _octavo octavo\n";
  return script.str();
}

std::string zsh_value(const OptionInfo& option) {
  if (option.value.empty()) return "";
  const std::vector<std::string> words = completions_of(option);
  return ":" + option.value + (words.empty() ? ":_files" : ":(" + escaped(joined(words), ":") + ")");
}

std::string zsh_script(const Verbs& verbs) {
  std::ostringstream script;
  script << "#compdef octavo\n# Completion of octavo for zsh. Load it with: source <(octavo completion zsh)\n"
            "_octavo() {\n  local -a verbs\n  verbs=(\n";
  for (const VerbInfo& verb : verbs) {
    script << "    '" << verb.name << ":" << in_quotes(escaped(verb.help, ":")) << "'\n";
  }
  script << "  )\n  if ((CURRENT == 2)); then\n    _describe command verbs\n    return\n  fi\n"
            "  local verb=$words[2]\n  shift words\n  ((CURRENT--))\n  case $verb in\n";
  for (const VerbInfo& verb : verbs) {
    script << "    " << verb.name << ")\n      _arguments";
    for (const OptionInfo& option : verb.options) {
      for (const std::string& name : option.names) {
        script << " \\\n        '(" << joined(option.names) << ")" << name << "["
               << in_quotes(escaped(option.help, "[]\\")) << "]" << zsh_value(option) << "'";
      }
    }
    for (const OptionInfo& positional : verb.positionals) {
      script << " \\\n        '" << (positional.is_repeated ? "*" : "") << zsh_value(positional) << "'";
    }
    script << "\n      ;;\n";
  }
  script << "  esac\n}\n"
            "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _octavo \"$@\"; else compdef _octavo octavo; fi\n";
  return script.str();
}

std::string fish_script(const Verbs& verbs) {
  std::ostringstream script;
  script << "# Completion of octavo for fish. Load it with: octavo completion fish | source\n";
  for (const VerbInfo& verb : verbs) {
    script << "complete -c octavo -n __fish_use_subcommand -f -a " << verb.name << " -d '" << escaped(verb.help, "'\\")
           << "'\n";
    const std::string begin = "complete -c octavo -n '__fish_seen_subcommand_from " + verb.name + "'";
    for (const OptionInfo& option : verb.options) {
      script << begin;
      for (const std::string& name : option.names) {
        script << (name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1));
      }
      const std::vector<std::string> words = completions_of(option);
      if (!words.empty()) script << " -x -a '" << joined(words) << "'";
      if (words.empty() && !option.value.empty()) script << " -r";
      script << " -d '" << escaped(option.help, "'\\") << "'\n";
    }
    for (const OptionInfo& positional : verb.positionals) {
      const std::vector<std::string> words = completions_of(positional);
      if (!words.empty()) script << begin << " -f -a '" << joined(words) << "'\n";
    }
  }
  return script.str();
}

const std::map<std::string, std::string (*)(const Verbs&)> kScripts = {
    {"bash", &bash_script}, {"fish", &fish_script}, {"zsh", &zsh_script}};

}  // namespace

Command add_completion_command(CLI::App& program) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* verb = program.add_subcommand("completion", "Print the completion script of a shell");
  verb->group("Commands")->footer("");
  std::vector<std::string> shells;
  for (const auto& [name, script] : kScripts) shells.push_back(name);
  verb->add_option("SHELL", *shell, "The shell")->required()->check(CLI::IsMember(shells));
  return {verb, [&program, shell] {
            std::cout << kScripts.at(*shell)(option_tree(program));
            return kDone;
          }};
}

}  // namespace octavo::tools
