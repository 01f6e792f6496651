// Small arrays and streams for the array tests.
#pragma once

#include <cstring>
#include <memory>
#include <octavo/errors.hpp>
#include <string>
#include <vector>

#include "arrays/array.hpp"
#include "sources/made_files.hpp"

namespace octavo::test {

inline std::shared_ptr<files::ByteStream> stream_of(const std::string& bytes) {
  return files::stream_in_memory("\"a\"", bytes);
}
/// The same bytes as a forward-only stream.
inline std::shared_ptr<files::ByteStream> sequential(const std::string& bytes) {
  return files::inflate_gzip(files::stream_in_memory("\"a\"", gzipped(bytes)));
}

inline std::unique_ptr<arrays::Array> array_of(const std::string& bytes, arrays::StreamLayout layout) {
  return arrays::array_in_stream("\"a\"", stream_of(bytes), std::move(layout));
}

/// Rows as raw bytes.
inline std::string rows(arrays::Array& array, std::int64_t first, std::int64_t count) {
  std::string bytes(static_cast<std::size_t>(count * array.row_bytes()), '?');
  array.read_rows(first, count, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

template <typename Number>
std::string bytes_of_numbers(const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

template <typename Number>
std::vector<Number> numbers_in(const auto& bytes) {
  std::vector<Number> numbers(std::size(bytes) / sizeof(Number));
  if (!numbers.empty()) std::memcpy(numbers.data(), std::data(bytes), std::size(bytes));
  return numbers;
}

}  // namespace octavo::test
