#include "format/reader.hpp"
#include "format/index/columns.hpp"

#include <array>
#include <cstring>

#include <octavo/errors.hpp>

#include "format/hashed_read.hpp"
#include "format/index/metadata_hash.hpp"
#include "format/limits.hpp"
#include "support/file.hpp"
#include "support/hash.hpp"
#include "support/strict_json.hpp"
#include "support/text/short_text.hpp"

namespace octavo::dataset_file {
namespace {

template <typename Value>
std::vector<Value> values_of(const std::vector<std::byte>& bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Value));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace

Reader::Reader(std::shared_ptr<const ByteSource> source, Header header, Index index)
    : source_(std::move(source)),
      path_(source_->name()),
      identity_(source_->identity()),
      header_(header),
      index_(std::move(index)),
      chunks_(*source_) {}

std::shared_ptr<const Reader> Reader::open(const std::string& location) { return open(open_dataset_file(location)); }

std::shared_ptr<const Reader> Reader::open(std::shared_ptr<const ByteSource> source) {
  try {
    const Header header = read_header(*source);
    Index index = read_index(*source, header);
    check_metadata(*source, header, index);
    return std::make_shared<const Reader>(std::move(source), header, std::move(index));
  } catch (const FormatError& problem) {
    throw FormatError("open " + quoted(source->name()) + ": " + problem.what());
  }
}

const SplitEntry* Reader::find_split(std::string_view name) const {
  for (const SplitEntry& split : index_.splits) {
    if (split.name == name) return &split;
  }
  return nullptr;
}

void Reader::fail(const std::string& where, const std::string& problem) const {
  throw FormatError("read " + quoted(path_) + ": " + where + " " + problem +
                    "; run `octavo verify` to find all damage, or get the file again");
}

std::vector<std::byte> Reader::read_small(const Extent& extent, const std::string& path) const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(extent.bytes));
  source_->read_at(extent.offset, bytes);
  if (hash_bytes(bytes) != extent.hash) fail(path, "is damaged (its hash does not match)");
  return bytes;
}

Statistics Reader::statistics(const SplitEntry& split) const {
  Statistics statistics;
  statistics.quantization = split.quantization;
  statistics.mean = split.mean;
  statistics.standard_deviation = split.standard_deviation;
  statistics.histogram = values_of<std::int64_t>(read_small(split.histogram, dataset_path(split, "histogram")));
  statistics.mean_image = values_of<float>(read_small(split.mean_image, dataset_path(split, "mean_image")));
  return statistics;
}

std::string Reader::provenance() const {
  const auto bytes = read_small(index_.provenance, "/provenance");
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  try {
    static_cast<void>(parse_strict_json(text));  // callers may rely on valid JSON of bounded depth
  } catch (const FormatError& problem) {
    fail("/provenance", problem.what());
  }
  return text;
}

void Reader::ensure_names(const SplitEntry& split) const {
  const std::lock_guard lock(names_mutex_);
  if (splits_with_checked_names_.contains(split.name)) return;
  if (!matches_hash(*source_, *split.name_offsets)) fail(dataset_path(split, "name_offsets"), "is damaged");
  if (!matches_hash(*source_, *split.names)) fail(dataset_path(split, "names"), "is damaged");
  splits_with_checked_names_.insert(split.name);
}

std::string Reader::sample_name(const SplitEntry& split, std::int64_t row) const {
  ensure_names(split);
  std::uint64_t bounds[2];
  source_->read_at(split.name_offsets->offset + 8 * row, std::as_writable_bytes(std::span(bounds)));
  const auto total = static_cast<std::uint64_t>(split.names->bytes);
  const bool possible = bounds[0] < bounds[1] && bounds[1] <= total && bounds[1] - bounds[0] <= kMostNameBytes + 1;
  if (!possible) fail(dataset_path(split, "name_offsets"), "points outside the names at sample " + std::to_string(row));
  std::string name(bounds[1] - bounds[0] - 1, '\0');
  source_->read_at(split.names->offset + static_cast<std::int64_t>(bounds[0]), std::as_writable_bytes(std::span(name)));
  return name;
}

Json Reader::columns(const SplitEntry& split) const {
  const std::string path = dataset_path(split, "columns");
  const auto bytes = read_small(*split.columns_dataset, path);
  try {
    Json columns = parse_columns({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, split.sample_count);
    if (column_names(columns) != split.columns) throw FormatError("the index names other columns");
    return columns;
  } catch (const FormatError& problem) {
    fail(path, std::string("is invalid: ") + problem.what());
  }
}

void Reader::read_rows(const SplitEntry& split, std::int64_t first_row, std::int64_t count,
                       std::span<std::byte> rows) const {
  check_rows(split.name, split.sample_count, first_row, count);
  check_row_memory(split.name, count, rows.size(), split.rows.bytes(first_row, count));
  if (split.chunked) return chunks_.read_rows(split, first_row, count, rows);
  source_->read_at(split.images.offset + split.rows[first_row], rows);
}

void Reader::read_labels(const SplitEntry& split, std::int64_t first_row, std::int64_t count,
                         std::span<std::byte> labels) const {
  const std::int64_t row_bytes = split.label_layout.bytes_per_sample();
  check_rows(split.name, split.sample_count, first_row, count);
  check_row_memory(split.name, count, labels.size(), count * row_bytes);
  if (!labels.empty()) source_->read_at(split.labels->offset + first_row * row_bytes, labels);
}

void Reader::read_masks(const SplitEntry& split, std::int64_t first_row, std::int64_t count,
                        std::span<std::byte> masks) const {
  check_rows(split.name, split.sample_count, first_row, count);
  check_row_memory(split.name, count, masks.size(), split.mask_rows.bytes(first_row, count));
  if (!masks.empty()) source_->read_at(split.masks->offset + split.mask_rows[first_row], masks);
}

void Reader::read_checksums(const SplitEntry& split, std::int64_t first_row, std::int64_t count,
                            std::span<std::uint64_t> checksums) const {
  const auto bytes = std::as_writable_bytes(checksums);
  check_rows(split.name, split.sample_count, first_row, count);
  check_row_memory(split.name, count, bytes.size(), count * 8);
  source_->read_at(split.checksums.offset + first_row * 8, bytes);
}

std::vector<std::uint64_t> Reader::row_checksums(const SplitEntry& split, std::int64_t first_row,
                                                 std::int64_t count) const {
  std::vector<std::uint64_t> checksums(static_cast<std::size_t>(count));
  read_checksums(split, first_row, count, checksums);
  return checksums;
}

void Reader::check_samples(const SplitEntry& split, std::int64_t first_row, std::int64_t count,
                           std::span<const std::byte> rows, std::span<const std::byte> labels,
                           std::span<const std::byte> masks) const {
  const auto checksums = row_checksums(split, first_row, count);
  const auto label_bytes = static_cast<std::size_t>(split.label_layout.bytes_per_sample());
  StreamingHash hash;
  const auto row_of = [&](std::span<const std::byte> bytes, const RowOffsets& offsets, std::int64_t number) {
    return bytes.subspan(static_cast<std::size_t>(offsets.bytes(first_row, number - first_row)),
                         static_cast<std::size_t>(offsets.bytes(number)));
  };
  for (std::size_t i = 0; i < checksums.size(); ++i) {
    const std::int64_t number = first_row + static_cast<std::int64_t>(i);
    const auto row = row_of(rows, split.rows, number), mask = row_of(masks, split.mask_rows, number);
    const auto label = labels.subspan(i * label_bytes, label_bytes);
    if (sample_checksum(hash, row, label, mask) == checksums[i]) continue;
    fail_sample(split, number);
  }
}

void Reader::fail_sample(const SplitEntry& split, std::int64_t row) const {
  fail(dataset_path(split, "images"), "sample " + std::to_string(row) + " is damaged (its checksum does not match)");
}

void Reader::ensure_unchanged() const {
  std::array<std::byte, kHeaderBytes> header;
  if (source_->identity() == identity_ && source_->length() == header_.file_length) {
    source_->read_at(0, header);
    if (header == encode_header(header_)) return;
  }
  throw IoError("read " + quoted(path_) + ": the file was changed while it was read; open it again");
}

void check_rows(const std::string& split, std::int64_t sample_count, std::int64_t first_row, std::int64_t count) {
  if (first_row >= 0 && count >= 0 && first_row <= sample_count && count <= sample_count - first_row) return;
  throw InvalidArgument("read split " + split + ": " + std::to_string(count) + " rows from row " +
                        std::to_string(first_row) + ", but it has " + std::to_string(sample_count));
}

void check_row_memory(const std::string& split, std::int64_t count, std::size_t given_bytes,
                      std::int64_t wanted_bytes) {
  if (given_bytes == static_cast<std::size_t>(wanted_bytes)) return;
  throw InvalidArgument("read split " + split + ": got a buffer of " + std::to_string(given_bytes) + " bytes for " +
                        std::to_string(count) + " rows of " + std::to_string(wanted_bytes) + " bytes together");
}

}  // namespace octavo::dataset_file
