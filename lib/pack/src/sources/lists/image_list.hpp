// Lists of image files with their order and labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
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
  std::vector<std::byte> labels;           ///< layout.bytes_per_sample() bytes for each path
  std::vector<std::string> masks = {};     ///< the mask of each path, in `tree`, which is on disk; empty: no masks
  std::vector<std::string> columns = {};   ///< names of the metadata
  std::vector<std::string> metadata = {};  ///< with columns, of each path: a JSON array

  /// The quoted name of an image, for messages.
  std::string name(std::size_t at) const { return tree->name_of(paths[at]); }
};

/// The images of one or more folders or archives.
struct ImageList {
  std::string format = "folder";  ///< for the provenance
  std::vector<SplitImages> splits;
  std::vector<std::string> class_names;
  bool are_classes_sorted = true;                ///< false: their order was given and must stay
  std::map<int, std::string> mask_classes = {};  ///< names of mask values
  std::vector<std::filesystem::path> roots;
  /// The folder of the images of a table that options.image_root names; null: that of the table.
  std::shared_ptr<const files::FileTree> image_root = nullptr;
  std::int64_t ignored_file_count = 0;     ///< visible files that are not images by name, or not in a class
  std::vector<std::string> ignored_files;  ///< the first of them, by path below their root
  std::vector<SampleFailure> left_out;     ///< listed samples that cannot be used
  std::vector<std::string>
      left_out_files;  ///< images and masks, in the tree, that the lines of a table in left_out name
  std::vector<std::string> empty_folders;      ///< class folders without an image in any split
  std::vector<std::string> remarks;            ///< notes on surprising decisions
  bool is_table = false;                       ///< read from a CSV, TSV or JSON file
  bool has_tags = false;                       ///< multi-labels from text; their classes are numbered like class names
  std::vector<std::string> automatic_columns;  ///< those that are kept although no option names them
  std::vector<std::string> columns;            ///< of a table: all its columns, also those that are not kept
};

/// Whether multi-labels that a text of a few bytes can stand for fit into memory: at most 2 GiB in all.
constexpr bool fits_multi_labels(std::int64_t sample_count, std::int64_t width) {
  constexpr std::int64_t kMostNumbers = std::int64_t{1} << 29;
  return width == 0 || sample_count <= kMostNumbers / width;
}

/// Counts a file as ignored; `path` is below its root.
void ignore_file(ImageList& contents, const std::string& path);

/// Appends a class number to a list of labels.
void append_label(std::vector<std::byte>& labels, std::int32_t label);

/// Appends one number to the labels of a list, as the type of its layout.
void append_label(SplitImages& list, double number);

/// Keeps the images at `order`, in that order.
void keep_images(SplitImages& list, const std::vector<std::size_t>& order);

/// Sorts the images of an archive by their order in the archive, which is read from front to back.
void order_for_reading(SplitImages& list);

}  // namespace octavo::sources
