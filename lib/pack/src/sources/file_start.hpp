// The start of a file that may be a source.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/file_tree.hpp"

namespace octavo::sources {

/// An open file and its first bytes, which decide its format. The file is opened once: the reader that is chosen takes
/// over the stream.
class FileStart {
 public:
  /// Enough for every signature, and for the name at the end of a MATLAB header.
  static constexpr std::size_t kBytes = 128;

  /// Throws IoError; FormatError if the file is a damaged gzip file.
  FileStart(std::shared_ptr<const files::FileTree> tree, std::string path)
      : tree_(std::move(tree)), path_(std::move(path)), stream_(tree_->open(path_)), bytes_(kBytes) {
    bytes_.resize(stream_->read_some_at(0, bytes_));
  }

  const std::shared_ptr<const files::FileTree>& tree() const { return tree_; }
  const std::string& path() const { return path_; }
  /// The name without the folder.
  std::string file_name() const { return path_.substr(path_.rfind('/') + 1); }
  bool is_on_disk() const { return tree_->disk_path(path_).has_value(); }

  /// The first kBytes bytes, or the whole file.
  std::span<const std::byte> bytes() const { return bytes_; }
  bool begins_with(std::string_view magic) const {
    const auto expected = std::as_bytes(std::span(magic));
    return bytes_.size() >= expected.size() && std::equal(expected.begin(), expected.end(), bytes_.begin());
  }
  files::ByteStream& stream() const { return *stream_; }
  const std::shared_ptr<files::ByteStream>& shared_stream() const { return stream_; }

 private:
  std::shared_ptr<const files::FileTree> tree_;
  std::string path_;
  std::shared_ptr<files::ByteStream> stream_;
  std::vector<std::byte> bytes_;
};

}  // namespace octavo::sources
