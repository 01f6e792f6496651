// The images of a folder: which files, in which order, with which labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <octavo/sample.hpp>

namespace octavo::sources {

/// The images of one split, in order.
struct ImageList {
  std::string split;
  std::filesystem::path root;
  std::vector<std::string> paths;  ///< below `root`
  LabelLayout layout;
  std::vector<std::byte> labels;  ///< layout.bytes_per_sample() for each path

  std::filesystem::path file(std::size_t at) const { return root / paths[at]; }
};

/// The images of one or several folders.
struct FolderContents {
  std::vector<ImageList> splits;
  std::vector<std::string> class_names;
  std::vector<std::filesystem::path> roots;
  std::int64_t ignored_file_count = 0;     ///< visible files that are no images by their names, or of no class
  std::vector<std::string> empty_folders;  ///< would be classes, but no split has an image of them
};

/// Appends a class number to a list of labels.
inline void append_label(std::vector<std::byte>& labels, std::int32_t label) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&label);
  labels.insert(labels.end(), bytes, bytes + sizeof label);
}

}  // namespace octavo::sources
