#include <octavo/compression_choice.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>

#include "dataset_file/write/row_assembly.hpp"
#include "format/codec.hpp"
#include "format/coded_rows/divide_codes.hpp"
#include "format/statistics/codes.hpp"
#include "packing/max_error.hpp"
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

/// The largest split, or the first one of a source that is read in order.
std::size_t sampled_split(const Source& source) {
  if (!source.is_random_access()) return 0;
  const auto values = [](const SourceSplit& split) { return split.sample_count * split.shape.values(); };
  return static_cast<std::size_t>(std::ranges::max_element(source.splits(), {}, values) - source.splits().begin());
}

/// Leaves out samples that cannot be read.
SomeSamples read_samples(Source& source) {
  const std::size_t split = sampled_split(source);
  const SourceSplit& layout = source.splits()[split];
  SomeSamples some{layout.shape, {layout.has_masks ? 1 : 0, layout.shape.height, layout.shape.width}, 0, {}, {}};
  const std::int64_t N = layout.sample_count, count = dataset_file::training_samples(N, layout.shape);
  std::vector<std::uint8_t> values(static_cast<std::size_t>(layout.shape.values()));
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(some.mask_shape.values()));
  std::vector<std::byte> label(static_cast<std::size_t>(layout.labels.bytes_per_sample()));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = source.is_random_access() ? dataset_file::training_row(i, count, N) : i;
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

using Estimates = std::array<std::int64_t, kCandidates.size()>;

std::int64_t plain_bytes(const Source& source) {
  std::int64_t bytes = 0;
  for (const SourceSplit& split : source.splits()) {
    const std::int64_t mask = split.has_masks ? split.shape.values_per_channel() : 0;
    bytes += split.sample_count * (split.shape.values() + mask);
  }
  return bytes;
}

Estimates estimate(const SomeSamples& some, int max_error, std::int64_t all_plain_bytes) {
  Estimates estimates{};
  for (std::size_t i = 0; i < kCandidates.size(); ++i) {
    const double share =
        static_cast<double>(stored_bytes(some, kCandidates[i], max_error)) / static_cast<double>(some.plain_bytes());
    estimates[i] = static_cast<std::int64_t>(share * static_cast<double>(all_plain_bytes));
  }
  return estimates;
}

/// Candidate `first` or a later one, and why.
std::pair<std::size_t, std::string> choose(const Estimates& estimates, std::size_t first,
                                           std::optional<std::int64_t> memory_bytes) {
  if (!memory_bytes) {
    if (100 * estimates[1] <= 97 * estimates[0]) return {1, ", which is fast on all devices"};
    return {first, ", because samples hardly shrink"};
  }
  const auto begin = estimates.begin() + static_cast<std::ptrdiff_t>(first);
  const auto fits = std::find_if(begin, estimates.end(), [&](std::int64_t bytes) { return bytes <= *memory_bytes; });
  const std::string memory = format_bytes(*memory_bytes);
  const auto index = [&](auto at) { return static_cast<std::size_t>(at - estimates.begin()); };
  if (fits != estimates.end()) return {index(fits), ", the fastest that fits in " + memory};
  return {index(std::min_element(begin, estimates.end())), ", the smallest, which exceeds " + memory};
}

}  // namespace

CompressionChoice choose_compression(Source& source, std::optional<int> max_error,
                                     std::optional<std::int64_t> memory_bytes) {
  packing::check_max_error(max_error);
  if (memory_bytes && *memory_bytes < 1) {
    throw InvalidArgument("choose a compression: `memory` is " + std::to_string(*memory_bytes) +
                          "; expected at least 1 byte");
  }
  const int error = max_error.value_or(source.splits()[sampled_split(source)].max_error);
  sources::RoundedSource rounded(source, std::vector<int>(source.splits().size(), error));
  const SomeSamples some = read_samples(rounded);
  if (some.count == 0) return {Compression::none, "compression: none, because no sample could be read"};
  const std::size_t first = max_error.value_or(0) > 0 ? 1 : 0;
  const Estimates estimates = estimate(some, error, plain_bytes(source));
  const auto& [chosen, why] = choose(estimates, first, memory_bytes);
  std::string sizes;
  for (std::size_t i = first; i < kCandidates.size(); ++i) {
    sizes += (i == first ? "" : ", ") + std::string(to_string(kCandidates[i])) + " " + format_bytes(estimates[i]);
  }
  return {kCandidates[chosen],
          std::string("compression: ") + to_string(kCandidates[chosen]) + why + " (estimates: " + sizes + ")"};
}

}  // namespace octavo
