// A small published set of one file, with known checksums.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <octavo/fetch.hpp>
#include <string>

namespace octavo::test {

/// 300,000 bytes, more than libcurl delivers at a time. The checksums below were computed with coreutils.
inline const std::string& served_content() {
  static const std::string content = [] {
    std::string bytes(300'000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>((i * 7 + i / 251) & 0xFF);
    return bytes;
  }();
  return content;
}

inline constexpr const char* kServedMd5 = "3f8873b0f85fd1d7a39cdfbee8fcbe0d";
inline constexpr const char* kServedSha256 = "5a67e7e545f6c42a3662c41aa6e0ede53d2a9011915681169310b402a518bf24";

/// A set of "a.bin" with that content, at these base URLs.
inline RemoteSet served_set(const std::vector<std::string>& mirrors) {
  return {.name = "served", .files = {{"a.bin", 300'000, kServedSha256, kServedMd5}}, .mirrors = mirrors};
}

/// The content with one byte changed.
inline std::string damaged_content() {
  std::string content = served_content();
  content[123'456] = static_cast<char>(content[123'456] ^ 1);
  return content;
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace octavo::test
