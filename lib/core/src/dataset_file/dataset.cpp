#include <octavo/dataset.hpp>

#include <algorithm>

#include <octavo/errors.hpp>
#include <octavo/spelling.hpp>
#include <octavo/version.hpp>

#include "dataset_file/file_dataset.hpp"
#include "dataset_file/read_codes.hpp"
#include "dataset_file/shards/sharded_dataset.hpp"
#include "support/file.hpp"

namespace octavo {

// ---- Split ------------------------------------------------------------------

Split::Split(std::shared_ptr<const dataset_file::DatasetData> dataset,
             std::shared_ptr<const dataset_file::SplitData> data)
    : dataset_(std::move(dataset)), data_(std::move(data)) {}

const std::string& Split::name() const { return data_->description().name; }
std::int64_t Split::sample_count() const { return data_->description().sample_count; }
SampleShape Split::shape() const { return data_->description().shape; }
LabelLayout Split::labels() const { return data_->description().labels; }
bool Split::has_masks() const { return data_->description().has_masks; }
Color Split::color() const { return data_->description().color; }
const std::string& Split::source_dtype() const { return data_->description().source_dtype; }
std::int64_t Split::packed_bytes() const { return data_->description().packed_bytes; }
Compression Split::compression() const { return data_->description().compression; }
int Split::max_error() const { return data_->description().max_error; }
std::int64_t Split::stored_bytes() const { return data_->description().stored_bytes; }
std::int64_t Split::stored_mask_bytes() const { return data_->description().mask_rows.total_bytes(); }
const std::vector<std::string>& Split::class_names() const { return data_->description().class_names; }
const std::filesystem::path& Split::path() const { return dataset_->path(); }
Dataset Split::dataset() const { return Dataset(dataset_); }
void Split::ensure_unchanged() const { data_->ensure_unchanged(); }
Statistics Split::statistics() const { return data_->statistics(); }

std::optional<std::string> Split::sample_name(std::int64_t row) const {
  if (row < 0 || row >= sample_count()) {
    throw InvalidArgument("read the sample name in split " + name() + ": row " + std::to_string(row) + ", but it has " +
                          std::to_string(sample_count()));
  }
  return data_->sample_name(row);
}

const std::vector<std::string>& Split::columns() const { return data_->description().columns; }

std::string Split::metadata() const { return data_->metadata(); }

void Split::read(std::int64_t first_row, std::int64_t count, std::span<std::int8_t> codes) const {
  dataset_file::read_codes(*data_, first_row, count, std::as_writable_bytes(codes));
}

void Split::read_labels(std::int64_t first_row, std::int64_t count, std::span<std::byte> labels) const {
  data_->read_labels(first_row, count, labels);
}

void Split::read_masks(std::int64_t first_row, std::int64_t count, std::span<std::uint8_t> masks) const {
  if (!has_masks()) throw InvalidArgument("read the masks of split " + name() + ": it has none");
  dataset_file::read_masks(*data_, first_row, count, std::as_writable_bytes(masks));
}

void Split::read_checked(std::int64_t first_row, std::int64_t count, std::span<std::int8_t> codes,
                         std::span<std::byte> labels, std::span<std::uint8_t> masks) const {
  dataset_file::read_checked(*data_, first_row, count, std::as_writable_bytes(codes), labels,
                             std::as_writable_bytes(masks));
}

// ---- Dataset ----------------------------------------------------------------

Dataset::Dataset(std::shared_ptr<const dataset_file::DatasetData> data) : data_(std::move(data)) {}

Dataset Dataset::open(const std::string& location) {
  if (const auto manifest = dataset_file::find_manifest(location); !manifest.empty()) {
    return Dataset(dataset_file::ShardedDataset::open(manifest));
  }
  return Dataset(std::make_shared<const dataset_file::FileDataset>(dataset_file::Reader::open(location)));
}

Dataset Dataset::open(std::shared_ptr<const ByteSource> source) {
  return Dataset(std::make_shared<const dataset_file::FileDataset>(dataset_file::Reader::open(std::move(source))));
}

Dataset Dataset::open_manifest(const std::shared_ptr<const ByteSource>& manifest, const ShardOpener& open_shard) {
  return Dataset(dataset_file::ShardedDataset::open(*manifest, open_shard));
}

std::vector<std::string> Dataset::split_names() const {
  std::vector<std::string> names;
  for (const auto& split : data_->splits()) names.push_back(split->description().name);
  return names;
}

bool Dataset::has_split(std::string_view name) const {
  return std::ranges::any_of(data_->splits(), [&](const auto& split) { return split->description().name == name; });
}

Split Dataset::training_split() const { return split(has_split("train") ? "train" : split_names().front()); }

Split Dataset::split(std::string_view name) const {
  for (const auto& split : data_->splits()) {
    if (split->description().name == name) return Split(data_, split);
  }
  std::string known;
  for (const std::string& one : split_names()) known += (known.empty() ? "" : ", ") + one;
  const std::string hint = did_you_mean(name, split_names());
  throw InvalidArgument("open split \"" + std::string(name) + "\" of " + quoted(path()) + ": no such split; " +
                        (hint.empty() ? "it" : hint + " It") + " has " + known);
}

const std::vector<std::string>& Dataset::class_names() const { return data_->class_names(); }
std::string Dataset::provenance() const { return data_->provenance(); }
std::string Dataset::digest() const { return data_->digest(); }
const std::string& Dataset::uuid() const { return data_->uuid(); }
const std::string& Dataset::created() const { return data_->created(); }
const std::string& Dataset::writer() const { return data_->writer(); }
std::int64_t Dataset::format_version() const { return data_->format_version(); }
std::int64_t Dataset::file_bytes() const { return data_->file_bytes(); }
const std::filesystem::path& Dataset::path() const { return data_->path(); }

}  // namespace octavo
