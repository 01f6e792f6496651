// The source of a dataset file, as recorded in its provenance.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/source.hpp>
#include <octavo/source_notes.hpp>

namespace octavo::report {

struct Origin {
  std::string format;                        ///< "idx", "cifar10", ...
  std::vector<std::filesystem::path> files;  ///< those with an absolute path
  /// The bytes of the images that image lists among `files` name; empty if they are not known, in files of older
  /// versions.
  std::optional<std::int64_t> listed_bytes;
  bool is_as_read = false;              ///< samples were neither converted, chosen nor skipped
  bool is_converted = false;            ///< images were resized before packing
  std::optional<std::uint64_t> digest;  ///< of the split's values, computed when they were packed

  /// What quantizing lost, counted when the split was packed; nothing if no sample was quantized, or in files that do
  /// not have it.
  std::optional<QuantizationNotes> loss;

  /// The sizes "HxW" of the images before they were resized: the smallest, nine deciles and the largest; or nothing.
  std::vector<std::string> size_deciles;
  std::int64_t size_outliers = 0;                ///< images with an unusual size
  std::vector<std::string> first_size_outliers;  ///< "photos/a.png (6x120)"
};

/// Never fails: fields that the provenance does not contain stay empty.
Origin origin_of(const Dataset& dataset, const std::string& split_name);

/// The total size of the files that still exist, and of the images that lists among them name; empty if no file exists,
/// or if what a list names is not known.
std::optional<std::int64_t> bytes_of_files(const Origin& origin);

/// A reopened source, and the index of the split in it.
struct ReopenedSource {
  std::unique_ptr<Source> source;
  std::size_t split = 0;
};

/// The source that `split` was packed from, if its files still exist and were packed without conversion (raw formats
/// only).
std::optional<ReopenedSource> reopen(const Origin& origin, const Split& split);

}  // namespace octavo::report
