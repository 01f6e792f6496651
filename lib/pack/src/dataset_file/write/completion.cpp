#include "dataset_file/write/completion.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include <octavo/errors.hpp>
#include <octavo/version.hpp>

#include "format/chunks/chunk_table.hpp"
#include "format/hashed_read.hpp"
#include "format/index/columns.hpp"
#include "format/index/metadata_hash.hpp"
#include "format/limits.hpp"
#include "support/hash.hpp"

namespace octavo::dataset_file {
namespace {

template <typename Value>
std::span<const std::byte> bytes_of(const std::vector<Value>& values) {
  return std::as_bytes(std::span(values));
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// Writes consecutive pieces and hashes them along the way.
class SequentialExtent {
 public:
  SequentialExtent(const File& file, std::int64_t offset, std::int64_t bytes)
      : file_(file), extent_{offset, bytes, {}} {}
  void append(std::span<const std::byte> bytes) {
    file_.write_at(extent_.offset + done_, bytes);
    hash_.add(bytes);
    done_ += static_cast<std::int64_t>(bytes.size());
  }
  Extent finished() {
    extent_.hash = hash_.value();
    return extent_;
  }

 private:
  const File& file_;
  Extent extent_;
  std::int64_t done_ = 0;
  StreamingHash hash_;
};

Extent with_hash(const File& file, Extent extent) {
  StreamingHash hash;
  add_to_hash(hash, file, extent);
  extent.hash = hash.value();
  return extent;
}

}  // namespace

Extent PayloadPlacing::place_dataset(const std::string& path, StoredType element, const std::vector<std::int64_t>& axes,
                                     std::int64_t bytes) const {
  const Extent extent{skeleton_.add_dataset(path, element, axes), bytes, {}};
  file_.reserve(extent.offset, extent.bytes);
  return extent;
}

PayloadPlace PayloadPlacing::place(const SplitLayout& layout, std::size_t split_number,
                                   std::int64_t sample_count) const {
  const std::string group = "/" + layout.name;
  const SampleShape& shape = layout.shape;
  const std::vector<std::int64_t> image_axes = {sample_count, shape.channels, shape.height, shape.width};
  skeleton_.add_group(group);
  PayloadPlace place;
  if (codec_.make_row_encoder != nullptr) {
    place.rows =
        std::make_unique<RowAssembly>(codec_, codec_.tables_for(shape), shape, layout.max_error, sample_count, *spool_);
    place.decoded_checksums =
        place_dataset(group + "/decoded_checksums", StoredType::uint64, {sample_count}, sample_count * 8);
  } else if (chunk_writer_ == nullptr) {
    place.images = place_dataset(group + "/images", StoredType::int8, image_axes, sample_count * shape.values());
  } else {
    const ChunkLayout chunks = chunk_layout_for(sample_count, shape.values());
    const std::size_t number = chunk_writer_->add(
        skeleton_.add_chunked_dataset(group + "/images", image_axes, chunks.samples_per_chunk, codec_, level_), chunks);
    place.chunks =
        std::make_unique<ChunkAssembly>(chunks, codec_, level_, *chunk_writer_, number, *spool_, split_number);
  }
  if (layout.labels.kind != LabelKind::none) {
    const StoredType element = layout.labels.kind == LabelKind::target ? StoredType::float32 : StoredType::int32;
    std::vector<std::int64_t> axes = {sample_count};
    if (layout.labels.kind != LabelKind::class_index) axes.push_back(layout.labels.width);
    place.labels = place_dataset(group + "/labels", element, axes, sample_count * layout.labels.bytes_per_sample());
  }
  if (layout.has_masks && place.rows) {
    const SampleShape mask = {1, shape.height, shape.width};
    place.mask_rows = std::make_unique<RowAssembly>(codec_, codec_.tables_for(mask), mask, 0, sample_count, *spool_);
  } else if (layout.has_masks) {
    place.masks = place_dataset(group + "/masks", StoredType::uint8, {sample_count, 1, shape.height, shape.width},
                                sample_count * shape.values_per_channel());
  }
  place.checksums = place_dataset(group + "/checksums", StoredType::uint64, {sample_count}, sample_count * 8);
  return place;
}

Extent Completion::add_small(const std::string& path, StoredType element, const std::vector<std::int64_t>& axes,
                             std::span<const std::byte> bytes, std::int64_t text_bytes) {
  const std::int64_t offset = skeleton_.add_dataset(path, element, axes, text_bytes);
  file_.write_at(offset, bytes);
  return {offset, static_cast<std::int64_t>(bytes.size()), hash_bytes(bytes)};
}

void Completion::add_split(SplitWriter& split, const Spool* spool) {
  SplitEntry entry = split.entry();
  const PayloadPlace& place = split.place();
  const SampleShape& shape = entry.shape;
  const Statistics statistics = split.statistics();
  entry.mean = statistics.mean;
  entry.standard_deviation = statistics.standard_deviation;
  entry.images = place.images;
  if (place.labels.bytes > 0) entry.labels = place.labels;
  if (place.masks.bytes > 0) entry.masks = place.masks;
  entry.checksums = with_hash(file_, place.checksums);
  entry.histogram = add_small(dataset_path(entry, "histogram"), StoredType::int64, {shape.channels, 256},
                              bytes_of(statistics.histogram));
  entry.mean_image = add_small(dataset_path(entry, "mean_image"), StoredType::float32,
                               {shape.channels, shape.height, shape.width}, bytes_of(statistics.mean_image));
  if (entry.chunked) add_chunk_table(entry);
  if (place.rows) add_coded_rows(entry, place);
  if (split.layout().with_names) add_names(entry, split, *spool);
  if (!split.columns().empty()) add_columns(entry, split.columns());
  add_split_attributes(entry);
  if (entry.masks) index_.version = std::max<std::int64_t>(index_.version, 2);
  if (entry.columns_dataset) index_.version = std::max<std::int64_t>(index_.version, 3);
  if (entry.max_error != 0) index_.version = 4;
  index_.splits.push_back(std::move(entry));
}

void Completion::add_split_attributes(const SplitEntry& entry) {
  const std::string group = "/" + entry.name;
  std::vector<double> scale;
  std::vector<double> zero_point;
  for (const ChannelQuantization& one : entry.quantization) {
    scale.push_back(one.scale);
    zero_point.push_back(one.zero_point);
  }
  skeleton_.add_attribute(group, "mean", entry.mean);
  skeleton_.add_attribute(group, "std", entry.standard_deviation);
  skeleton_.add_attribute(group, "scale", scale);
  skeleton_.add_attribute(group, "zero_point", zero_point);
  skeleton_.add_attribute(group, "source_dtype", entry.source_dtype);
  skeleton_.add_attribute(group, "color", to_text(entry.color));
  skeleton_.add_attribute(group, "layout", "NCHW");
  if (entry.mask_row_bytes) skeleton_.add_attribute(group + "/masks", "encoding", index_.codec->name_in_index);
  if (entry.row_bytes) {
    skeleton_.add_attribute(group + "/images", "encoding", index_.codec->name_in_index);
    if (entry.max_error != 0) {
      skeleton_.add_attribute(group + "/images", "max_error", static_cast<std::int32_t>(entry.max_error));
    }
    return;
  }
  const auto& first = entry.quantization.front();
  if (std::count(entry.quantization.begin(), entry.quantization.end(), first) != entry.shape.channels) return;
  // The NetCDF convention, which xarray decodes by default: source = scale_factor * code + add_offset.
  skeleton_.add_attribute(group + "/images", "scale_factor", first.scale);
  skeleton_.add_attribute(group + "/images", "add_offset", 128.0 * first.scale + first.zero_point);
}

void Completion::add_chunk_table(SplitEntry& entry) {
  const std::vector<std::uint64_t> table = encode_chunk_table(entry.chunked->chunks);
  entry.chunked->table = add_small(dataset_path(entry, "chunks"), StoredType::uint64,
                                   {entry.chunk_layout().chunk_count(), kChunkEntryWords}, bytes_of(table));
}

void Completion::add_coded_rows(SplitEntry& entry, const PayloadPlace& place) {
  const auto add = [&](const RowAssembly& rows, const std::string& name, const std::string& prefix) {
    const std::int64_t bytes = rows.total_bytes();
    const Extent extent = {skeleton_.add_dataset(dataset_path(entry, name), StoredType::uint8, {bytes}), bytes, {}};
    file_.reserve(extent.offset, bytes);
    rows.write(file_, extent.offset, thread_count_);
    const Extent sizes = add_small(dataset_path(entry, prefix + "row_bytes"), StoredType::uint32, {entry.sample_count},
                                   bytes_of(rows.sizes()));
    std::optional<Extent> tables;
    if (rows.tables()) {
      const std::vector<std::byte>& stored = rows.tables()->stored;
      tables = add_small(dataset_path(entry, prefix + "row_tables"), StoredType::uint8, {std::ssize(stored)}, stored);
    }
    return std::tuple(extent, sizes, tables);
  };
  std::tie(entry.images, entry.row_bytes, entry.row_tables) = add(*place.rows, "images", "");
  if (place.mask_rows) {
    std::tie(entry.masks, entry.mask_row_bytes, entry.mask_row_tables) = add(*place.mask_rows, "masks", "mask_");
  }
  entry.decoded_checksums = with_hash(file_, place.decoded_checksums);
}

void Completion::add_columns(SplitEntry& entry, const std::string& columns) {
  try {
    entry.columns = column_names(parse_columns(columns, entry.sample_count));
  } catch (const FormatError& problem) {
    throw InvalidArgument("write split " + entry.name + ": " + problem.what());
  }
  const auto bytes = static_cast<std::int64_t>(columns.size());
  if (bytes > kMostColumnBytes) {
    throw InvalidArgument("write split " + entry.name + ": " + std::to_string(bytes) +
                          " bytes of columns, at most 1 GiB can be stored; keep fewer with `columns`");
  }
  entry.columns_dataset = add_small(dataset_path(entry, "columns"), StoredType::uint8, {bytes}, bytes_of(columns));
}

void Completion::add_names(SplitEntry& entry, const SplitWriter& split, const Spool& spool) {
  constexpr std::int64_t kRowsAtOnce = 4096;
  const std::int64_t names_bytes = split.names_bytes();
  const std::int64_t offsets_bytes = (entry.sample_count + 1) * 8;
  const auto names_path = dataset_path(entry, "names");
  const auto offsets_path = dataset_path(entry, "name_offsets");
  SequentialExtent names(file_, skeleton_.add_dataset(names_path, StoredType::uint8, {names_bytes}), names_bytes);
  SequentialExtent offsets(file_, skeleton_.add_dataset(offsets_path, StoredType::uint64, {entry.sample_count + 1}),
                           offsets_bytes);
  std::uint64_t end = 0;
  offsets.append(std::as_bytes(std::span(&end, 1)));
  split.for_each_run(kRowsAtOnce, [&](std::int64_t first_row, std::int64_t end_row) {
    std::string text;
    std::vector<std::uint64_t> ends;
    for (const std::string& name : spool.read_names(split.number(), first_row, end_row - first_row)) {
      text.append(name).push_back('\0');
      ends.push_back(end + text.size());
    }
    end += text.size();
    names.append(bytes_of(text));
    offsets.append(bytes_of(ends));
  });
  entry.names = names.finished();
  entry.name_offsets = offsets.finished();
}

void Completion::add_class_names(const std::vector<std::string>& class_names) {
  if (class_names.empty()) return;
  const std::string table = class_name_table(class_names);
  index_.class_names = class_names;
  index_.classes = add_small("/classes", StoredType::text, {static_cast<std::int64_t>(class_names.size())},
                             bytes_of(table), class_name_bytes(class_names));
}

void Completion::add_provenance(const std::string& json) {
  index_.provenance =
      add_small("/provenance", StoredType::uint8, {static_cast<std::int64_t>(json.size())}, bytes_of(json));
}

void Completion::add_identity(const std::string& uuid, const std::string& created, const std::string& writer) {
  index_.uuid = uuid;
  index_.created = created;
  index_.writer = writer;
  skeleton_.add_attribute("/", "format", "octavo");
  skeleton_.add_attribute("/", "format_version", static_cast<std::int32_t>(index_.version));
  skeleton_.add_attribute("/", "uuid", uuid);
  skeleton_.add_attribute("/", "created", created);
  skeleton_.add_attribute("/", "writer", writer);
}

void Completion::finish() {
  const std::string json = encode_index(index_);
  if (static_cast<std::int64_t>(json.size()) > kMostIndexBytes) {
    throw InvalidArgument("write " + quoted(file_.path()) + ": an index of " + std::to_string(json.size()) +
                          " bytes is too large; use fewer classes or splits");
  }
  const Extent place = add_small("/index", StoredType::uint8, {static_cast<std::int64_t>(json.size())}, bytes_of(json));
  skeleton_.close();
  Header header{index_.version, file_.length(), place.offset, place.bytes, *place.hash, 0};
  check_index(index_, header);
  header.metadata_hash = metadata_hash(file_, header, index_);
  file_.write_at(0, encode_header(header));
}

}  // namespace octavo::dataset_file
