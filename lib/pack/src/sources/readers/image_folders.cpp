// Folders and archives of images, as sources.
#include <string>

#include <octavo/errors.hpp>

#include "sources/lists/export_index.hpp"
#include "sources/lists/folders/folder_listing.hpp"
#include "sources/source_reader.hpp"

namespace octavo::sources {
namespace {

/// The images of a folder that `octavo export` wrote.
ImageList list_exported(const SourceEntry& entry, const std::string& folder, const SourceOptions& options) {
  auto contents = read_export_index(entry.tree, folder);
  contents.are_classes_sorted = false;
  for (SplitImages& list : contents.splits) {
    if (!options.with_masks) list.masks.clear();
  }
  if (!options.class_names.empty()) contents.class_names = options.class_names;
  if (!entry.split.empty()) {
    if (contents.splits.size() != 1) {
      throw DataError("read " + entry.name() + " as split \"" + entry.split + "\": it holds " +
                      std::to_string(contents.splits.size()) + " splits; omit the name");
    }
    contents.splits[0].split = entry.split;
  }
  return contents;
}

Opened open_folder(SourceEntry& entry, const OpenContext& context) {
  if (const auto folder = exported_folder(*entry.tree)) return list_exported(entry, *folder, context.options);
  return ImageRoot{.tree = entry.tree,
                   .folder = entry.path,
                   .split = entry.split,
                   .remarks = entry.remarks,
                   .list_problem = entry.list_problem,
                   .format_without_list = entry.format_without_list};
}

}  // namespace

const SourceReader kFolderReader = {
    .name = "folder", .kind = "a folder of images", .found_by = FoundBy::images, .open = &open_folder};

}  // namespace octavo::sources
