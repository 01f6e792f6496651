#include "archive/index.hpp"

#include <algorithm>

#include <octavo/errors.hpp>

#include "archive/limits.hpp"
#include "support/hash.hpp"

namespace octavo::archive {

std::string dataset_path(const SplitEntry& split, std::string_view dataset) {
  return "/" + split.name + "/" + std::string(dataset);
}

std::vector<NamedExtent> extents_of(const Index& index) {
  std::vector<NamedExtent> all;
  for (const SplitEntry& split : index.splits) {
    all.push_back({dataset_path(split, "images"), split.images});
    if (split.labels) all.push_back({dataset_path(split, "labels"), *split.labels});
    all.push_back({dataset_path(split, "checksums"), split.checksums});
    all.push_back({dataset_path(split, "histogram"), split.histogram});
    all.push_back({dataset_path(split, "mean_image"), split.mean_image});
    if (split.names) all.push_back({dataset_path(split, "names"), *split.names});
    if (split.name_offsets) all.push_back({dataset_path(split, "name_offsets"), *split.name_offsets});
  }
  if (index.classes) all.push_back({"/classes", *index.classes});
  all.push_back({"/provenance", index.provenance});
  return all;
}

std::int64_t class_name_bytes(const std::vector<std::string>& class_names) {
  std::size_t longest = 1;
  for (const std::string& name : class_names) longest = std::max(longest, name.size());
  return static_cast<std::int64_t>(longest);
}

std::string class_name_table(const std::vector<std::string>& class_names) {
  const auto width = static_cast<std::size_t>(class_name_bytes(class_names));
  std::string table(class_names.size() * width, '\0');
  for (std::size_t i = 0; i < class_names.size(); ++i) table.replace(i * width, class_names[i].size(), class_names[i]);
  return table;
}

Index read_index(const File& file, const Header& header) {
  const bool inside = header.index_offset >= kHeaderBytes && header.index_offset <= header.file_length &&
                      header.index_length <= header.file_length - header.index_offset;
  if (!inside || header.index_length > kMostIndexBytes) {
    throw FormatError("the header places an index of " + std::to_string(header.index_length) + " bytes at byte " +
                      std::to_string(header.index_offset) + " of " + std::to_string(header.file_length) +
                      ", which cannot be; get the file again");
  }
  std::string text(static_cast<std::size_t>(header.index_length), '\0');
  file.read_at(header.index_offset, std::as_writable_bytes(std::span(text)));
  if (hash_bytes(std::as_bytes(std::span(text))) != header.index_hash) {
    throw FormatError(
        "its index is damaged (its hash does not match); get the file again, or rebuild it with "
        "`octavo reindex`");
  }
  Index index = decode_index(text);
  check_index(index, header);
  return index;
}

}  // namespace octavo::archive
