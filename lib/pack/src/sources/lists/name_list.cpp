#include "sources/lists/name_list.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

namespace octavo::sources {
namespace {

constexpr std::int64_t kMostListBytes = std::int64_t{16} << 20;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace

bool is_clean_utf8(const std::string& text) {
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; })) return false;
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

std::vector<std::string> read_name_list(files::ByteStream& stream) {
  std::vector<std::string> names = lines_of(stream.read_whole(kMostListBytes));
  std::set<std::string> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const char* const wrong = names[i].empty()                ? "is empty"
                              : !is_clean_utf8(names[i])      ? "is not UTF-8"
                              : !seen.insert(names[i]).second ? "is a duplicate"
                                                              : nullptr;
    if (wrong == nullptr) continue;
    throw FormatError("read the class names " + stream.name() + ": line " + std::to_string(i + 1) + " " + wrong +
                      "; give one name per line, in label order");
  }
  return names;
}

}  // namespace octavo::sources
