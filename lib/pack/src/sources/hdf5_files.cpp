// HDF5 files from any program: pairs of datasets, such as train/images and train/labels.
#include "arrays/hdf5_file.hpp"

#include <algorithm>

#include "sources/array_files.hpp"
#include "sources/lists/label_names.hpp"
#include "sources/combine/split_names.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

/// Dataset names may start with the root's slash or not.
std::string without_slash(const std::string& name) { return name.starts_with('/') ? name.substr(1) : name; }

const arrays::Hdf5Array& array_named(const std::vector<arrays::Hdf5Array>& all, const std::string& name) {
  return *std::find_if(all.begin(), all.end(), [&](const arrays::Hdf5Array& array) { return array.name == name; });
}

}  // namespace

std::vector<arrays::ArraySet> open_hdf5_file(const Finding& finding) {
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

}  // namespace octavo::sources
