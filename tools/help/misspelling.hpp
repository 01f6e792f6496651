// Misspelled verbs and options of the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace octavo::tools {

/// `unknown command "pakc"; did you mean "pack"?`, or with ";" at the end if no verb is near.
std::string describe_unknown_verb(const CLI::App& program, const std::string& name);

/// `unknown option --outptu; did you mean --output?` for the first of the `words` that looks like an option and is none
/// of `app`, or with ";" at the end. For an option of pack that changes samples, repack names the command of pack.
/// Nothing if there is no such word.
std::optional<std::string> describe_unknown_option(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace octavo::tools
