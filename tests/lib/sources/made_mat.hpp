// Small MATLAB 5 files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace octavo::test {

inline std::string little_endian(std::uint32_t value) {
  return {static_cast<char>(value), static_cast<char>(value >> 8), static_cast<char>(value >> 16),
          static_cast<char>(value >> 24)};
}

/// An element of a MATLAB 5 file: tag, data, padding to 8 bytes.
inline std::string mat_element(std::uint32_t type, const std::string& data) {
  return little_endian(type) + little_endian(static_cast<std::uint32_t>(data.size())) + data +
         std::string((8 - data.size() % 8) % 8, '\0');
}

/// A variable of a MATLAB 5 file, of class uint8 by default, whose numbers are stored as bytes.
inline std::string mat_variable(const std::string& name, const std::vector<std::uint32_t>& axes,
                                const std::string& data, std::uint32_t flags = 9) {
  std::string shape;
  for (const std::uint32_t axis : axes) shape += little_endian(axis);
  return mat_element(14, mat_element(6, little_endian(flags) + little_endian(0)) + mat_element(5, shape) +
                             mat_element(1, name) + mat_element(2, data));
}

/// A char matrix with these rows.
inline std::string mat_chars(const std::string& name, const std::vector<std::string>& rows) {
  std::size_t length = 0;
  for (const std::string& row : rows) length = std::max(length, row.size());
  std::string data;
  for (std::size_t at = 0; at < length; ++at) {
    for (const std::string& row : rows) data += at < row.size() ? row[at] : ' ';
  }
  return mat_variable(name, {static_cast<std::uint32_t>(rows.size()), static_cast<std::uint32_t>(length)}, data, 4);
}

inline std::string mat_file(const std::string& variables) {
  std::string header = "MATLAB 5.0 MAT-file, made for a test";
  header.resize(124, ' ');
  return header + std::string("\x00\x01IM", 4) + variables;
}

}  // namespace octavo::test
