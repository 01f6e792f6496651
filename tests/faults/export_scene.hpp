// A small dataset file to export while something fails, and checks of the folder afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

namespace octavo::test {

/// A dataset file of two splits, and the folder that it is exported to.
class ExportScene {
 public:
  /// `train_count` images of 16x16 in split train and 3 in test, exported as `format`: "png" or "npy".
  explicit ExportScene(std::string format, int train_count = 8);

  const std::string& format() const { return format_; }
  std::vector<std::string> arguments() const;
  std::filesystem::path packed() const { return folder_ / "a.h5"; }
  /// The parent of the exported folder. It holds nothing else, and is empty after reset().
  std::filesystem::path parent() const { return folder_ / "out"; }
  std::filesystem::path target() const { return parent() / "exported"; }
  void reset() const;

  /// What packing finds in the exported folder.
  enum class Found { nothing, refused, whole, part };
  Found found() const;
  /// The problem, if packing accepts a partial export as complete; else empty.
  std::string problem_with_target() const;
  /// The problem after an export that ended with success or an error, else empty. A killed export may leave more.
  std::string problem_after_end(bool is_done) const;

 private:
  TemporaryFolder folder_;
  const std::string format_;
  const std::vector<std::int32_t> train_labels_;
};

}  // namespace octavo::test
