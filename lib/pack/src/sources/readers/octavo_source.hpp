// A dataset file as a source, for repacking it, selecting from it, or merging several.
#pragma once

#include <filesystem>

#include <octavo/dataset.hpp>
#include <octavo/source.hpp>

#include "support/strict_json.hpp"

namespace octavo::sources {

/// Every sample is compared with its checksum as it is read; a damaged one is a bad sample, reported by read().
class OctavoSource final : public Source {
 public:
  /// Opens the split `wanted`, or all splits if it is empty. `new_name`, if not empty, renames the split; there must be
  /// only one. Throws what Dataset::open() throws; InvalidArgument if there is no such split, or several to rename.
  explicit OctavoSource(const std::filesystem::path& path, const std::string& wanted = {},
                        const std::string& new_name = {})
      : OctavoSource(Dataset::open(path.string()), wanted, new_name) {}
  explicit OctavoSource(Dataset dataset, const std::string& wanted = {}, const std::string& new_name = {});

  /// Renames the classes. Throws FormatError if the file has a different number of class names, InvalidArgument if a
  /// class would get the name of another.
  void name_classes(const std::vector<std::string>& names);

  /// Reads no masks.
  void leave_out_masks() {
    for (SourceSplit& split : splits_) split.has_masks = false;
  }

  const std::vector<SourceSplit>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return class_names_; }
  std::string format() const override { return "octavo"; }
  bool is_random_access() const override { return true; }
  std::string sample_name(std::size_t split, std::int64_t row) const override;
  std::optional<std::string> sample_path(std::size_t split, std::int64_t row) const override;
  std::optional<std::int32_t> class_index(std::size_t split, std::int64_t row) const override;
  std::vector<std::int32_t> class_indices(std::size_t split, std::int64_t row) const override;
  std::vector<SampleFailure> read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                  std::span<std::uint8_t> values, std::span<std::byte> labels) override;
  std::string sample_metadata(std::size_t split, std::int64_t row) const override;
  std::vector<SampleFailure> read_masks(std::size_t split, std::int64_t first_row, std::int64_t count,
                                        std::span<std::uint8_t> masks) override;
  std::vector<std::string> files() const override { return {dataset_.path().string()}; }
  /// Includes the provenance of the file itself. Reports the original image sizes, and the loss of
  /// quantizing, as other sources do.
  SourceNotes notes() const override;

 private:
  /// "photos.h5:train#7".
  std::string place_of(std::size_t split, std::int64_t row) const;
  void read_one_by_one(std::size_t split, std::int64_t first_row, std::int64_t count, std::span<std::uint8_t> values,
                       std::span<std::byte> labels, std::vector<SampleFailure>& failures) const;

  Dataset dataset_;
  std::vector<Split> parts_;
  std::vector<SourceSplit> splits_;
  std::vector<std::string> class_names_;
  std::vector<Json> metadata_;  ///< for each split: its columns
};

}  // namespace octavo::sources
