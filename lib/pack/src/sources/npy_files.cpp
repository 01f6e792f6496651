// .npy files of images and of labels, and .npz files that hold both.
#include "arrays/npy.hpp"

#include <octavo/errors.hpp>

#include "sources/array_files.hpp"
#include "sources/lists/label_names.hpp"
#include "sources/combine/split_names.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

arrays::ArraySet npy_set(const Finding& finding) {
  arrays::ArraySet set;
  set.split = finding.split;
  set.sample_prefix = std::filesystem::path(finding.path).filename().string();
  set.files.push_back(finding.tree->file_of(finding.path));
  set.images = arrays::open_npy(finding.tree->open(finding.path));
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

}  // namespace

std::vector<arrays::ArraySet> open_npy_files(const Finding& finding) {
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

}  // namespace octavo::sources
