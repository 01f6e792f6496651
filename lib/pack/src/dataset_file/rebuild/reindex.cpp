#include <octavo/reindex.hpp>

#include <algorithm>
#include <cstring>
#include <system_error>

#include <octavo/errors.hpp>
#include <octavo/writer.hpp>

#include "dataset_file/rebuild/foreign_file.hpp"
#include "format/index/columns.hpp"
#include "format/index/index.hpp"
#include "format/limits.hpp"
#include "format/statistics/codes.hpp"
#include "hdf5/child_process.hpp"
#include "support/file.hpp"
#include "support/hash.hpp"
#include "support/json_fields.hpp"
#include "support/text/short_text.hpp"

namespace octavo {
namespace {

using hdf5::ChildProcess;

constexpr std::size_t kMostDescriptionBytes = std::size_t{128} << 20;

/// The child's description of a file. The child has read an untrusted file, so everything is validated.
struct Description {
  struct Split {
    SplitLayout layout;
    Compression compression = Compression::none;
    bool has_checksums = false;
    std::int64_t column_bytes = 0;  ///< 0: no columns
  };
  std::vector<Split> splits;
  std::vector<std::string> class_names;
  std::string uuid;
  std::vector<std::string> left_out;
  Json provenance = Json::object();
};

Description::Split split_from(const JsonFields& fields) {
  Description::Split split;
  SplitLayout& layout = split.layout;
  layout.name = fields.text("name");
  layout.row_capacity = fields.integer("samples");
  const auto shape = fields.integers("shape");
  if (shape.size() != 3) fields.fail("shape", "does not have three axes");
  layout.shape = {shape[0], shape[1], shape[2]};
  layout.labels = {dataset_file::label_kind_of(fields.text("label_kind")).value_or(LabelKind::none),
                   fields.integer("label_width")};
  layout.color = dataset_file::color_of(fields.text("color")).value_or(Color::other);
  layout.source_dtype = fields.text("source_dtype");
  const auto scale = fields.numbers("scale");
  const auto zero_point = fields.numbers("zero_point");
  if (scale.size() != zero_point.size()) fields.fail("scale", "and zero_point differ in length");
  for (std::size_t i = 0; i < scale.size(); ++i) layout.quantization.push_back({scale[i], zero_point[i]});
  layout.with_names = fields.boolean("has_names");
  layout.has_masks = fields.boolean("has_masks");
  const std::string compression = fields.text("compression");
  for (const CompressionInfo& info : kCompressions) {
    if (compression == info.name) split.compression = info.compression;
  }
  const std::int64_t max_error = fields.integer("max_error");
  if (max_error < 0 || max_error > kMostMaxError) fields.fail("max_error", "is unknown; update Octavo");
  layout.max_error = static_cast<int>(max_error);
  split.has_checksums = fields.boolean("has_checksums");
  split.column_bytes = fields.integer("column_bytes");
  if (split.column_bytes > dataset_file::kMostColumnBytes) fields.fail("column_bytes", "is too large");
  return split;
}

Description description_from(const std::string& text) {
  const Json json = parse_strict_json(text);
  const JsonFields fields(json, "invalid HDF5 contents: file");
  Description description;
  for (const Json& split : fields.array("splits")) {
    description.splits.push_back(split_from(JsonFields(split, "invalid HDF5 contents: split")));
  }
  if (description.splits.empty()) throw FormatError("it has no split with images");
  description.class_names = fields.texts("class_names");
  description.uuid = fields.text("uuid");
  description.left_out = fields.texts("left_out");
  return description;
}

/// Compressed files stay so, unless another program deflated samples that are too large for a chunk.
Compression compression_of(const std::vector<Description::Split>& splits) {
  const auto has = [&](Compression wanted) {
    return std::ranges::any_of(splits, [&](const Description::Split& split) { return split.compression == wanted; });
  };
  for (const CompressionInfo& info : kCompressions) {
    if (info.stays_compressed && has(info.compression)) return info.compression;
  }
  const auto fits_chunk = [](const Description::Split& split) {
    return split.layout.shape.values() <= dataset_file::kMostChunkBytes;
  };
  return has(Compression::deflate) && std::ranges::all_of(splits, fits_chunk) ? Compression::deflate
                                                                              : Compression::none;
}

/// The old provenance, if it is still valid.
Json provenance_from(const std::string& text) {
  try {
    Json json = parse_strict_json(text);
    if (json.is_object()) return json;
  } catch (const FormatError&) {
    // A damaged provenance does not affect the samples.
  }
  return Json::object();
}

/// Receives the child's messages, in the order given in foreign_file.hpp, and writes them as a new file.
class Takeover {
 public:
  Takeover(ChildProcess& child, const ReindexOptions& options) : child_(child), options_(options) {}

  ReindexSummary run(const std::filesystem::path& new_path);

 private:
  std::string receive(char kind, std::size_t most_bytes);
  std::string receive_exactly(char kind, std::size_t byte_count);
  void take_split(Writer& writer, std::size_t number, const Description::Split& split);
  void check_block(const Description::Split& split, std::int64_t first, std::int64_t count, const std::string& codes,
                   const std::string& labels, const std::string& masks);
  void take_columns(Writer& writer, std::size_t number, const Description::Split& split);
  std::vector<std::string> take_names(std::int64_t count);

  ChildProcess& child_;
  const ReindexOptions& options_;
  ReindexSummary summary_;
};

std::string Takeover::receive(char kind, std::size_t most_bytes) {
  // Leave room for a failure message of one line.
  auto message = child_.receive(std::max<std::size_t>(most_bytes, 4096));
  if (!message) throw FormatError("the HDF5 library stopped half-way on this file (in a child process)");
  if (message->kind == ChildProcess::kFailure) throw FormatError(message->bytes);
  if (message->kind != kind) throw FormatError("the HDF5 library returned invalid data for this file");
  return std::move(message->bytes);
}

std::string Takeover::receive_exactly(char kind, std::size_t byte_count) {
  std::string bytes = receive(kind, byte_count);
  if (bytes.size() != byte_count)
    throw FormatError("the HDF5 library returned a different number of bytes than announced");
  return bytes;
}

ReindexSummary Takeover::run(const std::filesystem::path& new_path) {
  Description description = description_from(receive(dataset_file::kDescription, kMostDescriptionBytes));
  description.provenance = provenance_from(receive(dataset_file::kDescription, kMostDescriptionBytes));
  summary_.left_out = description.left_out;
  WriterOptions writer_options;
  for (const Description::Split& split : description.splits) {
    writer_options.splits.push_back(split.layout);
    // Changed values need not be multiples of the step.
    if (options_.accept_changes) writer_options.splits.back().max_error = 0;
  }
  writer_options.compression = compression_of(description.splits);
  writer_options.class_names = description.class_names;
  writer_options.replace_existing = options_.replace_existing;
  Writer writer(new_path, writer_options);
  for (std::size_t number = 0; number < description.splits.size(); ++number) {
    take_split(writer, number, description.splits[number]);
  }
  if (child_.receive(0)) throw FormatError("the HDF5 library returned more than announced");
  description.provenance["reindexed"] = {{"from_uuid", description.uuid},
                                         {"changed_samples", summary_.changed_samples}};
  // Changed samples match no source: keep the digests from packing, and compute no new ones.
  if (summary_.changed_samples > 0 && !description.provenance.contains("source_digests")) {
    description.provenance["source_digests"] = Json::object();
  }
  writer.finish(description.provenance.dump());
  return summary_;
}

void Takeover::take_split(Writer& writer, std::size_t number, const Description::Split& split) {
  const SplitLayout& layout = split.layout;
  const std::int64_t row_bytes = layout.shape.values();
  const std::int64_t label_bytes = layout.labels.bytes_per_sample();
  const std::int64_t block = dataset_file::rows_per_block(row_bytes + label_bytes);
  const std::string stage = "reindexing " + layout.name;
  if (split.column_bytes > 0) take_columns(writer, number, split);
  for (std::int64_t first = 0; first < layout.row_capacity; first += block) {
    const std::int64_t count = std::min(block, layout.row_capacity - first);
    std::string codes = receive_exactly(dataset_file::kCodes, static_cast<std::size_t>(count * row_bytes));
    std::string labels;
    if (label_bytes > 0) labels = receive_exactly(dataset_file::kLabels, static_cast<std::size_t>(count * label_bytes));
    std::string masks;
    if (layout.has_masks) {
      masks =
          receive_exactly(dataset_file::kMasks, static_cast<std::size_t>(count * layout.shape.values_per_channel()));
    }
    check_block(split, first, count, codes, labels, masks);
    const auto names = layout.with_names ? take_names(count) : std::vector<std::string>{};
    const std::span values(reinterpret_cast<std::uint8_t*>(codes.data()), codes.size());
    statistics::flip_top_bits(values);
    try {
      writer.write(number, first, values, std::as_bytes(std::span(labels)), names,
                   {reinterpret_cast<const std::uint8_t*>(masks.data()), masks.size()});
    } catch (const InvalidArgument& problem) {
      throw FormatError(problem.what());  // a label was changed to an invalid one
    }
    summary_.sample_count += count;
    if (options_.on_progress) {
      options_.on_progress(
          {stage, first + count, layout.row_capacity, (first + count) * row_bytes, layout.row_capacity * row_bytes});
    }
  }
}

void Takeover::check_block(const Description::Split& split, std::int64_t first, std::int64_t count,
                           const std::string& codes, const std::string& labels, const std::string& masks) {
  const auto row_bytes = static_cast<std::size_t>(split.layout.shape.values());
  const auto label_bytes = static_cast<std::size_t>(split.layout.labels.bytes_per_sample());
  std::string stored;
  if (split.has_checksums) stored = receive_exactly(dataset_file::kChecksums, static_cast<std::size_t>(count) * 8);
  StreamingHash hash;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto code = std::as_bytes(std::span(codes)).subspan(i * row_bytes, row_bytes);
    const auto label = std::as_bytes(std::span(labels)).subspan(i * label_bytes, label_bytes);
    const std::size_t mask_bytes = masks.size() / static_cast<std::size_t>(count);
    const auto mask = std::as_bytes(std::span(masks)).subspan(i * mask_bytes, mask_bytes);
    const std::uint64_t checksum = sample_checksum(hash, code, label, mask);
    if (split.has_checksums && std::memcmp(stored.data() + i * 8, &checksum, 8) == 0) continue;
    ++summary_.changed_samples;
    if (options_.accept_changes) continue;
    throw FormatError("/" + split.layout.name + "/images sample " +
                      std::to_string(first + static_cast<std::int64_t>(i)) +
                      " does not match its checksum: its pixels or its label were changed or damaged; accept the "
                      "changes with `accept_changes`, or get the file again");
  }
}

void Takeover::take_columns(Writer& writer, std::size_t number, const Description::Split& split) {
  std::string text = receive_exactly(dataset_file::kColumns, static_cast<std::size_t>(split.column_bytes));
  try {
    static_cast<void>(dataset_file::parse_columns(text, split.layout.row_capacity));
  } catch (const FormatError& problem) {
    throw FormatError("/" + split.layout.name + "/columns: " + problem.what());
  }
  writer.set_columns(number, std::move(text));
}

std::vector<std::string> Takeover::take_names(std::int64_t count) {
  const std::string text = receive(dataset_file::kNames, static_cast<std::size_t>(count) * (kMostNameBytes + 1));
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size() && static_cast<std::int64_t>(names.size()) < count;) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  names.resize(static_cast<std::size_t>(count));
  return names;
}

hdf5::ChildLimits limits_for(std::int64_t file_bytes) {
  constexpr std::int64_t kSlowestBytesPerSecond = 5'000'000;
  hdf5::ChildLimits limits;
  limits.memory_bytes +=
      4 * std::min(file_bytes, dataset_file::kMostSampleBytes);  // a sample as read, aligned, decoded and sent
  limits.cpu_seconds += file_bytes / kSlowestBytesPerSecond;
  return limits;
}

/// The source file must stay unchanged: data that is not copied exists nowhere else.
void check_is_another_file(const std::filesystem::path& path, const std::filesystem::path& new_path) {
  std::error_code ignored;
  if (!std::filesystem::equivalent(path, new_path, ignored)) return;
  throw InvalidArgument("reindex " + quoted(path) + ": the output " + quoted(new_path) +
                        " is the same file; choose another name");
}

}  // namespace

ReindexSummary reindex(const std::filesystem::path& path, const std::filesystem::path& new_path,
                       const ReindexOptions& options) {
  const std::int64_t file_bytes = File::open_for_reading(path).length();
  check_is_another_file(path, new_path);
  ChildProcess child([&](const hdf5::ChildOutput& output) { dataset_file::send_foreign_file(path, output); },
                     limits_for(file_bytes));
  try {
    return Takeover(child, options).run(new_path);
  } catch (const FormatError& problem) {
    throw FormatError("reindex " + quoted(path) + ": " + problem.what());
  }
}

}  // namespace octavo
