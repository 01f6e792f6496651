// Small dataset files with known contents.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <octavo/dataset.hpp>
#include <octavo/writer.hpp>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "temporary_folder.hpp"

namespace octavo::test {

/// Samples before packing.
struct PlainSplit {
  std::string name;
  SampleShape shape;
  std::vector<std::uint8_t> values;      ///< [N,C,H,W]
  std::vector<std::int32_t> labels;      ///< [N] or [N,K]
  std::int64_t label_width = 1;          ///< K; 0: no labels
  std::vector<std::uint8_t> masks = {};  ///< [N,H,W], or empty
  int max_error = 0;                     ///< in the file, if it is compressed in memory

  std::int64_t sample_count() const { return static_cast<std::int64_t>(values.size()) / shape.values(); }
  std::uint8_t value(std::int64_t row, std::int64_t c, std::int64_t p) const {
    return values[static_cast<std::size_t>(row * shape.values() + c * shape.values_per_channel() + p)];
  }
};

/// The compression of files for which a test chooses none: the one that OCTAVO_TEST_COMPRESSION names, else none. So
/// all tests can be run with each.
inline Compression usual_compression() {
  const char* const name = std::getenv("OCTAVO_TEST_COMPRESSION");
  for (const CompressionInfo& info : kCompressions) {
    if (name != nullptr && std::string_view(name) == info.name) return info.compression;
  }
  return Compression::none;
}

/// N random samples with labels row % 10.
inline PlainSplit random_split(const std::string& name, std::int64_t N, SampleShape shape, unsigned seed = 1) {
  PlainSplit split{name, shape, {}, {}, 1};
  std::mt19937 random(seed);
  split.values.resize(static_cast<std::size_t>(N * shape.values()));
  for (std::uint8_t& value : split.values) value = static_cast<std::uint8_t>(random() >> 7);
  // Noise does not shrink: if all files are compressed, every second sample is smoother.
  for (std::size_t i = 0; usual_compression() != Compression::none && i < split.values.size(); ++i) {
    if (i / static_cast<std::size_t>(shape.values()) % 2 == 1) {
      split.values[i] = static_cast<std::uint8_t>(i / 61 + split.values[i] % 4);
    }
  }
  for (std::int64_t row = 0; row < N; ++row) split.labels.push_back(static_cast<std::int32_t>(row % 10));
  return split;
}

/// The same with a random mask for each sample.
inline PlainSplit masked_split(const std::string& name, std::int64_t N, SampleShape shape, unsigned seed = 1) {
  PlainSplit split = random_split(name, N, shape, seed);
  std::mt19937 random(seed + 1);
  split.masks.resize(static_cast<std::size_t>(N * shape.values_per_channel()));
  for (std::uint8_t& value : split.masks) value = static_cast<std::uint8_t>(random() >> 7);
  return split;
}

/// N compressible samples with labels row % 10: gradients with a little noise.
inline PlainSplit smooth_split(const std::string& name, std::int64_t N, SampleShape shape, unsigned seed = 1) {
  PlainSplit split = random_split(name, N, shape, seed);
  for (std::size_t i = 0; i < split.values.size(); ++i) {
    split.values[i] = static_cast<std::uint8_t>(i / 61 + split.values[i] % 4);
  }
  return split;
}

/// The same with values that have a step.
inline PlainSplit rounded(PlainSplit split, int max_error) {
  split.max_error = max_error;
  for (std::uint8_t& value : split.values) value = static_cast<std::uint8_t>(value - value % value_step(max_error));
  return split;
}

/// Packs the splits into `path`.
inline void write_packed(const std::filesystem::path& path, const std::vector<PlainSplit>& splits,
                         Compression compression = usual_compression(), const std::string& provenance = "{}") {
  WriterOptions options;
  options.compression = compression;
  options.replace_existing = true;
  for (const PlainSplit& split : splits) {
    const LabelKind kind = split.label_width == 0   ? LabelKind::none
                           : split.label_width == 1 ? LabelKind::class_index
                                                    : LabelKind::multi_label;
    options.splits.push_back(
        {split.name, split.shape, {kind, split.label_width}, Color::other, split.sample_count(), false});
    options.splits.back().has_masks = !split.masks.empty();
    options.splits.back().max_error = stays_compressed(compression) ? split.max_error : 0;
  }
  Writer writer(path, options);
  for (std::size_t i = 0; i < splits.size(); ++i) {
    std::vector<std::uint8_t> values = splits[i].values;
    writer.train(i, values);
    writer.write(i, 0, values, std::as_bytes(std::span(splits[i].labels)), {}, splits[i].masks);
  }
  writer.finish(provenance);
}

/// A dataset file in its own temporary folder.
class PackedFixture {
 public:
  explicit PackedFixture(std::vector<PlainSplit> splits, Compression compression = usual_compression())
      : splits_(std::move(splits)) {
    write_packed(path(), splits_, compression);
  }

  std::filesystem::path path() const { return folder_ / "data.h5"; }
  Dataset dataset() const { return Dataset::open(path()); }
  const PlainSplit& plain(std::size_t index = 0) const { return splits_[index]; }

 private:
  TemporaryFolder folder_;
  std::vector<PlainSplit> splits_;
};

}  // namespace octavo::test
