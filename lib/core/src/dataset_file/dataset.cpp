#include <octavo/dataset.hpp>

#include <octavo/errors.hpp>
#include <octavo/spelling.hpp>
#include <octavo/version.hpp>

#include "dataset_file/reader.hpp"
#include "dataset_file/split_access.hpp"
#include "support/hash.hpp"

namespace octavo {

// ---- Split ------------------------------------------------------------------

Split::Split(std::shared_ptr<const dataset_file::Reader> reader, const dataset_file::SplitEntry* entry)
    : reader_(std::move(reader)), entry_(entry) {}

const std::string& Split::name() const { return entry_->name; }
std::int64_t Split::sample_count() const { return entry_->sample_count; }
SampleShape Split::shape() const { return entry_->shape; }
LabelLayout Split::labels() const { return entry_->label_layout; }
bool Split::has_masks() const { return entry_->masks.has_value(); }
Color Split::color() const { return entry_->color; }
const std::string& Split::source_dtype() const { return entry_->source_dtype; }
std::int64_t Split::packed_bytes() const { return entry_->packed_bytes(); }
Compression Split::compression() const { return reader_->index().codec->compression; }
std::int64_t Split::stored_bytes() const { return entry_->stored_bytes(); }
const std::vector<std::string>& Split::class_names() const { return reader_->index().class_names; }
const std::filesystem::path& Split::path() const { return reader_->file().path(); }
Dataset Split::dataset() const { return Dataset(reader_); }
void Split::ensure_unchanged() const { reader_->ensure_unchanged(); }
Statistics Split::statistics() const { return reader_->statistics(*entry_); }

std::optional<std::string> Split::sample_name(std::int64_t row) const {
  if (row < 0 || row >= sample_count()) {
    throw InvalidArgument("read the sample name in split " + name() + ": row " + std::to_string(row) + ", but it has " +
                          std::to_string(sample_count()));
  }
  if (!entry_->names) return std::nullopt;
  return reader_->sample_name(*entry_, row);
}

const std::vector<std::string>& Split::columns() const { return entry_->columns; }

std::string Split::metadata() const { return entry_->columns_dataset ? reader_->columns(*entry_).dump() : "{}"; }

void Split::read(std::int64_t first_row, std::int64_t count, std::span<std::int8_t> codes) const {
  reader_->read_codes(*entry_, first_row, count, std::as_writable_bytes(codes));
}

void Split::read_labels(std::int64_t first_row, std::int64_t count, std::span<std::byte> labels) const {
  reader_->read_labels(*entry_, first_row, count, labels);
}

void Split::read_masks(std::int64_t first_row, std::int64_t count, std::span<std::uint8_t> masks) const {
  if (!has_masks()) throw InvalidArgument("read the masks of split " + name() + ": it has none");
  reader_->read_masks(*entry_, first_row, count, std::as_writable_bytes(masks));
}

void Split::read_checked(std::int64_t first_row, std::int64_t count, std::span<std::int8_t> codes,
                         std::span<std::byte> labels, std::span<std::uint8_t> masks) const {
  dataset_file::check_rows(*entry_, first_row, count, labels.size(), entry_->label_layout.bytes_per_sample());
  read(first_row, count, codes);
  read_labels(first_row, count, labels);
  std::vector<std::uint8_t> unwanted;  // a checksum also covers the mask
  if (has_masks() && masks.empty()) {
    unwanted.resize(static_cast<std::size_t>(count * entry_->mask_bytes()));
    masks = unwanted;
  }
  reader_->read_masks(*entry_, first_row, count, std::as_writable_bytes(masks));
  reader_->check_samples(*entry_, first_row, count, std::as_bytes(codes), labels, std::as_bytes(masks));
}

// ---- Dataset ----------------------------------------------------------------

Dataset::Dataset(std::shared_ptr<const dataset_file::Reader> reader) : reader_(std::move(reader)) {}

Dataset Dataset::open(const std::filesystem::path& path) { return Dataset(dataset_file::Reader::open(path)); }

std::vector<std::string> Dataset::split_names() const {
  std::vector<std::string> names;
  for (const dataset_file::SplitEntry& split : reader_->index().splits) names.push_back(split.name);
  return names;
}

bool Dataset::has_split(std::string_view name) const { return reader_->find_split(name) != nullptr; }

Split Dataset::training_split() const { return split(has_split("train") ? "train" : split_names().front()); }

Split Dataset::split(std::string_view name) const {
  if (const dataset_file::SplitEntry* entry = reader_->find_split(name)) return Split(reader_, entry);
  std::string known;
  for (const std::string& one : split_names()) known += (known.empty() ? "" : ", ") + one;
  const std::string hint = did_you_mean(name, split_names());
  throw InvalidArgument("open split \"" + std::string(name) + "\" of " + quoted(path()) + ": no such split; " +
                        (hint.empty() ? "it" : hint + " It") + " has " + known);
}

const std::vector<std::string>& Dataset::class_names() const { return reader_->index().class_names; }
std::string Dataset::provenance() const { return reader_->provenance(); }
std::string Dataset::digest() const { return to_hex(reader_->header().index_hash); }
const std::string& Dataset::uuid() const { return reader_->index().uuid; }
const std::string& Dataset::created() const { return reader_->index().created; }
const std::string& Dataset::writer() const { return reader_->index().writer; }
std::int64_t Dataset::format_version() const { return reader_->header().version; }
std::int64_t Dataset::file_bytes() const { return reader_->header().file_length; }
const std::filesystem::path& Dataset::path() const { return reader_->file().path(); }

}  // namespace octavo
