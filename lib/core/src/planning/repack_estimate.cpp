#include "planning/repack_estimate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <memory>

#include "dataset_file/read_codes.hpp"
#include "dataset_file/split_data.hpp"
#include "format/codec.hpp"
#include "format/coded_rows/divide_codes.hpp"

namespace octavo::planning {
namespace {

using Clock = std::chrono::steady_clock;

/// Limits the time and the memory of an estimate.
constexpr std::int64_t kMostReadBytes = std::int64_t{64} << 20;

/// Rows that are decoded to read one.
std::int64_t rows_per_read(const dataset_file::SplitData& data) {
  return dataset_file::codec_of(data.description().compression).rows_stand_alone ? 1 : data.rows_per_block(1);
}

/// Evenly spaced rows of a split, in order: if a file is sorted by class, every class is among them.
std::vector<std::int64_t> sampled_rows(const dataset_file::SplitData& data, std::int64_t most_samples) {
  const dataset_file::SplitDescription& split = data.description();
  const std::int64_t N = split.sample_count;
  const std::int64_t row_bytes = split.shape.values() + (split.has_masks ? split.shape.values_per_channel() : 0);
  const std::int64_t count = std::min({N, most_samples, kMostReadBytes / row_bytes / rows_per_read(data)});
  std::vector<std::int64_t> rows;
  if (count < 2 && count < N) return rows;  // says nothing about the others
  for (std::int64_t i = 0; i < count; ++i) {
    rows.push_back(static_cast<std::int64_t>((static_cast<double>(i) + 0.5) * static_cast<double>(N) /
                                             static_cast<double>(count)));
  }
  return rows;
}

/// Sizes of encoded samples, one after the other.
class Sizes {
 public:
  void add(std::size_t row_bytes) {
    ++count_;
    total_ += row_bytes;
    const auto bytes = static_cast<double>(row_bytes);
    const double difference = bytes - mean_;
    mean_ += difference / static_cast<double>(count_);
    squares_ += difference * (bytes - mean_);
  }

  /// Of a row on the device, rounded up, with its offset.
  std::int64_t row_bytes() const {
    if (count_ == 0) return 0;
    const auto n = static_cast<std::size_t>(count_);
    return static_cast<std::int64_t>((total_ + n - 1) / n + sizeof(std::uint64_t));
  }

  /// Of the mean as an estimate of that of all `N`.
  double standard_error(std::int64_t N) const {
    if (count_ < 2) return 0.0;
    const auto n = static_cast<double>(count_);
    return std::sqrt(squares_ / (n - 1.0) / n * (1.0 - n / static_cast<double>(N)));
  }

 private:
  std::int64_t count_ = 0;
  std::size_t total_ = 0;
  double mean_ = 0.0, squares_ = 0.0;
};

/// The codes of a row as a codec encodes them.
void read_row(const dataset_file::SplitData& data, std::int64_t row, std::span<std::byte> codes) {
  dataset_file::read_codes(data, row, 1, codes);
  dataset_file::divide_codes(data.description().max_error, codes);
}

/// The class of each row; empty if labels are not classes.
std::vector<std::int32_t> classes_of(const dataset_file::SplitData& data, const std::vector<std::int64_t>& rows) {
  std::vector<std::int32_t> classes;
  if (data.description().labels.kind != LabelKind::class_index) return classes;
  classes.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    data.read_labels(rows[i], 1, std::as_writable_bytes(std::span(&classes[i], 1)));
  }
  return classes;
}

/// The codes of the rows that train the encoding, as when the split is packed.
std::vector<std::byte> typical_codes(const dataset_file::SplitData& data, const dataset_file::Codec& codec,
                                     const std::vector<std::int64_t>& rows) {
  const SampleShape& shape = data.description().shape;
  if (codec.train_tables == nullptr) return {};
  const auto values = static_cast<std::size_t>(shape.values());
  const auto count = static_cast<std::size_t>(dataset_file::training_samples(std::ssize(rows), shape));
  std::vector<std::byte> codes(count * values);
  for (std::size_t i = 0; i < count; ++i) {
    read_row(data, rows[i * rows.size() / count], std::span(codes).subspan(i * values, values));
  }
  return codes;
}

EncodedSamples encode_rows(const dataset_file::SplitData& data, const dataset_file::Codec& codec,
                           const std::vector<std::int64_t>& rows, const std::vector<std::int32_t>& classes) {
  const dataset_file::SplitDescription& split = data.description();
  const auto image_bytes = static_cast<std::size_t>(split.shape.values());
  const auto mask_bytes = split.has_masks ? static_cast<std::size_t>(split.shape.values_per_channel()) : 0;
  const SampleShape mask = {1, split.shape.height, split.shape.width};
  const dataset_file::TrainedEncoder for_images(codec, split.shape, typical_codes(data, codec, rows));
  const dataset_file::TrainedEncoder for_masks(codec, mask, {});
  std::vector<std::byte> codes(image_bytes), masks(mask_bytes), encoded;
  EncodedSamples result{.compression = codec.compression, .count = static_cast<std::int64_t>(rows.size())};
  Sizes images, mask_rows, samples;
  Clock::duration reading{}, encoding{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t row = rows[i];
    const Clock::time_point start = Clock::now();
    read_row(data, row, codes);
    if (split.has_masks) dataset_file::read_masks(data, row, 1, masks);
    const Clock::time_point read = Clock::now();
    encoded.clear();
    for_images.encoder->encode(codes, encoded);
    const std::size_t image_size = encoded.size();
    images.add(image_size);
    if (split.has_masks) {
      for_masks.encoder->encode(masks, encoded);  // appends
      mask_rows.add(encoded.size() - image_size);
    }
    reading += read - start;
    encoding += Clock::now() - read;
    const double share = static_cast<double>(image_size) / static_cast<double>(image_bytes);
    result.least_share = row == rows.front() ? share : std::min(result.least_share, share);
    if (share > result.most_share) {
      result.most_share = share;
      result.largest_index = row;
    }
    samples.add(encoded.size());
    if (classes.empty()) continue;
    ClassSizes& sizes = result.classes[classes[i]];
    ++sizes.count;
    sizes.plain_bytes += std::ssize(codes);
    sizes.encoded_bytes += static_cast<std::int64_t>(image_size);
  }
  result.seconds = std::chrono::duration<double>(encoding).count() +
                   std::chrono::duration<double>(reading).count() / static_cast<double>(rows_per_read(data));
  result.row_bytes = images.row_bytes() + mask_rows.row_bytes();
  result.standard_error = samples.standard_error(split.sample_count);
  return result;
}

}  // namespace

std::vector<EncodedSamples> encode_samples(const Split& split, std::int64_t most_samples) {
  const dataset_file::SplitData& data = *split.data();
  std::vector<EncodedSamples> results;
  if (most_samples == 0) return results;
  const std::vector<std::int64_t> rows = sampled_rows(data, most_samples);
  if (rows.empty()) return results;
  const std::vector<std::int32_t> classes = classes_of(data, rows);
  for (const CompressionInfo& known : kCompressions) {
    const dataset_file::Codec& codec = dataset_file::codec_of(known.compression);
    if (codec.make_row_encoder == nullptr || known.compression == split.compression()) continue;
    results.push_back(encode_rows(data, codec, rows, classes));
  }
  return results;
}

}  // namespace octavo::planning
