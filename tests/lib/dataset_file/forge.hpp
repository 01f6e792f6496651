// Dataset files with a forged header or index and correct hashes, as an attacker or a broken program would make them.
#pragma once

#include <cstring>
#include <filesystem>
#include <functional>
#include <string>

#include "format/index/header.hpp"
#include "format/index/index.hpp"
#include "small_file.hpp"
#include "support/file.hpp"
#include "support/hash.hpp"
#include "support/strict_json.hpp"

namespace octavo::test {

inline dataset_file::Header header_of(const std::filesystem::path& path) {
  return dataset_file::read_header(File::open_for_reading(path));
}

inline std::string index_text_of(const std::filesystem::path& path) {
  const dataset_file::Header header = header_of(path);
  std::string text(static_cast<std::size_t>(header.index_length), '\0');
  File::open_for_reading(path).read_at(header.index_offset, std::as_writable_bytes(std::span(text)));
  return text;
}

inline void write_header(const std::filesystem::path& path, const dataset_file::Header& header) {
  File::open_for_writing(path).write_at(0, dataset_file::encode_header(header));
}

/// Appends a different index to the file, and points the header to it.
inline void replace_index(const std::filesystem::path& path, const std::string& text) {
  dataset_file::Header header = header_of(path);
  header.index_offset = header.file_length;
  header.index_length = static_cast<std::int64_t>(text.size());
  header.index_hash = hash_bytes(std::as_bytes(std::span(text)));
  header.file_length += header.index_length;
  File::open_for_writing(path).write_at(header.index_offset, std::as_bytes(std::span(text)));
  write_header(path, header);
}

/// Same, with the index modified by `change`.
inline void forge_index(const std::filesystem::path& path, const std::function<void(Json&)>& change) {
  Json json = Json::parse(index_text_of(path));
  change(json);
  replace_index(path, json.dump());
}

}  // namespace octavo::test
