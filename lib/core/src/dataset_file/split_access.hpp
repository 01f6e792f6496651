// Gives the other parts of the library access to the internals of a public Split.
#pragma once

#include <octavo/dataset.hpp>

#include "dataset_file/reader.hpp"

namespace octavo::dataset_file {

struct SplitAccess {
  /// The open file. It stays open as long as the Split or a copy of this pointer lives.
  static const std::shared_ptr<const Reader>& reader(const Split& split) { return split.reader_; }
  /// Shape, statistics and extents. Lives as long as the reader.
  static const SplitEntry& entry(const Split& split) { return *split.entry_; }
};

}  // namespace octavo::dataset_file
