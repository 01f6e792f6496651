// HDF5 files from any program: pairs of datasets, such as train/images and train/labels.
#include "arrays/hdf5_file.hpp"

#include <algorithm>

#include "dataset_file/header.hpp"
#include "sources/combine/split_names.hpp"
#include "sources/lists/label_names.hpp"
#include "sources/source_reader.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

/// Dataset names may start with the root's slash or not.
std::string without_slash(const std::string& name) { return name.starts_with('/') ? name.substr(1) : name; }

const arrays::Hdf5Array& array_named(const std::vector<arrays::Hdf5Array>& all, const std::string& name) {
  return *std::find_if(all.begin(), all.end(), [&](const arrays::Hdf5Array& array) { return array.name == name; });
}

bool is_hdf5(const FileStart& start) {
  return start.is_on_disk() && arrays::begins_as_hdf5(start.stream()) &&
         !dataset_file::begins_as_packed_file(start.bytes());
}

bool is_named_as_hdf5(const std::string& name) { return name.ends_with(".h5") || name.ends_with(".hdf5"); }

/// The pairs of datasets in an HDF5 file.
std::vector<arrays::ArraySet> open_hdf5_file(Finding& finding) {
  const std::filesystem::path path = *finding.tree->disk_path(finding.path);
  const auto all = arrays::list_hdf5(path);
  std::vector<NamedArray> named;
  for (const auto& array : all) named.push_back({array.name, array.axes});
  const std::string file_split = split_of_file_name(path.filename().string()).value_or("train");
  std::vector<arrays::ArraySet> sets;
  for (const ArrayPair& pair :
       pair_arrays(quoted(path), named, without_slash(finding.images), without_slash(finding.labels), file_split)) {
    arrays::ArraySet set;
    set.split = finding.split.empty() ? pair.split : finding.split;
    set.format = "hdf5";
    set.sample_prefix = path.filename().string() + ":" + pair.images;
    set.files.push_back(path);
    set.images = arrays::open_hdf5_array(path, array_named(all, pair.images));
    if (!pair.labels.empty()) set.labels = arrays::open_hdf5_array(path, array_named(all, pair.labels));
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace

const SourceReader kHdf5Reader = {.name = "hdf5",
                                  .kind = "an HDF5 file",
                                  .looks_like = &is_hdf5,
                                  .found_by = FoundBy::disk_extension,
                                  .is_named = &is_named_as_hdf5,
                                  .is_input = &is_hdf5,
                                  .may_hold_splits = &always,
                                  .open = &open_hdf5_file};

}  // namespace octavo::sources
