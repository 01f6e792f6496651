// Several sources as one: concatenates splits with the same name and merges class names.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include <octavo/source.hpp>

namespace octavo::sources {

/// The splits of all parts, in the order in which their names first appear. If class names differ, the labels of later
/// parts are renumbered: the names of the first part come first, then new names from the others. Classes that the map
/// gives the same name are merged.
/// `remarks` are added to the notes of the parts.
class MergedSource final : public Source {
 public:
  /// Throws InvalidArgument if splits with the same name differ in shape, labels or color; if only some of the parts
  /// with class numbers have class names; or if the map names a class that no part has.
  explicit MergedSource(std::vector<std::shared_ptr<Source>> parts,
                        const std::map<std::string, std::string>& class_map = {},
                        std::vector<std::string> remarks = {});

  const std::vector<SourceSplit>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return class_names_; }
  std::string format() const override;
  bool is_random_access() const override;
  std::string sample_name(std::size_t split, std::int64_t row) const override;
  std::optional<std::string> sample_path(std::size_t split, std::int64_t row) const override;
  bool has_sample_paths(std::size_t split) const override;
  std::optional<std::int32_t> class_index(std::size_t split, std::int64_t row) const override;
  std::vector<std::int32_t> class_indices(std::size_t split, std::int64_t row) const override;
  std::vector<SampleFailure> read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                  std::span<std::uint8_t> values, std::span<std::byte> labels) override;
  std::vector<SampleFailure> read_masks(std::size_t split, std::int64_t first_row, std::int64_t count,
                                        std::span<std::uint8_t> masks) override;
  std::string sample_metadata(std::size_t split, std::int64_t row) const override;
  std::vector<SampleFailure> left_out() const override;
  std::vector<std::string> files() const override;
  SourceNotes notes() const override;

 private:
  /// Rows [first_row, first_row + split's sample_count) of a merged split.
  struct Piece {
    std::size_t part = 0;
    std::size_t split = 0;
    std::int64_t first_row = 0;
  };
  void merge_class_names(const std::map<std::string, std::string>& class_map);
  void add_split(std::size_t part, std::size_t split);
  const Piece& piece_of(std::size_t split, std::int64_t row) const;
  std::int32_t renumbered(std::size_t part, std::int32_t label) const;
  void renumber(const Piece& piece, std::span<std::byte> labels) const;

  std::vector<std::shared_ptr<Source>> parts_;
  std::vector<std::vector<std::int32_t>> new_labels_;  ///< for each part; empty if labels keep their numbers
  std::vector<SourceSplit> splits_;
  std::vector<std::vector<Piece>> pieces_;  ///< for each split, ascending
  std::vector<std::string> class_names_;
  std::vector<std::string> remarks_;
};

}  // namespace octavo::sources
