// What the provenance of a dataset file tells about the source that it was made from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/source.hpp>

namespace octavo::report {

struct Origin {
  std::string format;                        ///< "idx", "cifar10", ...
  std::vector<std::filesystem::path> files;  ///< those with a whole path
  bool is_as_read = false;                   ///< samples were neither converted, chosen nor skipped
  std::optional<std::uint64_t> digest;       ///< of the split's values, taken when they were packed

  /// What quantizing changed in one channel, counted when the split was packed.
  struct Loss {
    double largest_error = 0.0;
    double mean_error = 0.0;
    std::int64_t clipped_count = 0;
  };
  std::vector<Loss> losses;  ///< [C]; empty if the source held bytes
};

/// Never fails: what the provenance does not say stays empty.
Origin origin_of(const Dataset& dataset, const std::string& split_name);

/// Sizes of the files that are still there; nothing if none is.
std::optional<std::int64_t> bytes_of_files(const Origin& origin);

/// A source opened again, and which of its splits is wanted.
struct ReopenedSource {
  std::unique_ptr<Source> source;
  std::size_t split = 0;
};

/// The source that `split` was packed from, if its files are still there and give samples as they were packed: raw
/// formats without conversion.
std::optional<ReopenedSource> reopen(const Origin& origin, const Split& split);

}  // namespace octavo::report
