#include "packed_file.hpp"

#include <octavo/errors.hpp>

#include <cstring>

#include "../support/memory_file.hpp"
#include "format/index/index.hpp"
#include "format/index/metadata_hash.hpp"
#include "format/limits.hpp"
#include "mutate.hpp"
#include "support/hash.hpp"

namespace octavo::fuzz {
namespace {

Bytes view(const std::string& text, std::size_t at, std::size_t bytes) {
  return std::as_bytes(std::span(text)).subspan(at, bytes);
}

/// Whether this is the extent of a dataset: an offset and a number of bytes.
bool is_extent(const Json& json) {
  const auto is_count = [&](const char* key) { return json.contains(key) && json[key].is_number_unsigned(); };
  return json.is_object() && is_count("offset") && is_count("bytes");
}

}  // namespace

std::optional<PackedFile> PackedFile::take_apart(const std::string& bytes) {
  constexpr auto kHeader = static_cast<std::size_t>(dataset_file::kHeaderBytes);
  if (bytes.size() < kHeader) return std::nullopt;
  PackedFile file;
  file.header_.version = static_cast<std::int64_t>(number_at(bytes, 8, 8));
  const std::uint64_t offset = number_at(bytes, 24, 8);
  const std::uint64_t length = number_at(bytes, 32, 8);
  if (offset < kHeader || offset > bytes.size() || length > bytes.size() - offset) return std::nullopt;
  file.data_ = bytes.substr(kHeader, offset - kHeader);
  file.index_ = bytes.substr(offset, length);
  // Move bytes after the index before it, and put zeros in place of the index, so that all offsets stay valid.
  const std::size_t end = offset + length;
  if (end < bytes.size()) file.data_ += std::string(length, '\0') + bytes.substr(end);
  return file;
}

std::optional<std::size_t> PackedFile::place_of(std::int64_t offset, std::int64_t bytes) const {
  if (offset < dataset_file::kHeaderBytes || bytes < 0) return std::nullopt;
  const std::int64_t at = offset - dataset_file::kHeaderBytes;
  if (at > std::ssize(data_) || bytes > std::ssize(data_) - at) return std::nullopt;
  return static_cast<std::size_t>(at);
}

void PackedFile::repair_extents(Json& json) {
  for (auto& value : json) {
    if (value.is_structured()) repair_extents(value);
    if (!is_extent(value) || !value.contains("hash")) continue;
    const auto bytes = value["bytes"].get<std::int64_t>();
    const auto at = place_of(value["offset"].get<std::int64_t>(), bytes);
    if (at) value["hash"] = to_hex(hash_bytes(view(data_, *at, static_cast<std::size_t>(bytes))));
  }
}

/// The entries of a chunk table have four fields of 8 bytes: offset, stored bytes, filter mask, hash.
void PackedFile::repair_chunks(Json& json) {
  for (auto& [key, value] : json.items()) {
    if (value.is_structured()) repair_chunks(value);
    if (key != "chunks" || !is_extent(value)) continue;
    const auto bytes = value["bytes"].get<std::int64_t>();
    const auto table = place_of(value["offset"].get<std::int64_t>(), bytes);
    if (!table) continue;
    for (std::size_t entry = *table; entry + 32 <= *table + static_cast<std::size_t>(bytes); entry += 32) {
      const auto stored = static_cast<std::int64_t>(number_at(data_, entry + 8, 8));
      const auto at = place_of(static_cast<std::int64_t>(number_at(data_, entry, 8)), stored);
      if (at) put_number(data_, entry + 24, hash_bytes(view(data_, *at, static_cast<std::size_t>(stored))), 8);
    }
  }
}

/// Repairs the checksums of samples with plain encoding.
void PackedFile::repair_samples() {
  const dataset_file::Index index = dataset_file::decode_index(index_);
  StreamingHash hash;
  for (const dataset_file::SplitEntry& split : index.splits) {
    if (dataset_file::layout_problem(split.shape, split.label_layout, split.sample_count)) continue;
    const std::int64_t rows = split.sample_count, width = split.shape.values();
    const std::int64_t label_width = split.labels ? split.label_layout.bytes_per_sample() : 0;
    if (split.chunked || rows > std::ssize(data_) / width || label_width > std::ssize(data_)) continue;
    const auto images = place_of(split.images.offset, rows * width);
    const auto labels = place_of(split.labels ? split.labels->offset : dataset_file::kHeaderBytes, rows * label_width);
    const auto sums = place_of(split.checksums.offset, rows * 8);
    const auto masks =
        place_of(split.masks ? split.masks->offset : dataset_file::kHeaderBytes, rows * split.mask_bytes());
    if (!images || !labels || !masks || !sums) continue;
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      const auto codes = view(data_, *images + row * static_cast<std::size_t>(width), static_cast<std::size_t>(width));
      const auto label =
          view(data_, *labels + row * static_cast<std::size_t>(label_width), static_cast<std::size_t>(label_width));
      const auto mask_width = static_cast<std::size_t>(split.mask_bytes());
      const auto mask = view(data_, *masks + row * mask_width, mask_width);
      put_number(data_, *sums + 8 * row, sample_checksum(hash, codes, label, mask), 8);
    }
  }
}

void PackedFile::repair_hashes() {
  try {
    repair_samples();
  } catch (const Error&) {
    // An index that cannot be decoded has no samples.
  }
  try {
    Json json = parse_strict_json(index_);
    repair_chunks(json);
    repair_extents(json);
    index_ = json.dump();
  } catch (const Error&) {
    // An index that cannot be parsed has no datasets.
  }
}

std::string PackedFile::put_together() {
  header_.index_offset = dataset_file::kHeaderBytes + std::ssize(data_);
  header_.index_length = std::ssize(index_);
  header_.file_length = header_.index_offset + header_.index_length;
  header_.index_hash = hash_bytes(view(index_, 0, index_.size()));
  const auto with_header = [&] {
    const auto header = dataset_file::encode_header(header_);
    return std::string(reinterpret_cast<const char*>(header.data()), header.size()) + data_ + index_;
  };
  const std::string bytes = with_header();
  try {
    static const MemoryFile memory;
    memory.write(view(bytes, 0, bytes.size()));
    const File file = File::open_for_reading(memory.path());
    header_.metadata_hash = dataset_file::metadata_hash(file, header_, dataset_file::read_index(file, header_));
  } catch (const Error&) {
    // An index that is refused has no metadata.
  }
  return with_header();
}

}  // namespace octavo::fuzz
