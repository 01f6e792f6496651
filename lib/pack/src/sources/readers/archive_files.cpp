#include "sources/readers/archive_files.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "files/archives/open_archives.hpp"
#include "sources/source_reader.hpp"
#include "support/text/ascii.hpp"

namespace octavo::sources {
namespace {

bool is_archive(const FileStart& start) {
  const auto path = start.tree()->disk_path(start.path());
  return path && files::is_archive(*path);
}

}  // namespace

bool is_named_as_archive(const std::string& name) {
  constexpr std::array<std::string_view, 11> kRead = {".zip",  ".tar",    ".tar.gz", ".tgz",     ".tar.bz2", ".tbz",
                                                      ".tbz2", ".tar.xz", ".txz",    ".tar.zst", ".tzst"};
  // Recognized, to be refused by name.
  constexpr std::array<std::string_view, 7> kNotRead = {".zip.001", ".7z",     ".7z.001", ".rar",
                                                        ".tar.lz4", ".tar.lz", ".tar.z"};
  const std::string lower = lower_case(name);
  const auto is_ending = [&](std::string_view ending) { return lower.ends_with(ending); };
  return std::ranges::any_of(kRead, is_ending) || std::ranges::any_of(kNotRead, is_ending);
}

const SourceReader kArchiveReader = {.name = "archive",
                                     .aliases = {"tar", "zip"},
                                     .kind = "an archive",
                                     .looks_like = &is_archive,
                                     .found_by = FoundBy::archive,
                                     .is_named = &is_named_as_archive};

}  // namespace octavo::sources
