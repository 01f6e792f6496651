#include "fetching/set_check.hpp"

#include <octavo/text.hpp>

#include <algorithm>
#include <set>

#include "support/checked_math.hpp"
#include "support/text/short_text.hpp"

namespace octavo::fetching {
namespace {

constexpr std::size_t kMostAddressBytes = 4096;
// Leaves room for ".part" in the 255 bytes of a file's name.
constexpr std::size_t kMostNameBytes = 240;

bool is_empty_or_hex(std::string_view digits, std::size_t count) {
  return digits.empty() ||
         (digits.size() == count && digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos);
}

std::optional<std::string> name_problem(const std::string& name) {
  if (name.empty() || name.size() > kMostNameBytes) return "has a name that is not 1 to 240 bytes long";
  if (text_problem(name)) return "has a name that is not plain UTF-8 text";
  if (name.front() == '.' || name.find('/') != std::string::npos) return "has a name with '/', or '.' at the beginning";
  if (name.find('=') != std::string::npos) return "has a name with '=', which separates a split from its file";
  if (name.ends_with(".part")) return "has a name that ends in .part, which is reserved for unfinished files";
  return std::nullopt;
}

std::optional<std::string> file_problem(const RemoteFile& file, bool has_mirrors) {
  if (auto problem = name_problem(file.name)) return " " + *problem;
  if (file.bytes < 1) return ".bytes is not at least 1";
  if (!is_empty_or_hex(file.sha256, 64)) return ".sha256 is not 64 hex digits";
  if (!is_empty_or_hex(file.md5, 32)) return ".md5 is not 32 hex digits";
  if (file.sha256.empty() && file.md5.empty()) return " has neither sha256 nor md5";
  for (const std::string& url : file.urls) {
    if (const auto problem = address_problem(url)) return ".urls has a URL that " + *problem;
  }
  if (file.urls.empty() && !has_mirrors) return " has no urls, and the set has no mirrors";
  return std::nullopt;
}

/// Whether `source` is [SPLIT=]FILE with a file of the set.
bool names_a_file(const std::string& source, const RemoteSet& set) {
  return std::any_of(set.files.begin(), set.files.end(), [&](const RemoteFile& file) {
    if (source == file.name) return true;
    if (!source.ends_with("=" + file.name)) return false;
    return is_split_name(std::string_view(source).substr(0, source.size() - file.name.size() - 1));
  });
}

}  // namespace

std::optional<std::string> address_problem(std::string_view address) {
  if (!address.starts_with("http://") && !address.starts_with("https://")) {
    return "begins with neither http:// nor https://";
  }
  if (address.size() > kMostAddressBytes) return "is longer than 4096 bytes";
  const bool is_plain = std::all_of(address.begin(), address.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  if (!is_plain) return "contains a space, or another character that must be written as %XX";
  return std::nullopt;
}

std::optional<std::string> set_problem(const RemoteSet& set) {
  if (!is_split_name(set.name)) return "name is not of letters, digits, '_', '.' and '-', at most 64 bytes";
  for (const std::string& mirror : set.mirrors) {
    if (const auto problem = address_problem(mirror)) return "mirrors has a URL that " + *problem;
  }
  if (set.files.empty()) return "files is empty";
  std::set<std::string> names;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < set.files.size(); ++i) {
    const RemoteFile& file = set.files[i];
    const std::string where = "files[" + std::to_string(i) + "]";
    if (const auto problem = file_problem(file, !set.mirrors.empty())) return where + *problem;
    if (!names.insert(file.name).second) return where + " has the same name as another file";
    const auto sum = checked_sum(bytes, file.bytes);
    if (!sum) return where + ".bytes is too large";
    bytes = *sum;
  }
  for (const std::string& source : set.pack) {
    if (!names_a_file(source, set)) return "pack has an entry that is not [SPLIT=]FILE of its files";
  }
  return std::nullopt;
}

}  // namespace octavo::fetching
