#include <octavo/compression_choice.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "format/codec.hpp"
#include "format/coded_rows/decode_rows.hpp"
#include "format/coded_rows/divide_codes.hpp"
#include "format/statistics/codes.hpp"
#include "packing/max_error.hpp"
#include "sources/combine/rounded_source.hpp"
#include "support/text/text_units.hpp"
#include "support/threads.hpp"

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

/// Rows of some samples, one after another, with their sizes.
struct EncodedRows {
  SampleShape shape;
  std::shared_ptr<const dataset_file::RowTables> tables;
  std::vector<std::uint32_t> sizes;
  std::vector<std::byte> bytes;

  std::int64_t bytes_in_memory() const { return std::ssize(bytes) + kOffsetBytes * std::ssize(sizes); }
};

/// Codes [count,C,H,W]; `typical` are those that train the tables.
EncodedRows encode(const dataset_file::Codec& codec, const SampleShape& shape, std::span<const std::byte> codes,
                   std::span<const std::byte> typical) {
  EncodedRows rows{.shape = shape, .tables = nullptr, .sizes = {}, .bytes = {}};
  if (codes.empty()) return rows;
  const dataset_file::TrainedEncoder trained(codec, shape, typical);
  rows.tables = trained.tables;
  const auto values = static_cast<std::size_t>(shape.values());
  for (std::size_t at = 0; at < codes.size(); at += values) {
    const std::size_t before = rows.bytes.size();
    trained.encoder->encode(codes.subspan(at, values), rows.bytes);
    rows.sizes.push_back(static_cast<std::uint32_t>(rows.bytes.size() - before));
  }
  return rows;
}

/// How many rows a second one thread decodes: the best of several runs, which are short.
double decoded_per_second(const dataset_file::Codec& codec, const EncodedRows& rows, int max_error) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRuns = 5;
  const auto offsets =
      dataset_file::RowOffsets::of_sizes(rows.sizes, rows.tables, static_cast<std::uint32_t>(2 * max_error + 1));
  const std::int64_t count = offsets.row_count();
  std::vector<std::byte> values(static_cast<std::size_t>(count * rows.shape.values()));
  Clock::duration best = Clock::duration::max();
  for (int run = 0; run < kRuns; ++run) {
    const Clock::time_point start = Clock::now();
    dataset_file::decode_rows(codec.row_coding, rows.shape, offsets, {0, count, rows.bytes}, values);
    best = std::min(best, Clock::now() - start);
  }
  return static_cast<double>(count) / std::max(1e-9, std::chrono::duration<double>(best).count());
}

/// What an encoding makes of all samples.
struct Estimate {
  std::int64_t bytes = 0;
  double per_second = 0.0;  ///< samples that this machine decodes with all threads; 0: not measured
};

using Estimates = std::array<Estimate, kCandidates.size()>;

std::int64_t plain_bytes(const Source& source) {
  std::int64_t bytes = 0;
  for (const SourceSplit& split : source.splits()) {
    const std::int64_t mask = split.has_masks ? split.shape.values_per_channel() : 0;
    bytes += split.sample_count * (split.shape.values() + mask);
  }
  return bytes;
}

Estimate estimate(const SomeSamples& some, Compression compression, int max_error, std::int64_t all_plain_bytes,
                  bool measures_speed) {
  const dataset_file::Codec& codec = dataset_file::codec_of(compression);
  if (codec.make_row_encoder == nullptr) return {all_plain_bytes, 0.0};
  std::vector<std::uint8_t> codes = some.codes;
  const auto code_bytes = std::as_writable_bytes(std::span(codes));
  dataset_file::divide_codes(max_error, code_bytes);
  const EncodedRows images = encode(codec, some.shape, code_bytes, code_bytes);
  const EncodedRows masks = encode(codec, some.mask_shape, std::as_bytes(std::span(some.masks)), {});
  const double share =
      static_cast<double>(images.bytes_in_memory() + masks.bytes_in_memory()) / static_cast<double>(some.plain_bytes());
  Estimate found{static_cast<std::int64_t>(share * static_cast<double>(all_plain_bytes)), 0.0};
  if (!measures_speed) return found;
  double seconds = 1.0 / decoded_per_second(codec, images, max_error);
  if (!masks.sizes.empty()) seconds += 1.0 / decoded_per_second(codec, masks, 0);
  found.per_second = resolve_thread_count(0) / seconds;
  return found;
}

/// Candidate `first` or a later one, and why.
struct Chosen {
  std::size_t candidate;
  std::string why;
};

std::string per_second(double samples) { return format_count(std::llround(samples)) + " samples/s"; }

Chosen choose_by_size(const Estimates& estimates, std::size_t first) {
  if (100 * estimates[1].bytes <= 97 * estimates[0].bytes) return {1, ", which is fast on all devices"};
  return {first, ", because samples hardly shrink"};
}

Chosen choose_by_memory(const Estimates& estimates, std::size_t first, std::int64_t memory_bytes) {
  const std::string memory = format_bytes(memory_bytes);
  for (std::size_t i = first; i < estimates.size(); ++i) {
    if (estimates[i].bytes <= memory_bytes) return {i, ", the fastest that fits in " + memory};
  }
  const auto smallest = std::ranges::min_element(estimates.begin() + static_cast<std::ptrdiff_t>(first),
                                                 estimates.end(), {}, &Estimate::bytes);
  return {static_cast<std::size_t>(smallest - estimates.begin()), ", the smallest, which exceeds " + memory};
}

/// Plain samples are fast enough for any model.
Chosen choose_by_speed(const Estimates& estimates, std::size_t first, double samples_per_second) {
  std::optional<std::size_t> best;
  for (std::size_t i = first; i < estimates.size(); ++i) {
    if (i > 0 && estimates[i].per_second < samples_per_second) continue;
    if (!best || estimates[i].bytes < estimates[*best].bytes) best = i;
  }
  const std::string speed = per_second(samples_per_second);
  if (best) return {*best, ", the smallest that the processors of this machine decode at " + speed};
  return {first, ", the fastest, which they decode at less than " + speed};
}

}  // namespace

CompressionChoice choose_compression(Source& source, std::optional<int> max_error, const CompressionLimits& limits) {
  packing::check_max_error(max_error);
  if (limits.memory_bytes && *limits.memory_bytes < 1) {
    throw InvalidArgument("choose a compression: `memory` is " + std::to_string(*limits.memory_bytes) +
                          "; expected at least 1 byte");
  }
  const double speed = limits.samples_per_second.value_or(1.0);
  if (!(speed > 0.0) || !std::isfinite(speed)) {
    throw InvalidArgument("choose a compression: `model_speed` is " + formatted("%.1f", speed) +
                          "; expected samples per second, above 0");
  }
  const int error = max_error.value_or(source.splits()[sampled_split(source)].max_error);
  sources::RoundedSource rounded(source, std::vector<int>(source.splits().size(), error));
  const SomeSamples some = read_samples(rounded);
  if (some.count == 0) return {Compression::none, "compression: none, because no sample could be read"};
  const std::size_t first = max_error.value_or(0) > 0 ? 1 : 0;
  const bool by_speed = limits.samples_per_second.has_value();
  Estimates estimates;
  std::string listed;
  for (std::size_t i = 0; i < kCandidates.size(); ++i) {
    estimates[i] = estimate(some, kCandidates[i], error, plain_bytes(source), by_speed);
    if (i < first) continue;
    listed +=
        (i == first ? "" : ", ") + std::string(to_string(kCandidates[i])) + " " + format_bytes(estimates[i].bytes);
    if (estimates[i].per_second > 0.0) listed += " at " + per_second(estimates[i].per_second);
  }
  const Chosen chosen = by_speed              ? choose_by_speed(estimates, first, speed)
                        : limits.memory_bytes ? choose_by_memory(estimates, first, *limits.memory_bytes)
                                              : choose_by_size(estimates, first);
  const Compression compression = kCandidates[chosen.candidate];
  std::string note = std::string("compression: ") + to_string(compression) + chosen.why;
  if (by_speed && limits.memory_bytes && estimates[chosen.candidate].bytes > *limits.memory_bytes) {
    note += "; it exceeds " + format_bytes(*limits.memory_bytes);
  }
  return {compression, note + " (estimates: " + listed + ")"};
}

}  // namespace octavo
