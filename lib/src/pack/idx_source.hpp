// A source over one IDX images file, plain or gzip, with the labels file beside it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <octavo/source.hpp>

#include "pack/byte_stream.hpp"

namespace octavo::sources {

/// One split of IDX images: 3 axes are gray [N,H,W], 4 axes are [N,H,W,C] with C = 1 or 3, which are transposed.
/// A plain file is read in any order by any number of threads. A gzip file is read front to back by one thread at a
/// time; rows may be left out, and going back starts it again.
class IdxSource final : public Source {
 public:
  /// Reads the header, checks it against the file's size, and reads all labels. IDX files have no class names of their
  /// own. Throws FormatError or IoError.
  IdxSource(const std::filesystem::path& images, std::string split_name, std::vector<std::string> class_names);

  const std::vector<SourceSplit>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return class_names_; }
  std::string format() const override { return "idx"; }
  bool is_random_access() const override { return !images_.is_compressed(); }
  std::string sample_name(std::size_t split, std::int64_t row) const override;
  std::optional<std::int32_t> class_index(std::size_t split, std::int64_t row) const override;
  std::vector<SampleFailure> read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                  std::span<std::uint8_t> values, std::span<std::byte> labels) override;
  std::vector<std::string> files() const override;
  std::string notes() const override;

 private:
  void read_stored(std::int64_t first_row, std::span<std::byte> stored);
  void read_in_order(std::int64_t offset, std::span<std::byte> stored);

  ByteStream images_;
  File plain_;  ///< open for a plain file only: it is read by offset
  std::optional<std::filesystem::path> labels_path_;
  std::vector<std::uint8_t> labels_;
  std::vector<SourceSplit> splits_;
  std::vector<std::string> class_names_;
  std::int64_t data_offset_ = 0;
  std::int64_t end_offset_ = 0;
};

/// The labels file that belongs to an images file: the same name with "labels" for "images" and idx1 for idx3 or idx4,
/// compressed or not; nothing if there is none.
std::optional<std::filesystem::path> idx_labels_beside(const std::filesystem::path& images);

}  // namespace octavo::sources
