// Descriptions of sets, as JSON (docs/sources.md).
#include <octavo/errors.hpp>
#include <octavo/fetch.hpp>

#include "fetching/set_check.hpp"
#include "support/file.hpp"
#include "support/json_fields.hpp"
#include "support/strict_json.hpp"

namespace octavo {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{16} << 20;

std::string optional_text(const JsonFields& fields, const char* key) {
  return fields.has(key) ? fields.text(key) : std::string();
}

std::vector<std::string> optional_texts(const JsonFields& fields, const char* key) {
  return fields.has(key) ? fields.texts(key) : std::vector<std::string>();
}

/// URLs may be longer than other texts. set_problem() checks their form.
std::vector<std::string> optional_addresses(const JsonFields& fields, const char* key) {
  std::vector<std::string> addresses;
  if (!fields.has(key)) return addresses;
  for (const Json& address : fields.array(key)) {
    if (!address.is_string()) fields.fail(key, "has an entry that is not a string");
    addresses.push_back(address.get<std::string>());
  }
  return addresses;
}

RemoteFile file_of(const JsonFields& fields) {
  RemoteFile file;
  file.name = fields.text("name");
  file.bytes = fields.integer("bytes");
  file.sha256 = optional_text(fields, "sha256");
  file.md5 = optional_text(fields, "md5");
  file.urls = optional_addresses(fields, "urls");
  return file;
}

RemoteSet set_of(const Json& document) {
  const JsonFields fields(document, "the description");
  RemoteSet set;
  set.name = fields.text("name");
  const Json& files = fields.array("files");
  for (std::size_t i = 0; i < files.size(); ++i) {
    set.files.push_back(file_of(JsonFields(files[i], "files[" + std::to_string(i) + "]")));
  }
  set.mirrors = optional_addresses(fields, "mirrors");
  set.pack = optional_texts(fields, "pack");
  set.title = optional_text(fields, "title");
  set.content = optional_text(fields, "content");
  set.license = optional_text(fields, "license");
  set.page = optional_text(fields, "page");
  if (const auto problem = fetching::set_problem(set)) throw FormatError(*problem);
  return set;
}

}  // namespace

RemoteSet read_set(const std::filesystem::path& path) {
  const std::string text = read_whole_file(path, kMostBytes);
  try {
    return set_of(parse_strict_json(text));
  } catch (const FormatError& error) {
    throw FormatError("read the dataset description " + quoted(path) + ": " + error.what() +
                      "; octavo fetch --list --json shows valid descriptions");
  }
}

}  // namespace octavo
