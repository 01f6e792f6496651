// Adding splits to a dataset file: a new file with all splits replaces the old one.
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "packing/packer.hpp"
#include "sources/combine/consistency.hpp"
#include "sources/combine/merged_source.hpp"
#include "sources/octavo_source.hpp"
#include "support/file.hpp"

namespace octavo {
namespace {

/// Distinguishes dataset files, even if both have the fixed uuid of reproducible files.
struct Identity {
  std::string uuid;
  std::int64_t file_bytes = 0;
  std::string provenance;
  bool operator==(const Identity&) const = default;
};

Identity identity_of(const std::filesystem::path& path) {
  const Dataset dataset = Dataset::open(path);
  return {dataset.uuid(), dataset.file_bytes(), dataset.provenance()};
}

void check_splits_are_new(const Source& there, const Source& added, const std::filesystem::path& path) {
  for (const SourceSplit& split : added.splits()) {
    for (const SourceSplit& other : there.splits()) {
      if (split.name != other.name) continue;
      throw DataError("append to " + quoted(path) + ": it has a split \"" + split.name +
                      "\" already; give the new one another name (NAME=SOURCE), or pack both into a new file");
    }
  }
}

}  // namespace

PackSummary append(Source& source, const std::filesystem::path& path, const PackOptions& options) {
  const Dataset dataset = Dataset::open(path);
  const Identity before = identity_of(path);
  const auto there = std::make_shared<sources::OctavoSource>(path);
  check_splits_are_new(*there, source, path);
  if (!options.allow_mismatch) sources::check_fits(*there, source, path);
  // Owned by the caller; not deleted here.
  const std::shared_ptr<Source> added(std::shared_ptr<void>(), &source);
  sources::MergedSource all({there, added});

  PackOptions chosen = options;
  chosen.replace_existing = true;
  chosen.compression = dataset.split(dataset.split_names()[0]).compression();
  // Another writer may have replaced the file since it was opened.
  return packing::pack_locked(all, path, chosen, there->splits().size(), [&] {
    if (identity_of(path) == before) return;
    throw IoError("append to " + quoted(path) + ": another program replaced the file; append again");
  });
}

}  // namespace octavo
