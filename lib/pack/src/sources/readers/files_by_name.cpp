#include "sources/readers/files_by_name.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <octavo/errors.hpp>

#include "sources/combine/split_names.hpp"
#include "sources/detection.hpp"
#include "sources/lists/natural_order.hpp"
#include "sources/readers/array_container.hpp"
#include "sources/readers/label_file.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;
using files::FileTree;
using Tree = std::shared_ptr<const FileTree>;

/// Readers whose files are looked for together.
using Family = std::vector<const SourceReader*>;

/// Well-known names make one family per kind of name, in the order of the registry.
std::vector<Family> families_found_by(FoundBy found_by) {
  std::vector<Family> families;
  for (const SourceReader* reader : kSourceReaders) {
    if (reader->found_by != found_by) continue;
    const bool is_together = !families.empty() && (found_by != FoundBy::well_known_name ||
                                                   families.back().front()->is_named == reader->is_named);
    if (!is_together) families.emplace_back();
    families.back().push_back(reader);
  }
  return families;
}

bool is_wanted(const Family& family, const SourceReader* wanted) {
  return wanted == nullptr ||
         std::any_of(family.begin(), family.end(), [&](const auto* reader) { return reader == wanted; });
}

bool is_named(const Family& family, const std::string& name) {
  return std::any_of(family.begin(), family.end(), [&](const auto* reader) { return reader->is_named(name); });
}

/// Leaves out compressed files that also exist uncompressed.
void drop_compressed_twins(std::vector<std::string>& names) {
  const std::set<std::string> all(names.begin(), names.end());
  std::erase_if(names, [&](const std::string& name) {
    return name.ends_with(".gz") && all.contains(name.substr(0, name.size() - 3));
  });
}

/// Two files of one split in one folder are more likely two datasets than one.
void check_one_file_a_split(const std::vector<SourceEntry>& entries) {
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].split != entries[i - 1].split) continue;
    throw DataError("find the splits: " + entries[i - 1].name() + " and " + entries[i].name() +
                    " both look like split \"" + entries[i].split + "\"; name the files to use");
  }
}

/// The format of a file with such a name. If the name alone decides, errors show on reading. Otherwise the content
/// does, unless the user names the format and it has such names alone.
std::optional<SourceEntry> input_in(const Family& family, const Tree& tree, const std::string& path,
                                    const SourceReader* wanted) {
  if (family.front()->is_input == nullptr) return finding_of(tree, path, family.front());
  const FileStart start(tree, path);
  const auto found = std::find_if(family.begin(), family.end(), [&](const auto* one) { return one->is_input(start); });
  const SourceReader* reader = found == family.end() ? nullptr : *found;
  if (family.front()->found_by == FoundBy::disk_extension) {
    if (found == family.end()) refuse_mat4(start);
    if (start.is_on_disk() && found == family.end()) refuse_misnamed(*tree, path, kinds_of(family));
    if (wanted != nullptr && reader != wanted) return std::nullopt;
  } else if (wanted != nullptr && family.front()->found_by != FoundBy::extension) {
    reader = wanted;
  }
  if (reader == nullptr) return std::nullopt;
  SourceEntry entry = finding_of(tree, path, reader);
  if (reader->reads_stream) entry.stream = start.shared_stream();
  return entry;
}

/// Whether a file holds labels alone: no array has several numbers for each index of the first axis, and more axes than
/// labels.
bool holds_labels_alone(const SourceEntry& entry) {
  if (entry.reader->open_container == nullptr) return false;
  SourceEntry copy = entry;
  const auto container = entry.reader->open_container(copy);
  return std::ranges::none_of(container->arrays(), [](const arrays::ListedArray& array) {
    return array.is_usable() && array.axes.size() >= 3 && array.row_values() > 1;
  });
}

/// Joins "..._y.h5" to "..._x.h5": a file of labels is not a source of its own.
void join_label_files(const Tree& tree, std::vector<SourceEntry>& entries) {
  std::set<std::string> label_files;
  std::map<std::string, const SourceEntry*> by_path;
  for (const SourceEntry& entry : entries) by_path[entry.path] = &entry;
  for (SourceEntry& entry : entries) {
    const auto labels = label_file_of(*tree, entry.path);
    const auto other = labels ? by_path.find(*labels) : by_path.end();
    if (other == by_path.end() || !holds_labels_alone(*other->second)) continue;
    entry.label_file = std::make_shared<SourceEntry>(*other->second);
    label_files.insert(*labels);
  }
  std::erase_if(entries, [&](const SourceEntry& entry) { return label_files.contains(entry.path); });
}

/// Attaches the files next to the images that are not the labels of any of them.
void attach_others(const Tree& tree, std::vector<std::string> others, std::vector<SourceEntry>& entries) {
  std::set<std::string> label_files;
  for (const SourceEntry& entry : entries) {
    if (const auto labels = label_file_of(*tree, entry.path)) label_files.insert(*labels);
  }
  std::erase_if(others, [&](const std::string& other) { return label_files.contains(other); });
  for (SourceEntry& entry : entries) entry.others = others;
}

/// The files of one family in a folder.
std::vector<SourceEntry> files_of(const Family& family, const Tree& tree, const std::string& folder,
                                  const SourceReader* wanted) {
  std::vector<SourceEntry> entries;
  std::vector<std::string> others;
  for (const std::string& name : files_named(*tree, folder, [&](const auto& one) { return is_named(family, one); })) {
    const std::string path = files::join_path(folder, name);
    if (auto entry = input_in(family, tree, path, wanted)) {
      entries.push_back(std::move(*entry));
    } else {
      others.push_back(path);
    }
  }
  // Next to valid files of a dataset in several parts, another one may be a damaged part.
  const bool has_parts = family.front()->has_many_files_per_split;
  if (has_parts && !entries.empty() && !others.empty()) refuse_misnamed(*tree, others[0], kinds_of(family));
  if (family.front()->found_by == FoundBy::disk_extension) join_label_files(tree, entries);
  if (family.front()->found_by == FoundBy::extension) attach_others(tree, std::move(others), entries);
  sort_by_split(entries);
  if (!has_parts) check_one_file_a_split(entries);
  for (SourceEntry& entry : entries) {
    if (may_hold_splits(*entry.reader, entry.path)) entry.split.clear();
  }
  return entries;
}

/// The files of the first family that has any, in a folder or in its only subfolder, as in many archives.
std::vector<SourceEntry> files_of_any(const std::vector<Family>& families, const Tree& tree,
                                      const SourceReader* wanted) {
  std::vector<std::string> folders = tree->entries("").folders;
  if (folders.size() != 1) folders.clear();
  folders.insert(folders.begin(), "");
  for (const std::string& folder : folders) {
    for (const Family& family : families) {
      if (!is_wanted(family, wanted)) continue;
      auto entries = files_of(family, tree, folder, wanted);
      if (!entries.empty()) return entries;
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> files_named(const FileTree& tree, const std::string& folder,
                                     const std::function<bool(const std::string&)>& is_named) {
  std::vector<std::string> names = tree.entries(folder).files;
  std::erase_if(names, [&](const std::string& name) { return !is_named(name); });
  drop_compressed_twins(names);
  std::sort(names.begin(), names.end(), &is_naturally_before);
  return names;
}

void sort_by_split(std::vector<SourceEntry>& entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const SourceEntry& a, const SourceEntry& b) {
    return split_rank(a.split) < split_rank(b.split);
  });
}

SourceEntry finding_of(const Tree& tree, const std::string& path, const SourceReader* reader) {
  const std::string name = fs::path(path).filename().string();
  return {reader, split_of_file_name(name).value_or("train"), tree, path, "", ""};
}

void refuse_misnamed(const FileTree& tree, const std::string& path, const std::string& kind) {
  throw FormatError("read " + tree.name_of(path) + ": by its name it is " + kind +
                    ", but its contents are not; get the file again, or remove it");
}

std::vector<SourceEntry> well_known_files(const Tree& tree, const SourceReader* wanted) {
  return files_of_any(families_found_by(FoundBy::well_known_name), tree, wanted);
}

std::vector<SourceEntry> numpy_files(const Tree& tree, const SourceReader* wanted) {
  return files_of_any(families_found_by(FoundBy::extension), tree, wanted);
}

bool may_hold_numpy_files(const FileTree& tree, const SourceReader* wanted) {
  const auto entries = tree.entries("");
  for (const Family& family : families_found_by(FoundBy::extension)) {
    if (!is_wanted(family, wanted)) continue;
    const auto are_there = [&](const std::string& folder) {
      return !files_named(tree, folder, [&](const auto& name) { return is_named(family, name); }).empty();
    };
    if (are_there("") || (entries.folders.size() == 1 && are_there(entries.folders[0]))) return true;
  }
  return false;
}

std::vector<SourceEntry> container_files(const Tree& tree, const SourceReader* wanted) {
  std::vector<SourceEntry> entries;
  for (const Family& family : families_found_by(FoundBy::disk_extension)) {
    if (is_wanted(family, wanted)) entries = files_of(family, tree, "", wanted);
  }
  return entries;
}

std::vector<std::string> names_of_containers(const FileTree& tree, const SourceReader* wanted) {
  std::vector<std::string> names;
  for (const Family& family : families_found_by(FoundBy::disk_extension)) {
    if (is_wanted(family, wanted))
      names = files_named(tree, "", [&](const auto& one) { return is_named(family, one); });
  }
  return names;
}

}  // namespace octavo::sources
