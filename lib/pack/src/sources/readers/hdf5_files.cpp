// HDF5 files from any program: pairs of datasets, such as train/images and train/labels.
#include "sources/readers/hdf5_files.hpp"

#include <algorithm>

#include "arrays/hdf5_file.hpp"
#include "arrays/matlab/matlab_hdf5.hpp"
#include "format/index/header.hpp"
#include "sources/source_reader.hpp"

namespace octavo::sources {
namespace {

class Hdf5Container final : public ArrayContainer {
 public:
  Hdf5Container(const std::filesystem::path& path, const std::vector<arrays::Hdf5Array>& datasets)
      : ArrayContainer(path, false) {
    arrays_.assign(datasets.begin(), datasets.end());
  }

  std::shared_ptr<arrays::Array> open(const arrays::ListedArray& array) const override {
    return arrays::open_hdf5_array(path(), array);
  }
  std::vector<std::string> read_texts(const arrays::ListedArray& array) const override {
    return arrays::read_hdf5_texts(path(), array);
  }
};

/// MATLAB's variables in an HDF5 file.
class MatlabContainer final : public ArrayContainer {
 public:
  MatlabContainer(const std::filesystem::path& path, const std::vector<arrays::Hdf5Array>& datasets)
      : ArrayContainer(path, true), variables_(arrays::matlab_variables(datasets)) {
    arrays_.assign(variables_.begin(), variables_.end());
  }

  std::shared_ptr<arrays::Array> open(const arrays::ListedArray& array) const override {
    return arrays::open_matlab_array(path(), variable(array));
  }
  std::vector<std::string> read_texts(const arrays::ListedArray& array) const override {
    return arrays::read_matlab_texts(path(), variable(array));
  }

 private:
  const arrays::MatlabArray& variable(const arrays::ListedArray& array) const {
    return *std::ranges::find(variables_, array.name, &arrays::MatlabArray::name);
  }
  const std::vector<arrays::MatlabArray> variables_;
};

bool is_hdf5(const FileStart& start) {
  return start.is_on_disk() && arrays::begins_as_hdf5(start.stream()) &&
         !dataset_file::begins_as_packed_file(start.bytes()) && !arrays::begins_as_mat73(start.bytes());
}

bool is_named_as_hdf5(const std::string& name) { return name.ends_with(".h5") || name.ends_with(".hdf5"); }

Opened open_hdf5_file(SourceEntry& entry, const OpenContext&) {
  return sets_in(*open_hdf5_container(entry), entry, "hdf5");
}

}  // namespace

std::unique_ptr<ArrayContainer> open_hdf5_container(SourceEntry& entry) {
  const std::filesystem::path path = *entry.tree->disk_path(entry.path);
  const auto datasets = arrays::list_hdf5(path);
  const bool is_matlab = arrays::begins_as_mat73(FileStart(entry.tree, entry.path).bytes());
  if (is_matlab || arrays::has_matlab_variables(datasets)) return std::make_unique<MatlabContainer>(path, datasets);
  return std::make_unique<Hdf5Container>(path, datasets);
}

const SourceReader kHdf5Reader = {.name = "hdf5",
                                  .kind = "an HDF5 file",
                                  .looks_like = &is_hdf5,
                                  .found_by = FoundBy::disk_extension,
                                  .is_named = &is_named_as_hdf5,
                                  .is_input = &is_hdf5,
                                  .may_hold_splits = &always,
                                  .names = PathNames::arrays,
                                  .open = &open_hdf5_file,
                                  .open_container = &open_hdf5_container};

}  // namespace octavo::sources
