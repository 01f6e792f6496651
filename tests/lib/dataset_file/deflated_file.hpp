// Dataset files with deflated images, whose contents follow from a formula.
#pragma once

#include <algorithm>
#include <string>
#include <thread>

#include "small_file.hpp"

namespace octavo::test {

/// The kind of samples.
enum class Contents { photo, noise, zeros };

/// Value `i` of incompressible data: the finalizer of MurmurHash3 of i.
inline std::uint8_t noise_at(std::uint64_t i) {
  i = (i ^ i >> 33) * 0xFF51AFD7ED558CCDull;
  i = (i ^ i >> 33) * 0xC4CEB9FE1A85EC53ull;
  return static_cast<std::uint8_t>(i >> 40);
}

/// Values of rows from `first_row` on. `photo` compresses like photographs: gradients with a little noise.
inline std::vector<std::uint8_t> contents_of(Contents contents, const SampleShape& shape, std::int64_t first_row,
                                             std::int64_t count) {
  std::vector<std::uint8_t> values(static_cast<std::size_t>(shape.values() * count));
  if (contents == Contents::zeros) return values;
  const auto first = static_cast<std::size_t>(shape.values() * first_row);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint8_t noise = noise_at(first + i);
    values[i] = contents == Contents::noise ? noise : static_cast<std::uint8_t>((first + i) / 64 + noise % 4);
  }
  return values;
}

/// A split of images without class names.
inline SplitLayout deflated_split(const std::string& name, const SampleShape& shape, std::int64_t rows) {
  return {.name = name, .shape = shape, .labels = {LabelKind::class_index, 1}, .row_capacity = rows};
}

inline WriterOptions deflated_options(const SampleShape& shape, std::int64_t rows) {
  WriterOptions options;
  options.splits = {deflated_split("train", shape, rows)};
  options.compression = Compression::deflate;
  options.reproducible = true;
  return options;
}

/// Writes rows [first, end) of a split with one call.
inline void write_rows(Writer& writer, std::size_t split, const SplitLayout& layout, Contents contents,
                       std::int64_t first, std::int64_t end) {
  auto values = contents_of(contents, layout.shape, first, end - first);
  const auto labels = classes_of(first, end - first);
  writer.write(split, first, values, std::as_bytes(std::span(labels)));
}

inline void write_deflated(const std::filesystem::path& path, const WriterOptions& options, Contents contents) {
  Writer writer(path, options);
  for (std::size_t split = 0; split < options.splits.size(); ++split) {
    write_rows(writer, split, options.splits[split], contents, 0, options.splits[split].row_capacity);
  }
  writer.finish("{}");
}

}  // namespace octavo::test
