#include "format/shards/manifest.hpp"

#include <fstream>

#include <octavo/errors.hpp>

#include "support/file.hpp"
#include "support/hash.hpp"
#include "support/json_fields.hpp"
#include "support/strict_json.hpp"

namespace octavo::dataset_file {
namespace {

constexpr const char* kFormat = "octavo-shards";
constexpr std::int64_t kMostManifestBytes = std::int64_t{1} << 30;
/// The format is among these; other JSON files list images.
constexpr std::streamsize kStartBytes = 4096;

ManifestShard decode_shard(const JsonFields& fields) {
  ManifestShard shard{fields.text("file"), fields.integer("bytes"), fields.text("digest")};
  // A manifest from elsewhere must not name files outside its folder.
  const std::filesystem::path path(shard.file);
  if (shard.file.empty() || path.filename() != path || shard.file == "." || shard.file == "..") {
    fields.fail("file", "is not the name of a file in the folder of the manifest");
  }
  if (path.extension() == ".json") fields.fail("file", "is the name of a manifest, not of a shard");
  return shard;
}

ManifestSplit decode_split(const JsonFields& fields) {
  const auto hash = fields.optional_hash("data_hash");
  if (!hash) fields.fail("data_hash", "is missing");
  return {fields.text("name"), fields.integer("samples"), *hash, fields.integers("histogram"),
          fields.integers("value_sums")};
}

}  // namespace

std::string encode_manifest(const Manifest& manifest) {
  Json json = {{"format", kFormat},
               {"format_version", manifest.version},
               {"uuid", manifest.uuid},
               {"created", manifest.created},
               {"writer", manifest.writer}};
  if (!manifest.class_names.empty()) json["class_names"] = manifest.class_names;
  json["provenance"] = parse_strict_json(manifest.provenance);
  json["shards"] = Json::array();
  for (const ManifestShard& shard : manifest.shards) {
    json["shards"].push_back({{"file", shard.file}, {"bytes", shard.bytes}, {"digest", shard.digest}});
  }
  json["splits"] = Json::array();
  for (const ManifestSplit& split : manifest.splits) {
    json["splits"].push_back({{"name", split.name},
                              {"samples", split.sample_count},
                              {"data_hash", to_hex(split.data_hash)},
                              {"histogram", split.histogram},
                              {"value_sums", split.value_sums}});
  }
  // A line for each member: people read manifests, and version control compares them.
  std::string text = "{";
  for (const auto& [key, value] : json.items()) {
    text += (text.size() == 1 ? "\n  " : ",\n  ") + Json(key).dump() + ": ";
    const bool is_list = value.is_array() && !value.empty() && value.front().is_object();
    if (!is_list) {
      text += value.dump();
      continue;
    }
    std::string items;
    for (const Json& item : value) items += (items.empty() ? "\n    " : ",\n    ") + item.dump();
    text += "[" + items + "\n  ]";
  }
  return text + "\n}\n";
}

Manifest decode_manifest(std::string_view text) {
  const Json json = parse_strict_json(text);
  const JsonFields fields(json, "its manifest is invalid: it");
  if (fields.text("format") != kFormat) fields.fail("format", std::string("is not \"") + kFormat + "\"");
  Manifest manifest;
  manifest.version = fields.integer("format_version");
  if (manifest.version < 1 || manifest.version > kManifestVersion) {
    fields.fail("format_version", "is unknown; update Octavo");
  }
  manifest.uuid = fields.text("uuid");
  manifest.created = fields.text("created");
  manifest.writer = fields.text("writer");
  if (fields.has("class_names")) manifest.class_names = fields.texts("class_names");
  static_cast<void>(fields.object("provenance"));
  manifest.provenance = json["provenance"].dump();
  for (const Json& shard : fields.array("shards")) {
    manifest.shards.push_back(
        decode_shard(JsonFields(shard, "its manifest is invalid: shard " + std::to_string(manifest.shards.size()))));
  }
  for (const Json& split : fields.array("splits")) {
    manifest.splits.push_back(
        decode_split(JsonFields(split, "its manifest is invalid: split " + std::to_string(manifest.splits.size()))));
  }
  if (manifest.shards.empty()) fields.fail("shards", "is empty");
  if (manifest.splits.empty()) fields.fail("splits", "is empty");
  return manifest;
}

std::filesystem::path find_manifest(const std::filesystem::path& location) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(location, ignored);
  const std::filesystem::path path = is_folder ? location / kManifestName : location;
  if (path.extension() != ".json" || !std::filesystem::is_regular_file(path, ignored)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string start(kStartBytes, '\0');
  file.read(start.data(), kStartBytes);
  start.resize(static_cast<std::size_t>(file.gcount()));
  return start.find('"' + std::string(kFormat) + '"') == std::string::npos ? std::filesystem::path() : path;
}

Manifest read_manifest(const std::filesystem::path& path) { return read_manifest(File::open_for_reading(path)); }

Manifest read_manifest(const ByteSource& source) {
  const std::int64_t length = source.length();
  if (length > kMostManifestBytes) {
    throw IoError("read " + quoted(source.name()) + ": the file has " + std::to_string(length) +
                  " bytes; expected at most " + std::to_string(kMostManifestBytes));
  }
  std::string text(static_cast<std::size_t>(length), '\0');
  source.read_at(0, std::as_writable_bytes(std::span(text)));
  try {
    return decode_manifest(text);
  } catch (const FormatError& error) {
    throw FormatError("open dataset " + quoted(source.name()) + ": " + error.what());
  }
}

}  // namespace octavo::dataset_file
