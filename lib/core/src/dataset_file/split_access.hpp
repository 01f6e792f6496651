// The way from a public Split to what is behind it, for the other topics of the library.
#pragma once

#include <octavo/dataset.hpp>

#include "dataset_file/reader.hpp"

namespace octavo::dataset_file {

struct SplitAccess {
  /// The open file. It lives as long as the Split or a copy of this pointer.
  static const std::shared_ptr<const Reader>& reader(const Split& split) { return split.reader_; }
  /// Shape, statistics and extents; lives as long as the reader.
  static const SplitEntry& entry(const Split& split) { return *split.entry_; }
};

}  // namespace octavo::dataset_file
