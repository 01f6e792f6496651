// Image files: which, in which order, with which labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <octavo/source.hpp>

#include "files/file_tree.hpp"

namespace octavo::sources {

/// The images of one split, in order.
struct SplitImages {
  std::string split;
  std::shared_ptr<const files::FileTree> tree;
  std::vector<std::string> paths;  ///< in `tree`
  LabelLayout layout;
  std::vector<std::byte> labels;  ///< layout.bytes_per_sample() for each path

  /// The name of an image for messages, in quotes.
  std::string name(std::size_t at) const { return tree->name_of(paths[at]); }
};

/// The images of one or several folders or archives.
struct ImageList {
  std::string format = "folder";  ///< for the provenance
  std::vector<SplitImages> splits;
  std::vector<std::string> class_names;
  std::vector<std::filesystem::path> roots;
  std::int64_t ignored_file_count = 0;     ///< visible files that are no images by their names, or of no class
  std::vector<SampleFailure> left_out;     ///< samples that are told of and cannot be used
  std::vector<std::string> empty_folders;  ///< would be classes, but no split has an image of them
  std::vector<std::string> remarks;        ///< what one might not expect of all this
};

/// Appends a class number to a list of labels.
void append_label(std::vector<std::byte>& labels, std::int32_t label);

/// Brings the images of an archive into the order in which the archive has them: it is read from front to back.
void order_for_reading(SplitImages& list);

}  // namespace octavo::sources
