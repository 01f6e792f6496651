// A small dataset file to be exported while something goes wrong, and what may be found in the folder afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

namespace octavo::test {

/// A dataset file of two splits, and a folder that it is exported to.
class ExportScene {
 public:
  /// `train_count` images of 16x16 in the split train, 3 in test; exported as `format`, "png" or "npy".
  explicit ExportScene(std::string format, int train_count = 8);

  const std::string& format() const { return format_; }
  std::vector<std::string> arguments() const;
  std::filesystem::path packed() const { return folder_ / "a.h5"; }
  /// Where the folder is; nothing else is in it, and after reset() it is not there either.
  std::filesystem::path parent() const { return folder_ / "out"; }
  std::filesystem::path target() const { return parent() / "exported"; }
  void reset() const;

  /// What a reader finds in the folder.
  enum class Found { nothing, refused, whole, part };
  Found found() const;
  /// What is wrong if packing takes a part of the samples for all of them; else nothing.
  std::string problem_with_target() const;
  /// What is wrong after an export that says that it is done, or that ended with an error; a killed one may leave more.
  std::string problem_after_end(bool is_done) const;

 private:
  TemporaryFolder folder_;
  const std::string format_;
  const std::vector<std::int32_t> train_labels_;
};

}  // namespace octavo::test
