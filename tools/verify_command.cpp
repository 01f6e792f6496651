// `octavo verify`: checks every checksum and invariant of a dataset file.
#include <algorithm>
#include <iostream>
#include <memory>
#include <octavo/verify.hpp>

#include "command.hpp"
#include "exit_code.hpp"
#include "human_units.hpp"
#include "json_output.hpp"
#include "progress_bar.hpp"

namespace octavo::tools {
namespace {

struct VerifyArguments : CommonOptions {
  std::string file;
};

VerifyResult verify_file(const VerifyArguments& arguments) {
  ProgressBar bar(arguments.quiet);
  VerifyOptions options;
  options.on_progress = bar.function();
  return verify(arguments.file, options);
}

void print_result_json(const VerifyArguments& arguments, const VerifyResult& result) {
  Json defects = Json::array();
  for (const Defect& defect : result.defects) defects.push_back({{"where", defect.where}, {"what", defect.what}});
  print_json({{"file", arguments.file},
              {"whole", result.defect_count == 0},
              {"defect_count", result.defect_count},
              {"defects", defects},
              {"checked_samples", result.checked_samples},
              {"checked_bytes", result.checked_bytes},
              {"hdf5_checked", result.hdf5_checked}});
}

void print_result(const VerifyArguments& arguments, const VerifyResult& result) {
  for (const Defect& defect : result.defects) std::cout << defect.where << ": " << defect.what << '\n';
  const auto unlisted = result.defect_count - static_cast<std::int64_t>(result.defects.size());
  if (unlisted > 0) std::cout << "and " << format_count(unlisted) << " more\n";
  if (result.defect_count > 0) return;
  std::cout << arguments.file << " is intact: " << counted(result.checked_samples, "sample") << ", "
            << format_bytes(result.checked_bytes) << " checked\n"
            << "  header, index, metadata, labels, statistics and every sample match their checksums\n"
            << (result.hdf5_checked ? "  what other HDF5 programs see matches the index\n"
                                    : "  what other HDF5 programs see was not compared with the index\n");
}

/// Whether a defect affects samples or labels, or may do so without being listed.
bool affects_samples(const VerifyResult& result) {
  if (result.defect_count > std::ssize(result.defects)) return true;
  return std::ranges::any_of(result.defects, [](const Defect& defect) {
    return defect.where.find("/images") != std::string::npos || defect.where.find("/labels") != std::string::npos;
  });
}

/// "3 defects", and what to do.
std::string describe_defects(const VerifyResult& result) {
  const std::string text = counted(result.defect_count, "defect");
  const bool could_be_read = result.checked_bytes > 0;
  // The only defect names its remedy.
  if (!could_be_read) return text + ": " + result.defects.at(0).what;
  if (!affects_samples(result)) return text + "; the samples are intact; rebuild the file with `octavo reindex`";
  return text +
         "; if you changed samples or labels with another program, keep the changes with `octavo reindex "
         "--accept-changes`; otherwise restore the file from a copy";
}

int run(const VerifyArguments& arguments) {
  const VerifyResult result = verify_file(arguments);
  if (arguments.json) {
    print_result_json(arguments, result);
  } else {
    print_result(arguments, result);
  }
  if (result.defect_count == 0) return kDone;
  std::cout.flush();
  std::cerr << "octavo: error: verify \"" << arguments.file << "\": " << describe_defects(result) << '\n';
  return kFailed;
}

}  // namespace

Command add_verify_command(CLI::App& program) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* verb =
      add_verb(program, "verify", "Check every byte of a dataset file; exit with 1 if anything is wrong", *arguments);
  verb->add_option("FILE", arguments->file, "A dataset file")->required();
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
