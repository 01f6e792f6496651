// Small dataset files for tests, with values from a formula.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <octavo/writer.hpp>
#include <span>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

namespace octavo::test {

/// Value `i` of a split with pseudorandom values that cover 0 to 255.
inline std::uint8_t value_at(std::size_t i) { return static_cast<std::uint8_t>((i * 2654435761u) >> 13); }

inline std::vector<std::uint8_t> values_of(const SampleShape& shape, std::int64_t first_row, std::int64_t count) {
  std::vector<std::uint8_t> values(static_cast<std::size_t>(shape.values() * count));
  const auto first = static_cast<std::size_t>(shape.values() * first_row);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_at(first + i);
  return values;
}

/// Class numbers: row % class_count.
inline std::vector<std::int32_t> classes_of(std::int64_t first_row, std::int64_t count, std::int32_t class_count = 3) {
  std::vector<std::int32_t> labels;
  for (std::int64_t row = first_row; row < first_row + count; ++row) {
    labels.push_back(static_cast<std::int32_t>(row % class_count));
  }
  return labels;
}

inline SplitLayout small_split(const std::string& name = "train", std::int64_t rows = 20) {
  return {.name = name,
          .shape = {3, 4, 5},
          .labels = {LabelKind::class_index, 1},
          .color = Color::rgb,
          .row_capacity = rows};
}

inline WriterOptions small_options(std::int64_t rows = 20) {
  WriterOptions options;
  options.splits = {small_split("train", rows)};
  options.class_names = {"cat", "dog \xC3\xA4", ""};
  options.reproducible = true;
  return options;
}

/// Writes all rows of a split, with class labels.
inline void write_all(Writer& writer, std::size_t number, const SplitLayout& split) {
  auto values = values_of(split.shape, 0, split.row_capacity);
  const auto labels = classes_of(0, split.row_capacity);
  writer.write(number, 0, values, std::as_bytes(std::span(labels)));
}

/// Writes a file of the splits in `options`, all with class labels.
inline void write_small_file(const std::filesystem::path& path, const WriterOptions& options = small_options()) {
  Writer writer(path, options);
  for (std::size_t number = 0; number < options.splits.size(); ++number)
    write_all(writer, number, options.splits[number]);
  writer.finish("{}");
}

inline std::vector<std::byte> bytes_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

inline void write_bytes(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace octavo::test
