// Tables that list images with their labels, as sources.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <tuple>
#include <utility>

#include <octavo/errors.hpp>

#include "sources/lists/folders/class_folders.hpp"
#include "sources/lists/table/image_table.hpp"
#include "sources/source_reader.hpp"

namespace octavo::sources {
namespace {

bool is_named_as_list(const FileStart& start) { return is_image_table_name(start.file_name()); }

ImageList read_table(const SourceEntry& entry, const SourceOptions& options) {
  const auto& [tree, path] = std::tie(entry.tree, entry.path);
  try {
    auto contents = read_image_table(tree, path, {entry.split, entry.is_split_named, entry.has_labels}, options);
    const auto remark = entry.is_named ? std::nullopt : remark_on_class_folders(contents, *tree, path);
    if (remark) contents.remarks.push_back(*remark);
    return contents;
  } catch (const FormatError& error) {
    if (entry.is_named) throw;
    throw FormatError(error.what() + way_out_of_list(*tree, std::filesystem::path(path).parent_path().string()));
  }
}

Opened open_list(SourceEntry& entry, const OpenContext& context) {
  ReadList list = {read_table(entry, context.options), entry.tree, entry.path, entry.is_named, entry.is_split_named};
  list.contents.are_classes_sorted = context.options.class_names.empty();
  std::ranges::copy(entry.remarks, std::back_inserter(list.contents.remarks));
  return list;
}

}  // namespace

const SourceReader kListReader = {.name = "list",
                                  .aliases = {"manifest"},
                                  .kind = "an image list",
                                  .looks_like = &is_named_as_list,
                                  .found_by = FoundBy::image_list,
                                  .may_hold_splits = &always,
                                  .open = &open_list};

}  // namespace octavo::sources
