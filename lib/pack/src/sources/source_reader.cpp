#include "sources/source_reader.hpp"

#include <algorithm>

#include <octavo/errors.hpp>
#include <octavo/source_format.hpp>
#include <octavo/text.hpp>

namespace octavo::sources {

const SourceReader* reader_named(std::string_view name) {
  if (name == kAutomaticFormat) return nullptr;
  std::vector<std::string> known = {std::string(kAutomaticFormat)};
  for (const SourceReader* reader : kSourceReaders) {
    if (name == reader->name || std::ranges::find(reader->aliases, name) != reader->aliases.end()) return reader;
    known.emplace_back(reader->name);
  }
  throw InvalidArgument("open the sources: unknown format \"" + std::string(name) + "\"; expected " + either_of(known));
}

bool looks_for(FoundBy found_by, const SourceReader* wanted) {
  return wanted == nullptr || wanted->found_by == found_by;
}

const SourceReader* reader_of_archive(const files::FileTree& archive) {
  const auto found = std::ranges::find_if(kSourceReaders, [&](const SourceReader* reader) {
    return reader->is_archive != nullptr && reader->is_archive(archive);
  });
  return found == kSourceReaders.end() ? nullptr : *found;
}

std::string kinds_of(std::span<const SourceReader* const> readers) {
  std::vector<std::string> kinds;
  for (const SourceReader* reader : readers) {
    const std::string kind(reader->kind);
    if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
  }
  return either_of(kinds);
}

bool may_hold_splits(const SourceReader& reader, const std::string& path) {
  return reader.may_hold_splits != nullptr && reader.may_hold_splits(path);
}

}  // namespace octavo::sources

namespace octavo {

std::vector<SourceFormat> source_formats() {
  std::vector<SourceFormat> formats = {{kAutomaticFormat, {}}};
  for (const sources::SourceReader* reader : sources::kSourceReaders) {
    formats.push_back({reader->name, {}});
    for (const std::string_view alias : reader->aliases) {
      if (!alias.empty()) formats.back().aliases.push_back(alias);
    }
  }
  return formats;
}

}  // namespace octavo
