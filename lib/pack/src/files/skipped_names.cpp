#include "files/skipped_names.hpp"

#include <algorithm>
#include <array>

#include "support/text/ascii.hpp"

namespace octavo::files {
namespace {

// As written by macOS ("Icon\r": a folder's icon), Synology, QNAP, NetApp, Unix file systems, Windows XP and Python.
constexpr std::array<std::string_view, 14> kExactNames = {
    "__MACOSX",  "Icon\r",   "Network Trash Folder", "Temporary Items", "@eaDir",     "@tmp",     "#recycle",
    "#snapshot", "@Recycle", "@Recently-Snapshot",   "~snapshot",       "lost+found", "RECYCLER", "__pycache__"};

// Windows ignores case.
constexpr std::array<std::string_view, 6> kNamesInAnyCase = {
    "thumbs.db", "ehthumbs.db", "ehthumbs_vista.db", "desktop.ini", "$recycle.bin", "system volume information"};

}  // namespace

bool is_skipped_name(std::string_view name) {
  if (name.starts_with('.')) return true;
  if (std::ranges::find(kExactNames, name) != kExactNames.end()) return true;
  const auto is_longest = [](std::string_view a, std::string_view b) { return a.size() < b.size(); };
  if (name.size() > std::ranges::max(kNamesInAnyCase, is_longest).size()) return false;
  return std::ranges::find(kNamesInAnyCase, lower_case(name)) != kNamesInAnyCase.end();
}

}  // namespace octavo::files
