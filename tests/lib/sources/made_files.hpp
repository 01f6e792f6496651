// Small handmade files for the pack tests: bytes, gzip, IDX, CIFAR.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <octavo/pack.hpp>
#include <octavo/source.hpp>
#include <string>
#include <vector>

namespace octavo::test {

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

/// One gzip member.
inline std::string gzipped(const std::string& bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(bytes.size() + 1024, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

/// An IDX file of unsigned bytes.
inline std::string idx(std::initializer_list<std::uint32_t> axes, const std::string& data) {
  std::string bytes = {0, 0, 8, static_cast<char>(axes.size())};
  for (const std::uint32_t axis : axes) bytes += big_endian(axis);
  return bytes + data;
}

/// `count` bytes: first, first + 1, ...
inline std::string counting(std::size_t count, int first = 0) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(first + static_cast<int>(i));
  return bytes;
}

/// A .npy file of version 1.0.
inline std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                       bool is_fortran = false) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': " + (is_fortran ? "True" : "False") +
                             ", 'shape': (" + shape + "), }\n";
  const auto bytes = static_cast<std::uint16_t>(header.size());
  return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(bytes & 0xFF) + static_cast<char>(bytes >> 8) + header +
         data;
}

/// A .npy file of text ("<U8").
inline std::string npy_texts(const std::vector<std::string>& texts) {
  std::string data;
  for (const std::string& text : texts) {
    for (std::size_t i = 0; i < 8; ++i) data += std::string({i < text.size() ? text[i] : '\0', '\0', '\0', '\0'});
  }
  return npy("<U8", std::to_string(texts.size()) + ",", data);
}

/// A CIFAR record whose planes are filled with the given red, green and blue.
inline std::string cifar_record(const std::string& labels, int red, int green, int blue) {
  return labels + std::string(1024, static_cast<char>(red)) + std::string(1024, static_cast<char>(green)) +
         std::string(1024, static_cast<char>(blue));
}

inline std::unique_ptr<Source> open(const std::filesystem::path& path, const SourceOptions& options = {}) {
  return open_source({{path}}, options);
}

/// The samples that a source gives for some rows of a split.
struct Samples {
  std::vector<std::uint8_t> values;
  std::vector<std::int32_t> labels;
  std::vector<SampleFailure> failures;
};

inline Samples read(Source& source, std::size_t split, std::int64_t first_row, std::int64_t count) {
  const SourceSplit& layout = source.splits()[split];
  Samples samples;
  samples.values.resize(static_cast<std::size_t>(count * layout.shape.values()));
  samples.labels.resize(static_cast<std::size_t>(count * layout.labels.width));
  samples.failures =
      source.read(split, first_row, count, samples.values, std::as_writable_bytes(std::span(samples.labels)));
  return samples;
}

inline Samples read_all(Source& source, std::size_t split = 0) {
  return read(source, split, 0, source.splits()[split].sample_count);
}

}  // namespace octavo::test
