#include <octavo/compression_choice.hpp>

#include <algorithm>
#include <array>
#include <vector>

#include <octavo/byte_count.hpp>

#include "dataset_file/write/row_assembly.hpp"
#include "format/codec.hpp"
#include "format/statistics/codes.hpp"
#include "sources/combine/rounded_source.hpp"

namespace octavo {
namespace {

/// In order of speed.
constexpr std::array kCandidates = {Compression::none, Compression::lp8, Compression::lc8};
constexpr std::int64_t kOffsetBytes = 8;  // of a coded row, in memory

/// Codes of samples from all over a split, or its first ones, and the pixels of their masks.
struct SomeSamples {
  SampleShape shape, mask_shape;
  std::int64_t count = 0;
  std::vector<std::uint8_t> codes, masks;

  std::int64_t plain_bytes() const { return count * (shape.values() + mask_shape.values()); }
};

std::size_t largest_split(const Source& source) {
  const auto values = [](const SourceSplit& split) { return split.sample_count * split.shape.values(); };
  return static_cast<std::size_t>(std::ranges::max_element(source.splits(), {}, values) - source.splits().begin());
}

/// Leaves out samples that cannot be read.
SomeSamples read_samples(Source& source) {
  const std::size_t split = largest_split(source);
  const SourceSplit& layout = source.splits()[split];
  SomeSamples some{layout.shape, {layout.has_masks ? 1 : 0, layout.shape.height, layout.shape.width}, 0, {}, {}};
  const std::int64_t N = layout.sample_count, count = dataset_file::training_samples(N, layout.shape);
  std::vector<std::uint8_t> values(static_cast<std::size_t>(layout.shape.values()));
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(some.mask_shape.values()));
  std::vector<std::byte> label(static_cast<std::size_t>(layout.labels.bytes_per_sample()));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = source.is_random_access() ? (2 * i + 1) * N / (2 * count) : i;
    if (!source.read(split, row, 1, values, label).empty()) continue;
    if (layout.has_masks && !source.read_masks(split, row, 1, mask).empty()) continue;
    some.codes.insert(some.codes.end(), values.begin(), values.end());
    some.masks.insert(some.masks.end(), mask.begin(), mask.end());
    ++some.count;
  }
  statistics::flip_top_bits(some.codes);
  return some;
}

std::int64_t coded_bytes(const dataset_file::Codec& codec, const SampleShape& shape,
                         std::shared_ptr<const dataset_file::RowTables> tables, std::span<const std::uint8_t> codes) {
  if (codes.empty()) return 0;
  const auto encoder = codec.make_row_encoder(shape, std::move(tables));
  const auto values = static_cast<std::size_t>(shape.values());
  std::int64_t bytes = 0;
  std::vector<std::byte> row;
  for (std::size_t at = 0; at < codes.size(); at += values) {
    row.clear();
    encoder->encode(std::as_bytes(codes.subspan(at, values)), row);
    bytes += std::ssize(row) + kOffsetBytes;
  }
  return bytes;
}

std::int64_t stored_bytes(const SomeSamples& some, Compression compression, int max_error) {
  const dataset_file::Codec& codec = dataset_file::codec_of(compression);
  if (codec.make_row_encoder == nullptr) return some.plain_bytes();
  std::vector<std::uint8_t> codes = some.codes;
  dataset_file::divide_codes(max_error, std::as_writable_bytes(std::span(codes)));
  auto tables = codec.train_tables == nullptr ? codec.tables_for(some.shape)
                                              : codec.train_tables(some.shape, std::as_bytes(std::span(codes)));
  return coded_bytes(codec, some.shape, std::move(tables), codes) +
         coded_bytes(codec, some.mask_shape, codec.tables_for(some.mask_shape), some.masks);
}

}  // namespace

CompressionChoice choose_compression(Source& source, std::optional<int> wanted_error,
                                     std::optional<std::int64_t> memory_bytes) {
  const int max_error = wanted_error.value_or(source.splits()[largest_split(source)].max_error);
  sources::RoundedSource rounded(source, std::vector<int>(source.splits().size(), max_error));
  const SomeSamples some = read_samples(rounded);
  if (some.count == 0) return {Compression::none, "none, because no sample could be read"};
  std::int64_t all_bytes = 0;
  for (const SourceSplit& split : source.splits()) {
    all_bytes += split.sample_count * (split.shape.values() + (split.has_masks ? split.shape.values_per_channel() : 0));
  }
  std::array<std::int64_t, kCandidates.size()> estimates{};
  for (std::size_t i = 0; i < kCandidates.size(); ++i) {
    const double share =
        static_cast<double>(stored_bytes(some, kCandidates[i], max_error)) / static_cast<double>(some.plain_bytes());
    estimates[i] = static_cast<std::int64_t>(share * static_cast<double>(all_bytes));
  }
  const std::size_t first = max_error > 0 ? 1 : 0;  // plain rows have no largest error
  std::size_t chosen = first;
  std::string why;
  if (memory_bytes) {
    while (chosen + 1 < kCandidates.size() && estimates[chosen] > *memory_bytes) ++chosen;
    why = estimates[chosen] <= *memory_bytes ? ", the fastest that fits in " : ", the smallest, which exceeds ";
    why += format_bytes(*memory_bytes);
  } else {
    chosen = 100 * estimates[1] <= 97 * estimates[0] ? 1 : first;
    why = chosen == 1 ? ", which is fast on all devices" : ", because samples hardly shrink";
  }
  std::string sizes;
  for (std::size_t i = first; i < kCandidates.size(); ++i) {
    sizes += (i == first ? "" : ", ") + std::string(to_string(kCandidates[i])) + " " + format_bytes(estimates[i]);
  }
  return {kCandidates[chosen], to_string(kCandidates[chosen]) + why + " (estimates: " + sizes + ")"};
}

}  // namespace octavo
