#include "sharding/shard_record.hpp"

#include <filesystem>
#include <system_error>

#include <octavo/errors.hpp>
#include <octavo/version.hpp>

#include "support/hash.hpp"
#include "support/json_fields.hpp"

namespace octavo::sharding {
namespace {

/// More do not fit in a file, whatever their size.
constexpr std::int64_t kMostSamples = std::int64_t{1} << 53;

/// Files by name and size: workers see them at different paths, and copies have other times.
Json described_files(const Source& source) {
  Json files = Json::array();
  for (const std::string& file : source.files()) {
    std::filesystem::path path(file);
    if (!path.has_filename()) path = path.parent_path();
    std::error_code is_no_file;
    const std::uintmax_t bytes = std::filesystem::file_size(path, is_no_file);
    files.push_back({path.filename().string(), is_no_file ? 0 : bytes});
  }
  return files;
}

Json described_splits(const Source& source) {
  Json splits = Json::array();
  for (const SourceSplit& split : source.splits()) {
    Json quantization = Json::array();
    for (const ChannelQuantization& channel : split.quantization) {
      quantization.push_back({channel.scale, channel.zero_point});
    }
    splits.push_back({split.name,
                      split.sample_count,
                      {split.shape.channels, split.shape.height, split.shape.width},
                      {to_string(split.labels.kind), split.labels.width},
                      static_cast<int>(split.color),
                      split.source_dtype,
                      quantization,
                      split.has_masks,
                      split.columns,
                      split.max_error});
  }
  return splits;
}

/// How images are resized. Other notes are complete only after reading.
Json described_conversion(const Source& source) {
  SourceNotes notes;
  notes.conversion = source.notes().conversion;
  return parse_strict_json(octavo::to_json(notes));
}

Json described_options(const PackOptions& options) {
  return {{"names", options.with_names ? Json(*options.with_names) : Json()},
          {"skip", options.skip_bad_samples},
          {"max_error", options.max_error ? Json(*options.max_error) : Json()}};
}

/// "lp8", "deflate 6".
std::string described_encoding(const PackOptions& options) {
  const std::string name = to_string(options.compression);
  return options.compression == Compression::deflate ? name + " " + std::to_string(options.compression_level) : name;
}

}  // namespace

std::string digest_of(const Source& source, const std::string& arguments, const PackOptions& options) {
  const Json description = {{"version", kVersion},
                            {"format", source.format()},
                            {"files", described_files(source)},
                            {"splits", described_splits(source)},
                            {"classes", source.class_names()},
                            {"conversion", described_conversion(source)},
                            {"arguments", arguments},
                            {"options", described_options(options)}};
  StreamingHash hash;
  const auto add = [&](const std::string& text) {
    hash.add(std::as_bytes(std::span(text.c_str(), text.size() + 1)));  // with the zero byte between texts
  };
  // Names are bytes.
  add(description.dump(-1, ' ', false, Json::error_handler_t::replace));
  for (std::size_t split = 0; split < source.splits().size(); ++split) {
    for (std::int64_t row = 0; row < source.splits()[split].sample_count; ++row) {
      add(source.sample_name(split, row));
      const std::vector<std::int32_t> classes = source.class_indices(split, row);
      hash.add(std::as_bytes(std::span(classes)));
      if (!source.splits()[split].columns.empty()) add(source.sample_metadata(split, row));
    }
  }
  return to_hex(hash.value());
}

ShardRecord make_record(const Source& source, const std::string& source_digest, const Shard& shard,
                        const PackOptions& options) {
  ShardRecord record{shard.number, shard.count, 0, source_digest, described_encoding(options), {}};
  for (const SourceSplit& split : source.splits()) {
    record.ranges.push_back(shard_range(shard, split.name, split.sample_count));
  }
  return record;
}

ShardRecord make_record(const CollectedShard& shard, const PackOptions& options) {
  ShardRecord record{shard.shard.number, shard.shard.count, 0, shard.source_digest, described_encoding(options), {}};
  for (const auto& [split, sample_count] : shard.splits) {
    record.ranges.push_back(shard_range(shard.shard, split, sample_count));
  }
  return record;
}

Json to_json(const ShardRecord& record) {
  Json ranges = Json::array();
  for (const ShardRange& range : record.ranges) {
    ranges.push_back({{"split", range.split}, {"first", range.first}, {"samples", range.count}, {"of", range.total}});
  }
  Json json = {{"number", record.number},
               {"count", record.count},
               {"source_digest", record.source_digest},
               {"encoding", record.encoding},
               {"ranges", ranges}};
  if (record.appended > 0) json["appended"] = record.appended;
  return json;
}

ShardRecord record_in(const Json& provenance) {
  const JsonFields fields = JsonFields(provenance, "its provenance").object("shard");
  ShardRecord record{
      fields.integer("number"),     fields.integer("count"), fields.has("appended") ? fields.integer("appended") : 0,
      fields.text("source_digest"), fields.text("encoding"), {}};
  for (const Json& range : fields.array("ranges")) {
    const JsonFields one(range, "its provenance: a range of its shard");
    record.ranges.push_back({one.text("split"), one.integer("first"), one.integer("samples"), one.integer("of")});
    const ShardRange& last = record.ranges.back();
    if (last.total > kMostSamples || last.first > last.total || last.count > last.total - last.first) {
      one.fail("samples", "is not a range");
    }
  }
  return record;
}

}  // namespace octavo::sharding
