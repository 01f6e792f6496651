// Converts the index to and from JSON.
#include <octavo/errors.hpp>
#include <octavo/version.hpp>

#include "format/index/index.hpp"
#include "format/limits.hpp"
#include "support/hash.hpp"
#include "support/json_fields.hpp"
#include "support/strict_json.hpp"

namespace octavo::dataset_file {
namespace {

/// How the images of all splits are stored.

// ---- Writing ----------------------------------------------------------------

Json encode_extent(const Extent& extent) {
  Json json = {{"offset", extent.offset}, {"bytes", extent.bytes}};
  if (extent.hash) json["hash"] = to_hex(*extent.hash);
  return json;
}

Json encode_datasets(const SplitEntry& split) {
  Json json = Json::object();
  if (split.chunked)
    json["chunks"] = encode_extent(split.chunked->table);
  else
    json["images"] = encode_extent(split.images);
  if (split.row_bytes) json["row_bytes"] = encode_extent(*split.row_bytes);
  if (split.row_tables) json["row_tables"] = encode_extent(*split.row_tables);
  if (split.decoded_checksums) json["decoded_checksums"] = encode_extent(*split.decoded_checksums);
  if (split.labels) json["labels"] = encode_extent(*split.labels);
  if (split.masks) json["masks"] = encode_extent(*split.masks);
  if (split.mask_row_bytes) json["mask_row_bytes"] = encode_extent(*split.mask_row_bytes);
  if (split.mask_row_tables) json["mask_row_tables"] = encode_extent(*split.mask_row_tables);
  json["checksums"] = encode_extent(split.checksums);
  json["histogram"] = encode_extent(split.histogram);
  json["mean_image"] = encode_extent(split.mean_image);
  if (split.names) json["names"] = encode_extent(*split.names);
  if (split.name_offsets) json["name_offsets"] = encode_extent(*split.name_offsets);
  if (split.columns_dataset) json["columns"] = encode_extent(*split.columns_dataset);
  return json;
}

Json encode_split(const SplitEntry& split) {
  Json scale = Json::array();
  Json zero_point = Json::array();
  for (const ChannelQuantization& one : split.quantization) {
    scale.push_back(one.scale);
    zero_point.push_back(one.zero_point);
  }
  Json json = {{"name", split.name},
               {"samples", split.sample_count},
               {"shape", {split.shape.channels, split.shape.height, split.shape.width}},
               {"label_kind", to_text(split.label_layout.kind)},
               {"label_width", split.label_layout.width},
               {"color", to_text(split.color)},
               {"source_dtype", split.source_dtype},
               {"scale", scale},
               {"zero_point", zero_point},
               {"mean", split.mean},
               {"std", split.standard_deviation}};
  if (split.chunked) json["chunk_samples"] = split.chunked->samples_per_chunk;
  if (split.max_error != 0) json["max_error"] = split.max_error;
  if (!split.columns.empty()) json["columns"] = split.columns;
  json["datasets"] = encode_datasets(split);
  return json;
}

// ---- Reading ----------------------------------------------------------------

/// Images and labels need no hash, because their samples have checksums. Everything else does.
enum class Hash { optional, required };

Extent decode_extent(const JsonFields& fields, Hash hash) {
  Extent extent{fields.integer("offset"), fields.integer("bytes"), fields.optional_hash("hash")};
  if (hash == Hash::required && !extent.hash) fields.fail("hash", "is missing");
  return extent;
}

std::optional<Extent> decode_optional_extent(const JsonFields& datasets, const char* name, Hash hash) {
  if (!datasets.has(name)) return std::nullopt;
  return decode_extent(datasets.object(name), hash);
}

void decode_datasets(const JsonFields& datasets, const Codec& codec, std::int64_t version, SplitEntry& split) {
  if (split.chunked)
    split.chunked->table = decode_extent(datasets.object("chunks"), Hash::required);
  else
    split.images = decode_extent(datasets.object("images"), Hash::optional);
  if (codec.row_coding != kernels::RowCoding::plain) {
    split.row_bytes = decode_extent(datasets.object("row_bytes"), Hash::required);
    split.decoded_checksums = decode_extent(datasets.object("decoded_checksums"), Hash::required);
    if (codec.read_tables != nullptr) {
      split.row_tables = decode_extent(datasets.object("row_tables"), Hash::required);
    }
  }
  split.labels = decode_optional_extent(datasets, "labels", Hash::optional);
  // A version ignores keys that it does not define.
  if (version >= 2) split.masks = decode_optional_extent(datasets, "masks", Hash::optional);
  if (split.masks && split.row_bytes) {
    split.mask_row_bytes = decode_extent(datasets.object("mask_row_bytes"), Hash::required);
    if (codec.read_tables != nullptr) {
      split.mask_row_tables = decode_extent(datasets.object("mask_row_tables"), Hash::required);
    }
  }
  if (version >= 3) split.columns_dataset = decode_optional_extent(datasets, "columns", Hash::required);
  split.checksums = decode_extent(datasets.object("checksums"), Hash::required);
  split.histogram = decode_extent(datasets.object("histogram"), Hash::required);
  split.mean_image = decode_extent(datasets.object("mean_image"), Hash::required);
  split.names = decode_optional_extent(datasets, "names", Hash::required);
  split.name_offsets = decode_optional_extent(datasets, "name_offsets", Hash::required);
}

void decode_layout(const JsonFields& fields, SplitEntry& split) {
  const auto shape = fields.integers("shape");
  if (shape.size() != 3) fields.fail("shape", "does not have three axes");
  split.shape = {shape[0], shape[1], shape[2]};
  const auto kind = label_kind_of(fields.text("label_kind"));
  if (!kind) fields.fail("label_kind", "is unknown; update Octavo");
  split.label_layout = {*kind, fields.integer("label_width")};
  const auto color = color_of(fields.text("color"));
  if (!color) fields.fail("color", "is unknown; update Octavo");
  split.color = *color;
}

void decode_quantization(const JsonFields& fields, SplitEntry& split) {
  const auto scale = fields.numbers("scale");
  const auto zero_point = fields.numbers("zero_point");
  if (scale.size() != zero_point.size()) fields.fail("scale", "and zero_point differ in length");
  for (std::size_t i = 0; i < scale.size(); ++i) split.quantization.push_back({scale[i], zero_point[i]});
}

SplitEntry decode_split(const JsonFields& fields, const Codec& codec, std::int64_t version) {
  SplitEntry split;
  split.name = fields.text("name");
  split.sample_count = fields.integer("samples");
  decode_layout(fields, split);
  split.source_dtype = fields.text("source_dtype");
  decode_quantization(fields, split);
  split.mean = fields.numbers("mean");
  split.standard_deviation = fields.numbers("std");
  if (!codec.rows_stand_alone) split.chunked = {&codec, fields.integer("chunk_samples"), {}, {}};
  if (version >= 4 && fields.has("max_error")) split.max_error = fields.integer("max_error");
  if (version >= 3 && fields.has("columns")) split.columns = fields.texts("columns");
  decode_datasets(fields.object("datasets"), codec, version, split);
  return split;
}

const Codec& codec_in(const JsonFields& fields) {
  const Codec* const codec = find_codec(fields.text("encoding"));
  if (codec == nullptr) fields.fail("encoding", "is unknown; update Octavo");
  return *codec;
}

}  // namespace

std::string encode_index(const Index& index) {
  Json json = {{"format", "octavo"}, {"format_version", index.version}, {"encoding", index.codec->name_in_index},
               {"uuid", index.uuid}, {"created", index.created},        {"writer", index.writer}};
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
  const JsonFields fields(json, "its index is invalid: index");
  if (fields.text("format") != "octavo") fields.fail("format", "is not \"octavo\"");
  Index index;
  index.version = fields.integer("format_version");
  if (index.version < 1 || index.version > kFormatVersion) fields.fail("format_version", "is unknown; update Octavo");
  index.codec = &codec_in(fields);
  index.uuid = fields.text("uuid");
  index.created = fields.text("created");
  index.writer = fields.text("writer");
  if (fields.has("class_names")) index.class_names = fields.texts("class_names");
  index.classes = decode_optional_extent(fields, "classes", Hash::required);
  index.provenance = decode_extent(fields.object("provenance"), Hash::required);
  for (const Json& split : fields.array("splits")) {
    index.splits.push_back(
        decode_split(JsonFields(split, "its index is invalid: split " + std::to_string(index.splits.size())),
                     *index.codec, index.version));
  }
  return index;
}

}  // namespace octavo::dataset_file
