// Dataset files for the export tests, and reading of whole splits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <octavo/dataset.hpp>
#include <octavo/writer.hpp>
#include <span>
#include <string>
#include <vector>

namespace octavo::test {

/// A split of the file that write_file() makes.
struct MadeSplit {
  std::string name;
  std::int64_t sample_count = 0;
  SampleShape shape;
  LabelLayout layout;
  std::vector<std::byte> labels;  ///< labels of all samples
};

template <typename Number>
std::vector<std::byte> bytes_of(const std::vector<Number>& numbers) {
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

/// Value `i` of a split. All values from 0 to 255 occur.
inline std::uint8_t made_value(std::size_t i) { return static_cast<std::uint8_t>(i * 7 + i / 256); }

inline void write_file(const std::filesystem::path& path, const std::vector<MadeSplit>& splits,
                       const std::vector<std::string>& class_names = {}) {
  WriterOptions options;
  options.class_names = class_names;
  for (const MadeSplit& split : splits) {
    const Color color = split.shape.channels == 1 ? Color::gray : split.shape.channels == 3 ? Color::rgb : Color::other;
    options.splits.push_back({split.name, split.shape, split.layout, color, split.sample_count});
  }
  Writer writer(path, options);
  for (std::size_t number = 0; number < splits.size(); ++number) {
    std::vector<std::uint8_t> values(
        static_cast<std::size_t>(splits[number].sample_count * splits[number].shape.values()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = made_value(i + number);
    writer.write(number, 0, values, splits[number].labels);
  }
  writer.finish("{}");
}

/// All codes of a split, followed by all its label bytes.
inline std::vector<std::byte> contents_of(const Split& split) {
  std::vector<std::int8_t> codes(static_cast<std::size_t>(split.packed_bytes()));
  std::vector<std::byte> labels(static_cast<std::size_t>(split.sample_count() * split.labels().bytes_per_sample()));
  split.read_checked(0, split.sample_count(), codes, labels);
  std::vector<std::byte> all = bytes_of(codes);
  all.insert(all.end(), labels.begin(), labels.end());
  return all;
}

}  // namespace octavo::test
