#include "dataset_file/shards/sharded_dataset.hpp"

#include <algorithm>
#include <utility>

#include <octavo/errors.hpp>

#include "dataset_file/file_dataset.hpp"
#include "dataset_file/rows/guarded_pieces.hpp"
#include "dataset_file/shards/decoded_split.hpp"
#include "format/codec.hpp"
#include "format/limits.hpp"
#include "format/statistics/sample_counter.hpp"
#include "support/file.hpp"
#include "support/hash.hpp"
#include "support/open_files.hpp"
#include "support/strict_json.hpp"

namespace octavo::dataset_file {
namespace {

/// Shards that are opened at a time over a network; each takes a few requests.
constexpr int kMostOpening = 16;

/// What differs between two splits that should be parts of one; empty if nothing does.
std::string difference(const SplitDescription& first, const SplitDescription& other) {
  if (other.shape != first.shape) return "shape " + to_string(other.shape) + ", not " + to_string(first.shape);
  if (other.labels != first.labels) return "other labels";
  if (other.has_masks != first.has_masks) return other.has_masks ? "masks" : "no masks";
  if (other.color != first.color) return "color " + std::string(to_text(other.color));
  if (other.quantization != first.quantization) return "values of another scale";
  if (other.class_names != first.class_names) return "other classes";
  if (other.columns != first.columns) return "other columns";
  return "";
}

/// Whether kernels can read the rows of both from one memory.
bool have_one_coding(const SplitDescription& first, const SplitDescription& other) {
  const auto coding = [](const SplitDescription& split) { return codec_of(split.compression).row_coding; };
  const auto stored = [](const RowOffsets& rows) {
    return rows.tables() ? rows.tables()->stored : std::vector<std::byte>();
  };
  return coding(first) == coding(other) && first.rows.value_step() == other.rows.value_step() &&
         stored(first.rows) == stored(other.rows) && stored(first.mask_rows) == stored(other.mask_rows);
}

/// The rows of all parts, one after the other.
RowOffsets joined(std::span<const ShardPart> parts, const RowOffsets SplitDescription::*rows) {
  const RowOffsets& first = parts.front().data->description().*rows;
  std::int64_t count = 0;
  std::vector<std::uint32_t> sizes;
  for (const ShardPart& part : parts) {
    const RowOffsets& of_part = part.data->description().*rows;
    count += of_part.row_count();
    for (std::int64_t row = 0; row < of_part.row_count() && !of_part.have_one_size(); ++row) {
      sizes.push_back(static_cast<std::uint32_t>(of_part.bytes(row)));
    }
  }
  if (first.have_one_size()) return {count, first.bytes(0)};
  return RowOffsets::of_sizes(sizes, first.tables(), first.value_step());
}

/// Whether counts, which are untrusted and not negative, have this sum.
bool have_sum(std::span<const std::int64_t> counts, std::int64_t sum) {
  for (const std::int64_t count : counts) {
    if (count > sum) return false;
    sum -= count;
  }
  return sum == 0;
}

/// Whether each channel's counts are those of `sample_count` samples, and its sums those of the counts.
bool channels_agree(const ManifestSplit& totals, const SampleShape& shape, std::int64_t sample_count) {
  const auto values = static_cast<std::size_t>(shape.values_per_channel());
  for (std::size_t c = 0; c < static_cast<std::size_t>(shape.channels); ++c) {
    const auto counts = std::span(totals.histogram).subspan(256 * c, 256);
    if (!have_sum(counts, sample_count * shape.values_per_channel())) return false;
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < 256; ++k) sum += static_cast<std::int64_t>(k) * counts[k];
    if (!have_sum(std::span(totals.value_sums).subspan(values * c, values), sum)) return false;
  }
  return true;
}

/// The bytes of samples [first, first + count) of `all`, which begins with sample `begin`.
template <typename Byte>
std::span<Byte> piece(std::span<Byte> all, const RowOffsets& rows, std::int64_t begin, std::int64_t first,
                      std::int64_t count) {
  if (all.empty()) return all;
  return all.subspan(static_cast<std::size_t>(rows.bytes(begin, first - begin)),
                     static_cast<std::size_t>(rows.bytes(first, count)));
}

}  // namespace

ShardedSplit::ShardedSplit(const ManifestSplit& totals, std::vector<std::shared_ptr<const SplitData>> parts,
                           const std::vector<std::filesystem::path>& paths)
    : histogram_(totals.histogram), value_sums_(totals.value_sums), description_(parts.front()->description()) {
  const auto refuse = [&](std::size_t shard, const std::string& problem) {
    throw FormatError("open dataset: split " + totals.name + " of shard " + quoted(paths[shard]) + " " + problem);
  };
  bool are_alike = true, have_one_compression = true;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const SplitDescription& part = parts[i]->description();
    const std::string problem = difference(description_, part);
    if (!problem.empty()) refuse(i, "has " + problem + ", unlike that of " + quoted(paths.front()));
    are_alike &= have_one_coding(description_, part);
    have_one_compression &= part.compression == description_.compression;
    // Of different steps, values are multiples of none.
    if (part.max_error != parts.front()->description().max_error) description_.max_error = 0;
  }
  description_.stored_bytes = 0;
  std::int64_t first_row = 0;
  for (auto& part : parts) {
    description_.stored_bytes += part->description().stored_bytes;
    const bool is_coded = codec_of(part->description().compression).row_coding != kernels::RowCoding::plain;
    if (!are_alike && is_coded) part = std::make_shared<const DecodedSplit>(part);
    parts_.push_back({part, first_row});
    first_row += part->description().sample_count;
  }
  description_.sample_count = first_row;
  description_.packed_bytes = first_row * description_.shape.values();
  description_.rows = joined(parts_, &SplitDescription::rows);
  description_.mask_rows = joined(parts_, &SplitDescription::mask_rows);
  if (!are_alike || !have_one_compression) description_.compression = Compression::none;
  description_.data_hash = totals.data_hash;

  const SampleShape& shape = description_.shape;
  const bool fits = totals.sample_count == first_row && std::ssize(totals.histogram) == shape.channels * 256 &&
                    std::ssize(totals.value_sums) == shape.values() && channels_agree(totals, shape, first_row);
  if (!fits) {
    throw FormatError("open dataset: the manifest's totals of split " + totals.name +
                      " are not those of its shards; run octavo merge");
  }
}

template <typename Work>
void ShardedSplit::for_parts(std::int64_t first_row, std::int64_t count, const Work& work) const {
  check_rows(description_.name, description_.sample_count, first_row, count);
  for (std::int64_t done = 0; done < count;) {
    const ShardPart& part = parts_[part_of_row(parts_, first_row + done)];
    const std::int64_t row = first_row + done - part.first_row;
    const std::int64_t rows = std::min(count - done, part.data->description().sample_count - row);
    work(*part.data, row, done, rows);
    done += rows;
  }
}

Statistics ShardedSplit::statistics() const {
  statistics::SampleTotals totals(description_.shape);
  totals.sample_count = description_.sample_count;
  totals.histogram = histogram_;
  totals.value_sums = value_sums_;
  return totals.statistics(description_.quantization);
}

std::optional<std::string> ShardedSplit::sample_name(std::int64_t row) const {
  const ShardPart& part = parts_[part_of_row(parts_, row)];
  return part.data->sample_name(row - part.first_row);
}

std::string ShardedSplit::metadata() const {
  Json all = Json::object();
  for (const ShardPart& part : parts_) {
    const Json columns = parse_strict_json(part.data->metadata());
    for (const auto& [name, values] : columns.items()) {
      Json& list = all[name];
      for (const Json& value : values) list.push_back(value);
    }
  }
  return all.dump();
}

void ShardedSplit::read_rows(std::int64_t first_row, std::int64_t count, std::span<std::byte> rows) const {
  for_parts(first_row, count, [&](const SplitData& part, std::int64_t row, std::int64_t done, std::int64_t rows_here) {
    part.read_rows(row, rows_here, piece(rows, description_.rows, first_row, first_row + done, rows_here));
  });
}

void ShardedSplit::read_labels(std::int64_t first_row, std::int64_t count, std::span<std::byte> labels) const {
  const auto bytes = static_cast<std::size_t>(description_.labels.bytes_per_sample());
  for_parts(first_row, count, [&](const SplitData& part, std::int64_t row, std::int64_t done, std::int64_t rows) {
    part.read_labels(row, rows,
                     labels.subspan(static_cast<std::size_t>(done) * bytes, static_cast<std::size_t>(rows) * bytes));
  });
}

void ShardedSplit::read_masks(std::int64_t first_row, std::int64_t count, std::span<std::byte> masks) const {
  for_parts(first_row, count, [&](const SplitData& part, std::int64_t row, std::int64_t done, std::int64_t rows) {
    part.read_masks(row, rows, piece(masks, description_.mask_rows, first_row, first_row + done, rows));
  });
}

void ShardedSplit::check_samples(std::int64_t first_row, std::int64_t count, std::span<const std::byte> rows,
                                 std::span<const std::byte> labels, std::span<const std::byte> masks) const {
  const auto bytes = static_cast<std::size_t>(description_.labels.bytes_per_sample());
  for_parts(first_row, count, [&](const SplitData& part, std::int64_t row, std::int64_t done, std::int64_t rows_here) {
    const std::int64_t first = first_row + done;
    part.check_samples(row, rows_here, piece(rows, description_.rows, first_row, first, rows_here),
                       labels.empty() ? labels
                                      : labels.subspan(static_cast<std::size_t>(done) * bytes,
                                                       static_cast<std::size_t>(rows_here) * bytes),
                       piece(masks, description_.mask_rows, first_row, first, rows_here));
  });
}

std::int64_t ShardedSplit::rows_per_block(std::int64_t block_bytes) const {
  return parts_.front().data->rows_per_block(block_bytes);
}

std::unique_ptr<const RowSource> ShardedSplit::open_rows(const RowReading& reading) const {
  return std::make_unique<const ShardRows>(parts_, description_, reading);
}

void ShardedSplit::ensure_unchanged() const {
  for (const ShardPart& part : parts_) part.data->ensure_unchanged();
}

std::shared_ptr<const ShardedDataset> ShardedDataset::open(const std::filesystem::path& path) {
  return open(File::open_for_reading(path),
              [&](const std::string& name) { return open_dataset_file((path.parent_path() / name).string()); });
}

std::shared_ptr<const ShardedDataset> ShardedDataset::open(const ByteSource& source, const ShardOpener& open_shard) {
  Manifest manifest = read_manifest(source);
  const bool waits = source.read_cost().waits_for_network;
  if (!waits) make_room_for_open_files(std::ssize(manifest.shards));
  std::vector<std::shared_ptr<const DatasetData>> shards(manifest.shards.size());
  const auto open_one = [&](std::int64_t number) {
    const ManifestShard& listed = manifest.shards[static_cast<std::size_t>(number)];
    auto shard = std::make_shared<const FileDataset>(Reader::open(open_shard(listed.file)));
    if (shard->file_bytes() != listed.bytes || shard->digest() != listed.digest) {
      throw FormatError("open dataset " + quoted(source.name()) + ": shard " + quoted(shard->path()) +
                        " is not the one that the manifest lists; run octavo merge");
    }
    shards[static_cast<std::size_t>(number)] = std::move(shard);
  };
  backend::ThreadPool pool(waits ? std::min(kMostOpening, static_cast<int>(shards.size())) : 1);
  run_guarded(pool, std::ssize(shards), open_one, [] {});
  return std::make_shared<const ShardedDataset>(source.name(), std::move(manifest), shards);
}

ShardedDataset::ShardedDataset(std::filesystem::path path, Manifest manifest,
                               const std::vector<std::shared_ptr<const DatasetData>>& shards)
    : path_(std::move(path)), manifest_(std::move(manifest)) {
  for (const auto& shard : shards) {
    if (shard->class_names() == manifest_.class_names) continue;
    throw FormatError("open dataset " + quoted(path_) + ": shard " + quoted(shard->path()) +
                      " has other classes; run octavo merge");
  }
  for (const ManifestSplit& listed : manifest_.splits) {
    std::vector<std::shared_ptr<const SplitData>> parts;
    std::vector<std::filesystem::path> paths;
    for (const auto& shard : shards) {
      for (const auto& split : shard->splits()) {
        if (split->description().name != listed.name) continue;
        parts.push_back(split);
        paths.push_back(shard->path());
      }
    }
    if (parts.empty()) {
      throw FormatError("open dataset " + quoted(path_) + ": no shard has split " + listed.name + "; run octavo merge");
    }
    splits_.push_back(std::make_shared<const ShardedSplit>(listed, std::move(parts), paths));
  }
}

/// Changes with any shard, because the manifest has their digests.
std::string ShardedDataset::digest() const {
  const std::string text = encode_manifest(manifest_);
  return to_hex(hash_bytes(std::as_bytes(std::span(text))));
}

std::int64_t ShardedDataset::file_bytes() const {
  std::int64_t bytes = 0;
  for (const ManifestShard& shard : manifest_.shards) bytes += shard.bytes;
  return bytes;
}

}  // namespace octavo::dataset_file
