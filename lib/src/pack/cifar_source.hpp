// A source over one CIFAR-10 or CIFAR-100 binary file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <octavo/source.hpp>

#include "pack/cifar_layout.hpp"

namespace octavo::sources {

/// One split of 3 x 32 x 32 RGB images. Class names that are not given come from batches.meta.txt or
/// fine_label_names.txt beside the file; without it CIFAR-10 has its well-known ones, and CIFAR-100 none.
class CifarSource final : public Source {
 public:
  /// Checks the length and reads all labels. Throws FormatError, naming file and record, if a record is cut; a label
  /// out of range is a bad sample, reported by read(). Throws IoError if the file cannot be read.
  CifarSource(const std::filesystem::path& path, CifarLayout layout, std::string split_name,
              std::vector<std::string> class_names);

  const std::vector<SourceSplit>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return class_names_; }
  std::string format() const override { return layout_.name(); }
  bool is_random_access() const override { return true; }
  std::string sample_name(std::size_t split, std::int64_t row) const override;
  std::optional<std::int32_t> class_index(std::size_t split, std::int64_t row) const override;
  std::vector<SampleFailure> read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                  std::span<std::uint8_t> values, std::span<std::byte> labels) override;
  std::vector<std::string> files() const override { return {file_.path().string()}; }

 private:
  File file_;
  CifarLayout layout_;
  std::vector<std::uint8_t> labels_;
  std::vector<SourceSplit> splits_;
  std::vector<std::string> class_names_;
};

}  // namespace octavo::sources
