// The index as JSON, and back.
#include <cmath>
#include <functional>
#include <limits>

#include <octavo/errors.hpp>
#include <octavo/version.hpp>

#include "archive/index.hpp"
#include "archive/limits.hpp"
#include "archive/strict_json.hpp"
#include "support/hash.hpp"

namespace octavo::archive {
namespace {

constexpr const char* kEncoding = "plain";

// ---- Writing ----------------------------------------------------------------

Json encode_extent(const Extent& extent) {
  Json json = {{"offset", extent.offset}, {"bytes", extent.bytes}};
  if (extent.hash) json["hash"] = to_hex(*extent.hash);
  return json;
}

Json encode_datasets(const SplitEntry& split) {
  Json json;
  json["images"] = encode_extent(split.images);
  if (split.labels) json["labels"] = encode_extent(*split.labels);
  json["checksums"] = encode_extent(split.checksums);
  json["histogram"] = encode_extent(split.histogram);
  json["mean_image"] = encode_extent(split.mean_image);
  if (split.names) json["names"] = encode_extent(*split.names);
  if (split.name_offsets) json["name_offsets"] = encode_extent(*split.name_offsets);
  return json;
}

Json encode_split(const SplitEntry& split) {
  Json scale = Json::array();
  Json zero_point = Json::array();
  for (const ChannelQuantisation& one : split.quantisation) {
    scale.push_back(one.scale);
    zero_point.push_back(one.zero_point);
  }
  return {{"name", split.name},
          {"samples", split.sample_count},
          {"shape", {split.shape.channels, split.shape.height, split.shape.width}},
          {"label_kind", to_text(split.label_layout.kind)},
          {"label_width", split.label_layout.width},
          {"color", to_text(split.color)},
          {"source_dtype", split.source_dtype},
          {"scale", scale},
          {"zero_point", zero_point},
          {"mean", split.mean},
          {"std", split.standard_deviation},
          {"datasets", encode_datasets(split)}};
}

// ---- Reading ----------------------------------------------------------------

/// One JSON object whose fields are asked for by name and kind.
class Fields {
 public:
  Fields(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) fail("is no object");
  }

  bool has(const char* key) const { return json_.contains(key); }
  const Json& array(const char* key) const {
    const Json& value = at(key);
    if (!value.is_array()) fail(key, "is no array");
    return value;
  }
  Fields object(const char* key) const { return Fields(at(key), where_ + "." + key); }
  std::int64_t integer(const char* key) const { return integer_of(at(key), key); }
  std::string text(const char* key) const { return text_of(at(key), key); }
  std::vector<std::string> texts(const char* key) const {
    return collect<std::string>(key, [&](const Json& value) { return text_of(value, key); });
  }
  std::vector<std::int64_t> integers(const char* key) const {
    return collect<std::int64_t>(key, [&](const Json& value) { return integer_of(value, key); });
  }
  std::vector<double> numbers(const char* key) const {
    return collect<double>(key, [&](const Json& value) { return number_of(value, key); });
  }
  std::optional<std::uint64_t> hash() const {
    if (!has("hash")) return std::nullopt;
    const std::string digits = text("hash");
    if (digits.size() != 16 || digits.find_first_not_of("0123456789abcdef") != std::string::npos) {
      fail("hash", "is not 16 hex digits");
    }
    return std::stoull(digits, nullptr, 16);
  }
  [[noreturn]] void fail(const std::string& problem) const {
    throw FormatError("its index is wrong: " + where_ + " " + problem);
  }
  [[noreturn]] void fail(const char* key, const std::string& problem) const {
    throw FormatError("its index is wrong: " + where_ + "." + key + " " + problem);
  }

 private:
  const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(key, "is missing");
    return *found;
  }
  std::int64_t integer_of(const Json& value, const char* key) const {
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kLargest)
      fail(key, "is no whole number below 2^63");
    return value.get<std::int64_t>();
  }
  std::string text_of(const Json& value, const char* key) const {
    if (!value.is_string()) fail(key, "is no text");
    auto text = value.get<std::string>();
    if (const auto problem = text_problem(text)) fail(key, *problem);
    return text;
  }
  double number_of(const Json& value, const char* key) const {
    if (!value.is_number() || !std::isfinite(value.get<double>())) fail(key, "is no finite number");
    return value.get<double>();
  }
  template <typename Value>
  std::vector<Value> collect(const char* key, const std::function<Value(const Json&)>& read) const {
    std::vector<Value> values;
    for (const Json& value : array(key)) values.push_back(read(value));
    return values;
  }

  const Json& json_;
  std::string where_;
};

/// Images and labels need no hash: their samples have checksums. Everything else does.
enum class Hash { optional, required };

Extent decode_extent(const Fields& fields, Hash hash) {
  Extent extent{fields.integer("offset"), fields.integer("bytes"), fields.hash()};
  if (hash == Hash::required && !extent.hash) fields.fail("hash", "is missing");
  return extent;
}

std::optional<Extent> decode_optional_extent(const Fields& datasets, const char* name, Hash hash) {
  if (!datasets.has(name)) return std::nullopt;
  return decode_extent(datasets.object(name), hash);
}

void decode_datasets(const Fields& datasets, SplitEntry& split) {
  split.images = decode_extent(datasets.object("images"), Hash::optional);
  split.labels = decode_optional_extent(datasets, "labels", Hash::optional);
  split.checksums = decode_extent(datasets.object("checksums"), Hash::required);
  split.histogram = decode_extent(datasets.object("histogram"), Hash::required);
  split.mean_image = decode_extent(datasets.object("mean_image"), Hash::required);
  split.names = decode_optional_extent(datasets, "names", Hash::required);
  split.name_offsets = decode_optional_extent(datasets, "name_offsets", Hash::required);
}

void decode_layout(const Fields& fields, SplitEntry& split) {
  const auto shape = fields.integers("shape");
  if (shape.size() != 3) fields.fail("shape", "has not three axes");
  split.shape = {shape[0], shape[1], shape[2]};
  const auto kind = label_kind_of(fields.text("label_kind"));
  if (!kind) fields.fail("label_kind", "is none that this build knows");
  split.label_layout = {*kind, fields.integer("label_width")};
  const auto color = color_of(fields.text("color"));
  if (!color) fields.fail("color", "is none that this build knows");
  split.color = *color;
}

void decode_quantisation(const Fields& fields, SplitEntry& split) {
  const auto scale = fields.numbers("scale");
  const auto zero_point = fields.numbers("zero_point");
  if (scale.size() != zero_point.size()) fields.fail("scale", "and zero_point differ in length");
  for (std::size_t i = 0; i < scale.size(); ++i) split.quantisation.push_back({scale[i], zero_point[i]});
}

SplitEntry decode_split(const Fields& fields) {
  SplitEntry split;
  split.name = fields.text("name");
  split.sample_count = fields.integer("samples");
  decode_layout(fields, split);
  split.source_dtype = fields.text("source_dtype");
  decode_quantisation(fields, split);
  split.mean = fields.numbers("mean");
  split.standard_deviation = fields.numbers("std");
  decode_datasets(fields.object("datasets"), split);
  return split;
}

}  // namespace

std::string encode_index(const Index& index) {
  Json json = {{"format", "octavo"}, {"format_version", kFormatVersion}, {"encoding", kEncoding},
               {"uuid", index.uuid}, {"created", index.created},         {"writer", index.writer}};
  if (index.classes) {
    json["class_names"] = index.class_names;
    json["classes"] = encode_extent(*index.classes);
  }
  json["provenance"] = encode_extent(index.provenance);
  json["splits"] = Json::array();
  for (const SplitEntry& split : index.splits) json["splits"].push_back(encode_split(split));
  return json.dump();
}

Index decode_index(std::string_view text) {
  const Json json = parse_strict_json(text);
  const Fields fields(json, "index");
  if (fields.text("format") != "octavo") fields.fail("format", "is not \"octavo\"");
  if (fields.integer("format_version") != kFormatVersion) fields.fail("format_version", "differs from the header");
  if (fields.text("encoding") != kEncoding)
    fields.fail("encoding", "is one that this build does not read; update Octavo");
  Index index;
  index.uuid = fields.text("uuid");
  index.created = fields.text("created");
  index.writer = fields.text("writer");
  if (fields.has("class_names")) index.class_names = fields.texts("class_names");
  index.classes = decode_optional_extent(fields, "classes", Hash::required);
  index.provenance = decode_extent(fields.object("provenance"), Hash::required);
  for (const Json& split : fields.array("splits")) {
    index.splits.push_back(decode_split(Fields(split, "split " + std::to_string(index.splits.size()))));
  }
  return index;
}

}  // namespace octavo::archive
