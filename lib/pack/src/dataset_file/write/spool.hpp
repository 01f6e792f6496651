// A file where samples and names wait until it is known in which row, and at which offset, they will end up.
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

/// Bytes that each row of a split has waiting.
struct SpoolRow {
  std::int64_t value_bytes = 0;
  std::int64_t label_bytes = 0;
  std::int64_t name_bytes = 0;
  bool may_not_come = false;  ///< values of few rows, or none, are expected: no disk space is taken for them
};

/// Holds values, labels and names of several splits, each at a place that follows from its row, so that threads can
/// write at once and memory stays small. A name has a slot of 256 bytes: its length, and up to 255 bytes.
class Spool {
 public:
  static constexpr std::int64_t kNameSlotBytes = 256;

  /// Creates the file for splits of these rows and capacities, and takes the disk space for values and labels.
  Spool(const std::filesystem::path& path, const std::vector<SpoolRow>& rows,
        const std::vector<std::int64_t>& capacities);

  std::int64_t values_offset(std::size_t split, std::int64_t row) const;
  std::int64_t labels_offset(std::size_t split, std::int64_t row) const;
  /// Names that were never written read as empty ones.
  void write_names(std::size_t split, std::int64_t first_row, std::span<const std::string> names) const;
  std::vector<std::string> read_names(std::size_t split, std::int64_t first_row, std::int64_t count) const;
  /// Keeps bytes of no row behind everything else; returns where. From several threads.
  std::int64_t append(std::span<const std::byte> bytes) const;
  const File& file() const { return file_; }

 private:
  struct Region {
    SpoolRow row;
    std::int64_t values = 0;
    std::int64_t labels = 0;
    std::int64_t names = 0;
  };
  File file_;
  std::vector<Region> regions_;
  mutable std::atomic<std::int64_t> end_ = 0;
};

}  // namespace octavo::dataset_file
