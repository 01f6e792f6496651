// `octavo verify`: checks every checksum and invariant of a dataset file.
#include <algorithm>
#include <iostream>
#include <memory>
#include <octavo/errors.hpp>
#include <octavo/remote.hpp>
#include <octavo/verify.hpp>
#include <string>
#include <vector>

#include "exit_code.hpp"
#include "progress_bar.hpp"
#include "text/human_units.hpp"
#include "text/json_output.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

struct VerifyArguments : CommonOptions {
  std::vector<std::string> files;
};

/// What was found in a file, or why it could not be read.
struct CheckedFile {
  std::string file;
  VerifyResult result = {};
  std::string problem = {};

  bool is_whole() const { return problem.empty() && result.defect_count == 0; }
};

VerifyResult verify_file(const std::string& file, const VerifyArguments& arguments) {
  ProgressBar bar(arguments.quiet);
  VerifyOptions options;
  options.on_progress = bar.function();
  if (file.find("://") == std::string::npos) return verify(file, options);
  const remote::DatasetBytes bytes = remote::open_bytes(file);
  return verify(bytes.source, bytes.open_shard, options);
}

/// A file that cannot be read ends the check only if it is the only one.
CheckedFile check_file(const std::string& file, const VerifyArguments& arguments) {
  const std::string name = remote::shown_location(file);
  if (arguments.files.size() == 1) return {name, verify_file(file, arguments)};
  try {
    return {name, verify_file(file, arguments)};
  } catch (const IoError& error) {
    return {name, {}, error.what()};
  }
}

Json describe_file(const CheckedFile& checked) {
  if (!checked.problem.empty()) return {{"file", checked.file}, {"whole", false}, {"error", checked.problem}};
  Json defects = Json::array();
  for (const Defect& defect : checked.result.defects) {
    Json json = {{"where", defect.where}, {"what", defect.what}};
    if (!defect.sample_name.empty()) json["sample_name"] = defect.sample_name;
    defects.push_back(std::move(json));
  }
  return {{"file", checked.file},
          {"whole", checked.is_whole()},
          {"defect_count", checked.result.defect_count},
          {"defects", defects},
          {"checked_samples", checked.result.checked_samples},
          {"checked_bytes", checked.result.checked_bytes},
          {"hdf5_checked", checked.result.hdf5_checked}};
}

/// One file as an object, several as the list "files" of such objects.
void print_files_json(const std::vector<CheckedFile>& files) {
  if (files.size() == 1) return print_json(describe_file(files[0]));
  Json list = Json::array();
  for (const CheckedFile& checked : files) list.push_back(describe_file(checked));
  print_json({{"files", list}, {"whole", std::ranges::all_of(files, &CheckedFile::is_whole)}});
}

/// Whether header and index could be read. If not, the only defect says why, and names its remedy.
bool could_be_read(const VerifyResult& result) { return result.checked_bytes > 0; }

/// `prefix` begins each line about a defect.
void print_result(const CheckedFile& checked, const std::string& prefix) {
  const VerifyResult& result = checked.result;
  if (!could_be_read(result)) return;  // the error is all there is to say
  for (const Defect& defect : result.defects) {
    std::cout << prefix << describe_place(defect) << ": " << defect.what << '\n';
  }
  const auto unlisted = result.defect_count - static_cast<std::int64_t>(result.defects.size());
  if (unlisted > 0) std::cout << prefix << "and " << format_count(unlisted) << " more\n";
  if (result.defect_count > 0) return;
  std::cout << checked.file << " is intact: " << counted(result.checked_samples, "sample") << ", "
            << format_bytes(result.checked_bytes) << " checked\n"
            << "  header, index, metadata, labels, statistics and every sample match their checksums\n"
            << (result.hdf5_checked ? "  what other HDF5 programs see matches the index\n"
                : remote::is_url(checked.file)
                    ? "  not checked over a network: what other HDF5 programs see, and the statistics in a manifest\n"
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
  if (!could_be_read(result)) return text + ": " + result.defects.at(0).what;
  if (!affects_samples(result)) return text + "; the samples are intact; rebuild the file with `octavo reindex`";
  return text +
         "; if you changed samples or labels with another program, keep the changes with `octavo reindex "
         "--accept-changes`; otherwise restore the file from a copy";
}

void print_error(const CheckedFile& checked) {
  std::cout.flush();
  std::cerr << "octavo: error: "
            << (checked.problem.empty() ? "verify \"" + checked.file + "\": " + describe_defects(checked.result)
                                        : checked.problem)
            << '\n';
}

int run(const VerifyArguments& arguments) {
  std::vector<CheckedFile> files;
  for (const std::string& file : arguments.files) {
    files.push_back(check_file(file, arguments));
    const CheckedFile& checked = files.back();
    if (!arguments.json) print_result(checked, arguments.files.size() == 1 ? "" : checked.file + ": ");
    if (!arguments.json && !checked.is_whole()) print_error(checked);
  }
  if (arguments.json) print_files_json(files);
  for (const CheckedFile& checked : files) {
    if (arguments.json && !checked.is_whole()) print_error(checked);
  }
  return std::ranges::all_of(files, &CheckedFile::is_whole) ? kDone : kFailed;
}

}  // namespace

Command add_verify_command(CLI::App& program) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* verb =
      add_verb(program, "verify", "Check every byte of dataset files; exit with 1 if anything is wrong", *arguments);
  verb->add_option("FILE", arguments->files, "Dataset files; all are checked, also after damage")->required();
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
