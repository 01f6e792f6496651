// .npy files of images and of labels, and .npz files that hold both.
#include "arrays/npy.hpp"

#include <algorithm>

#include <octavo/errors.hpp>

#include "sources/combine/split_names.hpp"
#include "sources/label_file.hpp"
#include "sources/lists/label_names.hpp"
#include "sources/source_reader.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

bool is_npy(const FileStart& start) {
  return arrays::is_npy_magic(start.bytes().first(std::min<std::size_t>(8, start.bytes().size())));
}

bool is_named_as_npy(const std::string& name) { return name.ends_with(".npy") || name.ends_with(".npz"); }

/// Excludes files of labels, and .npz files in an archive.
bool is_input(const FileStart& start) {
  if (start.path().ends_with(".npz")) return start.is_on_disk();
  return arrays::open_npy(start.shared_stream())->axes().size() >= 3;
}

bool is_npz(const std::string& path) { return !path.ends_with(".npy"); }

arrays::ArraySet npy_set(Finding& finding) {
  arrays::ArraySet set;
  set.split = finding.split;
  set.sample_prefix = std::filesystem::path(finding.path).filename().string();
  set.files.push_back(finding.tree->file_of(finding.path));
  set.images = arrays::open_npy(finding.take_stream());
  if (const auto labels = label_file_of(*finding.tree, finding.path)) {
    set.labels = arrays::open_npy(finding.tree->open(*labels));
    set.files.push_back(finding.tree->file_of(*labels));
  }
  return set;
}

/// NumPy names each archive member after its array.
std::string member_of(const std::string& array) { return array + ".npy"; }

std::vector<NamedArray> arrays_in(const files::FileTree& archive) {
  std::vector<NamedArray> arrays;
  for (const std::string& path : archive.files_below("")) {
    if (!path.ends_with(".npy")) continue;
    arrays.push_back({path.substr(0, path.size() - 4), arrays::open_npy(archive.open(path))->axes()});
  }
  return arrays;
}

std::vector<arrays::ArraySet> npz_sets(const Finding& finding) {
  const std::filesystem::path path = finding.archive->root();
  const std::string file_split = split_of_file_name(path.filename().string()).value_or("train");
  std::vector<arrays::ArraySet> sets;
  for (const ArrayPair& pair :
       pair_arrays(quoted(path), arrays_in(*finding.archive), finding.images, finding.labels, file_split)) {
    arrays::ArraySet set;
    set.split = finding.split.empty() ? pair.split : finding.split;
    set.sample_prefix = path.filename().string() + ":" + pair.images;
    set.files.push_back(path);
    set.images = arrays::open_npy(finding.archive->open(member_of(pair.images)));
    if (!pair.labels.empty()) set.labels = arrays::open_npy(finding.archive->open(member_of(pair.labels)));
    sets.push_back(std::move(set));
  }
  return sets;
}

/// A file of images and its file of labels, or the pairs of arrays in a .npz file.
std::vector<arrays::ArraySet> open_npy_files(Finding& finding) {
  std::vector<arrays::ArraySet> sets;
  if (finding.archive) {
    sets = npz_sets(finding);
  } else {
    sets.push_back(npy_set(finding));
    if (sets[0].split.empty()) sets[0].split = split_of_file_name(sets[0].sample_prefix).value_or("train");
  }
  for (arrays::ArraySet& set : sets) set.format = "npy";
  return sets;
}

}  // namespace

const SourceReader kNpyReader = {.name = "npy",
                                 .aliases = {"npz"},
                                 .kind = "a NumPy file",
                                 .looks_like = &is_npy,
                                 .found_by = FoundBy::extension,
                                 .is_named = &is_named_as_npy,
                                 .is_input = &is_input,
                                 .may_hold_splits = &is_npz,
                                 .open = &open_npy_files};

}  // namespace octavo::sources
