// Random access to a file's bytes, in memory or on disk, for formats with scattered headers.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "images/byte_view.hpp"
#include "support/file.hpp"

namespace octavo::images {

/// Borrows a file, in memory or on disk, and reads parts of it.
class FileBytes {
 public:
  explicit FileBytes(std::span<const std::byte> whole)
      : whole_(whole), length_(static_cast<std::int64_t>(whole.size())) {}
  explicit FileBytes(const File& file) : file_(&file), length_(file.length()) {}

  std::int64_t length() const { return length_; }

  /// `byte_count` bytes from `offset`. Throws CutShort if the file ends before them; IoError.
  std::vector<std::byte> read(std::int64_t offset, std::int64_t byte_count) const {
    if (offset < 0 || byte_count < 0 || offset > length_ || byte_count > length_ - offset) {
      throw CutShort();
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(byte_count));
    if (file_ != nullptr) {
      file_->read_at(offset, bytes);
    } else if (!bytes.empty()) {
      std::memcpy(bytes.data(), whole_.data() + offset, bytes.size());
    }
    return bytes;
  }

 private:
  std::span<const std::byte> whole_;
  const File* file_ = nullptr;
  std::int64_t length_;
};

}  // namespace octavo::images
