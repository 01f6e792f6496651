// Discovering what a path holds: the files to read, their formats, and their splits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <octavo/pack.hpp>

#include "files/archives/open_archives.hpp"
#include "sources/lists/table/list_columns.hpp"
#include "sources/source_entry.hpp"

namespace octavo::sources {

/// What a search needs in addition to the spec.
struct Search {
  files::OpenArchives archives;
  NamedColumns columns;                                          ///< lists without them are not read
  std::function<Dataset(const std::string& url)> open_url = {};  ///< as in SourceOptions
};

/// Finds what `spec` names: one file, a folder or archive with images or files of one format, or numbered files,
/// "shard-{000..099}.tar". Detects formats by content, and splits by convention unless the spec names one. Splits come
/// in the order train, val, test. Unless `wanted` is null, looks only for that format. Throws InvalidArgument,
/// FormatError or IoError, naming the path and what to do.
std::vector<SourceEntry> discover(const SourceSpec& spec, const SourceReader* wanted, Search& search);

}  // namespace octavo::sources
