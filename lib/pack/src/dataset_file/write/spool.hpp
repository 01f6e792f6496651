// A file where samples and names wait until their final rows and offsets are known.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "support/file.hpp"

namespace octavo::dataset_file {

/// The bytes that wait for each row of a split.
struct SpoolRow {
  std::int64_t value_bytes = 0;
  std::int64_t label_bytes = 0;
  std::int64_t mask_bytes = 0;
  std::int64_t name_bytes = 0;
  bool may_not_come = false;  ///< values of few or no rows are expected: reserves no disk space for them
};

/// Holds values, labels, masks and names of several splits, each at an offset computed from its row, so that threads
/// can write concurrently and memory use stays small. A name has a slot of 256 bytes: its length, and up to 255 bytes.
class Spool {
 public:
  static constexpr std::int64_t kNameSlotBytes = 256;

  /// Creates the file for splits with these row layouts and capacities, and reserves disk space for values, labels and
  /// masks.
  Spool(const std::filesystem::path& path, const std::vector<SpoolRow>& rows,
        const std::vector<std::int64_t>& capacities);

  std::int64_t values_offset(std::size_t split, std::int64_t row) const;
  std::int64_t labels_offset(std::size_t split, std::int64_t row) const;
  std::int64_t masks_offset(std::size_t split, std::int64_t row) const;
  /// Names that were never written read as empty.
  void write_names(std::size_t split, std::int64_t first_row, std::span<const std::string> names) const;
  std::vector<std::string> read_names(std::size_t split, std::int64_t first_row, std::int64_t count) const;
  /// Appends bytes that belong to no row; returns their location. Thread-safe.
  std::int64_t append(std::span<const std::byte> bytes) const;
  const File& file() const { return file_; }

 private:
  struct Region {
    SpoolRow row;
    std::int64_t values = 0;
    std::int64_t labels = 0;
    std::int64_t masks = 0;
    std::int64_t names = 0;
  };
  File file_;
  std::vector<Region> regions_;
  mutable std::atomic<std::int64_t> end_ = 0;
};

}  // namespace octavo::dataset_file
