#include "sources/discovery.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "files/named_place.hpp"
#include "format/shards/manifest.hpp"
#include "images/image_codec.hpp"
#include "sources/combine/split_names.hpp"
#include "sources/detection.hpp"
#include "sources/lists/export_index.hpp"
#include "sources/lists/numbered_paths.hpp"
#include "sources/lists/table/image_table.hpp"
#include "sources/lists/table/list_discovery.hpp"
#include "sources/lists/web_dataset.hpp"
#include "sources/readers/archive_files.hpp"
#include "sources/readers/files_by_name.hpp"
#include "sources/readers/label_file.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;
using files::FileTree;
using files::OpenArchives;
using Tree = std::shared_ptr<const FileTree>;

/// Whether only `wanted` is looked for, and it is `found_by`.
bool looks_only_for(FoundBy found_by, const SourceReader* wanted) {
  return wanted != nullptr && wanted->found_by == found_by;
}

SourceEntry finding_of_images(const Tree& tree, const std::string& folder, const std::string& split,
                              FolderLists lists) {
  SourceEntry images = {&kFolderReader, split, tree, folder};
  images.remarks = std::move(lists.remarks);
  images.list_problem = std::move(lists.problem);
  return images;
}

/// The lists, with the remarks on the others at the first of them.
std::vector<SourceEntry> findings_of_lists(const Tree& tree, const std::string& split, FolderLists lists) {
  std::vector<SourceEntry> entries;
  for (FoundList& list : lists.lists) {
    entries.push_back({&kListReader, split, tree, std::move(list.path)});
    entries.back().has_labels = list.has_labels;
  }
  if (!entries.empty()) entries[0].remarks = std::move(lists.remarks);
  return entries;
}

/// Image lists inside split folders, next to the images (as in Hugging Face's imagefolder). A split without a list then
/// has no labels. If there are none, the remarks on other tables are added to `unread`.
std::vector<SourceEntry> image_tables_in_splits(const Tree& tree, const std::string& folder, const NamedColumns& named,
                                                FolderLists& unread) {
  std::vector<SourceEntry> entries;
  FolderLists all;
  bool has_list = false;
  for (const std::string& name : tree->entries(folder).folders) {
    const auto split = split_of_folder_name(name);
    if (!split) continue;
    const std::string path = files::join_path(folder, name);
    const auto files = tree->entries(path).files;
    if (std::none_of(files.begin(), files.end(), &images::has_image_name)) return {};
    FolderLists lists = find_lists(*tree, path, named);
    has_list = has_list || !lists.lists.empty();
    all.remarks.insert(all.remarks.end(), lists.remarks.begin(), lists.remarks.end());
    if (all.problem.empty()) all.problem = lists.problem;
    if (lists.lists.empty()) {
      entries.push_back(finding_of_images(tree, path, *split, std::move(lists)));
    } else {
      for (SourceEntry& list : findings_of_lists(tree, *split, std::move(lists))) entries.push_back(std::move(list));
    }
  }
  if (!has_list) {
    unread.remarks.insert(unread.remarks.end(), all.remarks.begin(), all.remarks.end());
    if (unread.problem.empty()) unread.problem = all.problem;
    return {};
  }
  sort_by_split(entries);
  entries[0].remarks.insert(entries[0].remarks.begin(), unread.remarks.begin(), unread.remarks.end());
  return entries;
}

/// Without other labels, a list that is not in the packed folder itself probably has them.
void add_problem_of_nested(const FileTree& tree, const std::string& folder, FolderLists& lists) {
  if (!lists.remarks.empty()) return;
  for (const std::string& file : tree.files_below(folder)) {
    if (file.find('/') == std::string::npos || !has_table_extension(file) || is_sample_submission(file)) continue;
    // See image_tables_in_splits().
    const bool is_in_split = split_of_folder_name(fs::path(file).parent_path().string()).has_value();
    lists.problem = printable(file) + " is not used as a list of images: " +
                    (is_in_split ? "another split has folders of images; name each split, such as train=" +
                                       printable(tree.file_of(files::join_path(folder, file)).string())
                                 : "lists are only read in the packed folder itself; move it there");
    return;
  }
}

/// The folder where the images start. Archives often wrap everything in one folder, and users often name a folder one
/// level too high. So this skips folders whose only content is one folder of folders without images.
std::string image_folder(const FileTree& tree) {
  constexpr int kMostLevels = 16;
  std::string folder;
  for (int level = 0; level < kMostLevels; ++level) {
    const files::FolderEntries found = tree.entries(folder);
    if (!found.files.empty() || found.folders.size() != 1 || split_of_folder_name(found.folders[0])) break;
    const std::string below = files::join_path(folder, found.folders[0]);
    const files::FolderEntries in_it = tree.entries(below);
    const bool is_class = std::any_of(in_it.files.begin(), in_it.files.end(), &images::has_image_name);
    if (is_class || in_it.folders.empty()) break;
    folder = below;
  }
  return folder;
}

std::vector<SourceEntry> discover_file(const fs::path& path, const SourceReader* wanted, Search& search);

/// WebDataset shards form one tree per split, by their names; every other archive is a tree of its own.
std::vector<SourceEntry> findings_of_archives(const std::vector<fs::path>& paths, Search& search) {
  std::vector<SourceEntry> entries;
  std::map<std::string, std::vector<Tree>> shards_of;
  for (const fs::path& path : paths) {
    if (const Tree tree = search.archives.open(path); is_web_dataset(*tree)) {
      shards_of[split_of_file_name(path.filename().string()).value_or("train")].push_back(tree);
    } else {
      for (SourceEntry& entry : discover_file(path, nullptr, search)) {
        entries.push_back(std::move(entry));
      }
    }
  }
  for (auto& [split, trees] : shards_of) {
    entries.push_back({&kFolderReader, split, files::unite(std::move(trees)), ""});
  }
  sort_by_split(entries);
  return entries;
}

std::vector<SourceEntry> archives_in(const Tree& tree, const std::vector<std::string>& names, Search& search) {
  std::vector<fs::path> paths;
  for (const std::string& name : names) {
    const auto path = tree->disk_path(name);
    if (!path) continue;  // an archive inside an archive
    if (!files::is_archive(*path)) {
      refuse_other_archive(FileStart(tree, name));
      refuse_misnamed(*tree, name, "an archive");
    }
    paths.push_back(*path);
  }
  const auto rank_of = [](const fs::path& path) {
    return split_rank(split_of_file_name(path.filename().string()).value_or("train"));
  };
  std::stable_sort(paths.begin(), paths.end(),
                   [&](const fs::path& a, const fs::path& b) { return rank_of(a) < rank_of(b); });
  return findings_of_archives(paths, search);
}

/// Lists name files in folders, not in the archives next to them. Without other labels, they probably have those of the
/// images in the archives.
void add_problem_of_lists_next_to(const std::string& archive, const FileTree& tree, std::vector<SourceEntry>& entries) {
  auto names = files_named(tree, "", &has_table_extension);
  std::erase_if(names, &is_sample_submission);
  if (names.empty()) return;
  const std::string problem = printable(names[0]) + " is not used as a list of images: the images are in archives, " +
                              "such as " + printable(archive) + "; unpack them next to it";
  bool is_first = true;
  for (SourceEntry& entry : entries) {
    if (entry.reader->found_by != FoundBy::images) continue;
    if (std::exchange(is_first, false)) entry.remarks.push_back(problem);
    if (!entry.list_problem.empty()) continue;
    entry.list_problem = problem;
    entry.format_without_list = "archive";
  }
}

bool holds_images(const FileTree& tree) {
  const auto files = tree.files_below("");
  return std::any_of(files.begin(), files.end(), &images::has_image_name);
}

/// Files that hold whole datasets. Next to images, they are probably a download, a result or features, not the input.
std::vector<SourceEntry> dataset_files_in(const Tree& tree, const SourceReader* wanted, Search& search) {
  const bool finds_all = wanted == nullptr;
  const bool may_be_arrays = may_hold_numpy_files(*tree, wanted);
  const auto container_names = names_of_containers(*tree, wanted);
  std::vector<std::string> archive_names;
  if (looks_for(FoundBy::archive, wanted)) archive_names = files_named(*tree, "", &is_named_as_archive);
  if (!may_be_arrays && container_names.empty() && archive_names.empty()) return {};
  if (finds_all && holds_images(*tree)) return {};
  auto entries = may_be_arrays ? numpy_files(tree, wanted) : std::vector<SourceEntry>{};
  std::vector<std::string> kinds;
  if (!entries.empty()) kinds.push_back(entries[0].name());
  if (!container_names.empty()) kinds.push_back(tree->name_of(container_names[0]));
  if (!archive_names.empty()) kinds.push_back(tree->name_of(archive_names[0]));
  if (finds_all && kinds.size() > 1) {
    throw DataError("find the splits: " + tree->name_of("") + " holds both " + kinds[0] + " and " + kinds[1] +
                    "; name the files to use");
  }
  if (!entries.empty()) return entries;
  if (!container_names.empty()) return container_files(tree, wanted);
  entries = archives_in(tree, archive_names, search);
  if (finds_all) add_problem_of_lists_next_to(archive_names[0], *tree, entries);
  return entries;
}

/// An archive that holds an archive and no images.
void refuse_inner_archive(const FileTree& tree) {
  const auto files = tree.files_below("");
  const auto inner = std::ranges::find_if(files, &is_named_as_archive);
  if (inner == files.end() || tree.disk_path(*inner) || std::ranges::any_of(files, &images::has_image_name)) return;
  throw FormatError("read " + tree.name_of(*inner) +
                    ": archives in an archive are not read; unpack the outer one, and pack the folder");
}

std::vector<SourceEntry> discover_in(const Tree& tree, const SourceReader* wanted, Search& search) {
  if (exported_folder(*tree)) return {{&kFolderReader, "", tree, ""}};
  const std::string folder = image_folder(*tree);
  if (looks_only_for(FoundBy::images, wanted)) return {{&kFolderReader, "", tree, folder}};
  const bool finds_all = wanted == nullptr;
  auto entries = well_known_files(tree, wanted);
  if (entries.empty()) entries = dataset_files_in(tree, wanted, search);
  FolderLists lists;
  if (entries.empty() && looks_for(FoundBy::image_list, wanted)) {
    // The members of shards are samples, whatever their extensions.
    if (finds_all && is_web_dataset(*tree)) return {finding_of_images(tree, folder, "", {})};
    lists = find_lists(*tree, folder, search.columns);
    if (!lists.lists.empty()) return findings_of_lists(tree, "", std::move(lists));
    entries = image_tables_in_splits(tree, folder, search.columns, lists);
  }
  if (!entries.empty()) return entries;
  if (finds_all) add_problem_of_nested(*tree, folder, lists);
  if (finds_all) refuse_inner_archive(*tree);
  if (finds_all) return {finding_of_images(tree, folder, "", std::move(lists))};
  throw DataError(
      "read " + tree->name_of("") + ": " +
      (lists.problem.empty() ? "no file in it is named like the requested format; name the file" : lists.problem));
}

std::vector<SourceEntry> discover_file(const fs::path& path, const SourceReader* wanted, Search& search) {
  if (looks_only_for(FoundBy::images, wanted)) {
    if (files::is_archive(path)) return discover_in(search.archives.open(path), wanted, search);
    refuse_one_image(path);
    throw InvalidArgument("read " + quoted(path) + " as a folder: it is a file");
  }
  SourceEntry entry = finding_of(files::open_folder(path.parent_path()), path.filename().string(), wanted);
  if (wanted == nullptr) {
    const FileStart start(entry.tree, entry.path);
    const SourceReader& reader = detect_reader(start);
    entry.reader = &reader;
    if (reader.reads_stream) entry.stream = start.shared_stream();
  }
  if (entry.reader->found_by == FoundBy::archive) {
    const Tree archive = search.archives.open(path);
    const SourceReader* const reader = wanted == nullptr ? reader_of_archive(*archive) : nullptr;
    if (reader == nullptr) return discover_in(archive, nullptr, search);
    entry.reader = reader;
  }
  if (may_hold_splits(*entry.reader, entry.path)) entry.split.clear();
  entry.is_named = true;
  std::vector<SourceEntry> entries;
  entries.push_back(std::move(entry));
  return entries;
}

// ---- The meaning of a spec -----------------------------------------------------

/// A dataset of shards: its manifest, or the folder with it.
SourceEntry finding_of_manifest(const fs::path& manifest) {
  SourceEntry entry = {&kOctavoReader, "", files::open_folder(manifest.parent_path()), manifest.filename().string()};
  entry.is_named = true;
  return entry;
}

SourceEntry finding_of_url(const std::string& url, Search& search) {
  Dataset dataset = search.open_url(url);
  const std::string name = dataset.path().string();
  SourceEntry entry = {&kOctavoReader, "", files::named_place(name), name};
  entry.dataset = std::move(dataset);
  entry.is_named = true;
  return entry;
}

std::vector<SourceEntry> discover_path(const fs::path& path, const SourceReader* wanted, Search& search) {
  if (search.open_url && path.string().find("://") != std::string::npos) return {finding_of_url(path.string(), search)};
  if (wanted == nullptr || wanted == &kOctavoReader) {
    const fs::path manifest = dataset_file::find_manifest(path);
    if (!manifest.empty()) return {finding_of_manifest(manifest)};
  }
  std::error_code error;
  const auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found || error) throw_io_error("open", path, error ? error.value() : ENOENT);
  if (!fs::is_directory(status)) return discover_file(path, wanted, search);
  return discover_in(files::open_folder(path), wanted, search);
}

std::vector<SourceEntry> discover_paths(const std::vector<fs::path>& paths, const SourceReader* wanted,
                                        Search& search) {
  if (paths.size() == 1) return discover_path(paths[0], wanted, search);
  // Numbered archives are the shards of one dataset and share their classes.
  const bool are_archives =
      looks_only_for(FoundBy::archive, wanted) || (wanted == nullptr && files::is_archive(paths[0]));
  if (are_archives) return findings_of_archives(paths, search);
  std::vector<SourceEntry> entries;
  for (const fs::path& path : paths) {
    for (SourceEntry& entry : discover_path(path, wanted, search)) entries.push_back(std::move(entry));
  }
  return entries;
}

/// Files of a format that may be archives are opened as archives unless their contents are those of a single file.
void open_archives(std::vector<SourceEntry>& entries, Search& search) {
  for (SourceEntry& entry : entries) {
    const auto path = entry.tree->disk_path(entry.path);
    if (entry.reader->is_archive == nullptr || !path) continue;
    if (entry.reader->looks_like(FileStart(entry.tree, entry.path))) continue;
    entry.archive = search.archives.open(*path);
  }
}

/// Whether a name is that of a file of arrays, such as "labels.npy".
bool is_named_as_file_of_arrays(const std::string& name) {
  return std::ranges::any_of(kSourceReaders, [&](const SourceReader* reader) {
    const bool has_extension = reader->found_by == FoundBy::extension || reader->found_by == FoundBy::disk_extension;
    return has_extension && reader->is_named(name);
  });
}

/// The spec with the file of labels in its field. A file with one array has no names of arrays, so that the first name
/// after it is the file of labels, x.npy::y.npy; elsewhere, this is so for a last name that is that of such a file.
SourceSpec with_label_file(SourceSpec spec, const SourceEntry& entry) {
  std::error_code ignored;
  if (!spec.label_file.empty() || entry.reader->open_container == nullptr) return spec;
  if (!may_hold_splits(*entry.reader, entry.path)) {
    if (spec.images.empty() || !fs::is_regular_file(spec.images, ignored)) return spec;
    spec.label_file = std::exchange(spec.images, "");
  } else if (is_named_as_file_of_arrays(spec.labels) && fs::is_regular_file(spec.labels, ignored)) {
    spec.label_file = std::exchange(spec.labels, "");
  }
  return spec;
}

/// The file of labels that the user names.
std::shared_ptr<SourceEntry> named_label_file(const fs::path& path, Search& search) {
  if (std::error_code error; !fs::is_regular_file(path, error)) {
    throw_io_error("open the labels", path, error ? error.value() : ENOENT);
  }
  auto entries = discover_file(path, nullptr, search);
  open_archives(entries, search);
  if (entries.size() != 1 || entries[0].reader->open_container == nullptr) {
    throw DataError("read the labels " + quoted(path) +
                    ": not a file of arrays; expected a NumPy, HDF5, MATLAB or IDX file");
  }
  return std::make_shared<SourceEntry>(std::move(entries[0]));
}

/// Looks for a file of labels with a name for it next to a file of several arrays: "..._y.h5" next to "..._x.h5".
void find_label_file(SourceEntry& entry, Search& search) {
  const bool may_have_one = entry.reader->open_container != nullptr && !entry.label_file &&
                            may_hold_splits(*entry.reader, entry.path) && entry.tree->disk_path(entry.path);
  const auto labels = may_have_one ? label_file_of(*entry.tree, entry.path) : std::nullopt;
  if (!labels || !entry.reader->is_named(fs::path(*labels).filename().string())) return;
  std::vector<SourceEntry> found(1);
  found[0].reader = entry.reader;
  found[0].tree = entry.tree;
  found[0].path = *labels;
  open_archives(found, search);
  entry.label_file = std::make_shared<SourceEntry>(std::move(found[0]));
}

/// The split of an entry, assuming that it holds only one.
std::string likely_split(const SourceEntry& entry) {
  if (!entry.split.empty() || !may_hold_splits(*entry.reader, entry.path)) return entry.split;
  return split_of_file_name(fs::path(entry.path).filename().string()).value_or("train");
}

void apply(const SourceSpec& given, std::vector<SourceEntry>& entries, Search& search) {
  const SourceSpec spec = entries.size() == 1 ? with_label_file(given, entries[0]) : given;
  if (!spec.label_file.empty() && (entries.size() != 1 || entries[0].reader->open_container == nullptr)) {
    throw InvalidArgument("read " + quoted(spec.path) + " with labels in " + quoted(spec.label_file) +
                          ": only a single NumPy, IDX, HDF5 or MATLAB file can have its labels in another file");
  }
  for (const SourceEntry& entry : entries) {
    if (spec.split.empty()) break;
    const std::string first = likely_split(entries[0]), other = likely_split(entry);
    if (other != first) {
      throw DataError("read " + quoted(spec.path) + " as split \"" + spec.split + "\": it holds \"" + first +
                      "\" and \"" + other + "\"; name one of its files");
    }
  }
  for (SourceEntry& entry : entries) {
    if (!spec.split.empty()) entry.split = spec.split;
    entry.is_split_named = !spec.split.empty();
    entry.images = spec.images;
    entry.labels = spec.labels;
    if (!spec.label_file.empty()) {
      entry.label_file = named_label_file(spec.label_file, search);
      entry.label_file->labels = std::exchange(entry.labels, "");
      entry.is_label_file_named = true;
    } else {
      find_label_file(entry, search);
    }
    const PathNames names = entry.reader->names;
    if (!spec.images.empty() && (names == PathNames::none || !may_hold_splits(*entry.reader, entry.path))) {
      throw InvalidArgument(
          "read " + quoted(spec.path) + "::" + spec.images +
          ": only .npz, HDF5 and MATLAB files hold several arrays, and dataset files splits; omit the names, or name a "
          "file of labels that exists");
    }
    if (!spec.labels.empty() && names == PathNames::split) {
      throw InvalidArgument("read " + quoted(spec.path) + "::" + spec.images + "::" + spec.labels +
                            ": a split of a dataset file has its own labels; omit \"::" + spec.labels + "\"");
    }
  }
}

}  // namespace

std::vector<SourceEntry> discover(const SourceSpec& spec, const SourceReader* wanted, Search& search) {
  auto entries = discover_paths(expand_numbers(spec.path), wanted, search);
  open_archives(entries, search);
  SourceSpec named = spec;
  if (entries.size() == 1 && entries[0].dataset) named.path = entries[0].path;  // a URL may have secrets
  apply(named, entries, search);
  return entries;
}

}  // namespace octavo::sources
