#include "report/certificate.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>

#include <octavo/errors.hpp>

#include "report/summary.hpp"
#include "support/hash.hpp"
#include "support/threads.hpp"

namespace octavo::report {
namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{1} << 20;

std::int64_t rows_per_block(const Split& split) {
  return std::max<std::int64_t>(1, kBlockBytes / split.shape().values());
}

/// The uint8 values of samples [first, first + count).
void read_values(const Split& split, std::int64_t first, std::int64_t count, std::vector<std::uint8_t>& values) {
  values.resize(static_cast<std::size_t>(count * split.shape().values()));
  split.read(first, count, {reinterpret_cast<std::int8_t*>(values.data()), values.size()});
  for (std::uint8_t& value : values) value ^= 0x80;
}

/// Differences of one channel.
struct ChannelError {
  std::int64_t largest = 0;
  std::int64_t sum = 0;
  std::int64_t sum_of_squares = 0;  ///< at most 2^16 each: no overflow below 2^47 values
};

/// Compares the whole split with its source. Throws what reading throws.
std::vector<ChannelError> compare(const Split& split, const ReopenedSource& from) {
  const SampleShape shape = split.shape();
  std::vector<ChannelError> errors(static_cast<std::size_t>(shape.channels));
  std::vector<std::uint8_t> packed, original;
  std::vector<std::byte> labels;
  for (std::int64_t first = 0; first < split.sample_count(); first += rows_per_block(split)) {
    const std::int64_t count = std::min(rows_per_block(split), split.sample_count() - first);
    read_values(split, first, count, packed);
    original.resize(packed.size());
    labels.resize(static_cast<std::size_t>(count * from.source->splits()[from.split].labels.bytes_per_sample()));
    if (!from.source->read(from.split, first, count, original, labels).empty()) {
      throw FormatError("read the source again: it has bad samples");
    }
    if (packed == original) continue;
    for (std::size_t i = 0; i < packed.size(); ++i) {
      const std::int64_t difference = std::abs(packed[i] - original[i]);
      ChannelError& error =
          errors[i / static_cast<std::size_t>(shape.values_per_channel()) % static_cast<std::size_t>(shape.channels)];
      error.largest = std::max(error.largest, difference);
      error.sum += difference;
      error.sum_of_squares += difference * difference;
    }
  }
  return errors;
}

QuantizationCertificate describe(const Split& split, const std::vector<ChannelError>& errors) {
  QuantizationCertificate certificate;
  certificate.compared_with = "the source, read again";
  certificate.clipped_count.assign(errors.size(), 0);
  const auto values_per_channel = static_cast<double>(split.sample_count() * split.shape().values_per_channel());
  double squares = 0.0;
  for (const ChannelError& error : errors) {
    certificate.largest_error.push_back(static_cast<double>(error.largest));
    certificate.mean_error.push_back(static_cast<double>(error.sum) / values_per_channel);
    squares += static_cast<double>(error.sum_of_squares);
  }
  certificate.lossless = squares == 0.0;
  const double mean_square = squares / (values_per_channel * static_cast<double>(errors.size()));
  if (!certificate.lossless) certificate.psnr_db = 10.0 * std::log10(255.0 * 255.0 / mean_square);
  return certificate;
}

QuantizationCertificate certify_by_digest(const Split& split, const Origin& origin) {
  QuantizationCertificate certificate;
  if (!origin.digest) {
    certificate.compared_with = "nothing: the source cannot be read again, and no digest was stored";
    return certificate;
  }
  // The digest is of the images as they were packed.
  certificate.compared_with = origin.is_converted
                                  ? "the converted images that were packed (the digest stored at packing)"
                                  : "the digest stored at packing";
  certificate.lossless = digest_of(split) == *origin.digest;
  if (certificate.lossless) {
    const auto channels = static_cast<std::size_t>(split.shape().channels);
    certificate.largest_error.assign(channels, 0.0);
    certificate.mean_error.assign(channels, 0.0);
    certificate.clipped_count.assign(channels, 0);
  }
  return certificate;
}

/// What the losses were counted against. They were counted before images were resized.
std::string counted_against(const Split& split, const Origin& origin) {
  const std::string samples = counted_samples_text(*origin.loss, split.sample_count());
  if (!origin.is_converted) return "the source (" + split.source_dtype() + samples + "), when it was packed";
  // Values are rounded after resizing.
  const std::string before = origin.loss->max_error == 0 ? ", counted before resizing" : "";
  return "the converted images that were packed (" + split.source_dtype() + samples + before + ")";
}

/// Uses the losses that were counted when the split was packed.
QuantizationCertificate certify_by_losses(const Split& split, const Origin& origin) {
  QuantizationCertificate certificate;
  if (!origin.loss || std::ssize(origin.loss->channels) != split.shape().channels) {
    certificate.compared_with =
        "nothing: the source was " + split.source_dtype() + ", and the file does not record the loss";
    return certificate;
  }
  certificate.compared_with = counted_against(split, origin);
  certificate.psnr_db = origin.loss->psnr_db;
  certificate.level_use = origin.loss->level_use;
  certificate.lossless = true;
  for (const ChannelLoss& loss : origin.loss->channels) {
    certificate.largest_error.push_back(loss.largest_error);
    certificate.mean_error.push_back(loss.mean_rounding);
    certificate.clipped_count.push_back(loss.clipped);
    certificate.lossless = certificate.lossless && loss.largest_error == 0.0;
  }
  return certificate;
}

}  // namespace

std::uint64_t digest_of(const Split& split) {
  std::atomic<std::uint64_t> digest = 0;
  std::atomic<std::int64_t> next = 0;
  const auto row_bytes = static_cast<std::size_t>(split.shape().values());
  run_on_threads(available_threads(), [&](int) {
    std::vector<std::uint8_t> values;
    for (std::int64_t first; (first = next.fetch_add(rows_per_block(split))) < split.sample_count();) {
      read_values(split, first, std::min(rows_per_block(split), split.sample_count() - first), values);
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i * row_bytes < values.size(); ++i) {
        sum += XXH3_64bits_withSeed(values.data() + i * row_bytes, row_bytes, static_cast<std::uint64_t>(first) + i);
      }
      digest += sum;
    }
  });
  return digest;
}

QuantizationCertificate certify(const Split& split, const Origin& origin) {
  // A split of bytes can have quantized samples: 16-bit images next to 8-bit ones.
  if (split.source_dtype() != "uint8" || origin.loss) {
    return certify_by_losses(split, origin);
  }
  if (const auto source = reopen(origin, split)) {
    try {
      return describe(split, compare(split, *source));
    } catch (const Error&) {
      // The source failed while it was read: fall back to the digest.
    }
  }
  return certify_by_digest(split, origin);
}

}  // namespace octavo::report
