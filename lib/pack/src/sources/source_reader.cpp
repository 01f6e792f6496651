#include "sources/source_reader.hpp"

#include <algorithm>

namespace octavo::sources {

const SourceReader* reader_of(SourceFormat format) {
  const auto found = std::find_if(kSourceReaders.begin(), kSourceReaders.end(),
                                  [&](const SourceReader* reader) { return reader->format == format; });
  return found == kSourceReaders.end() ? nullptr : *found;
}

bool may_hold_splits(SourceFormat format, const std::string& path) {
  const SourceReader* const reader = reader_of(format);
  return reader != nullptr && reader->may_hold_splits != nullptr && reader->may_hold_splits(path);
}

}  // namespace octavo::sources
