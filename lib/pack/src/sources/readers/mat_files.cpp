// MATLAB files of versions 5 and 7.3: pairs of variables, such as X and y.
#include "arrays/matlab/mat.hpp"

#include <algorithm>

#include "arrays/matlab/matlab_hdf5.hpp"
#include "sources/readers/hdf5_files.hpp"
#include "sources/source_reader.hpp"

namespace octavo::sources {
namespace {

class MatContainer final : public ArrayContainer {
 public:
  explicit MatContainer(const std::filesystem::path& path)
      : ArrayContainer(path, true), variables_(arrays::list_mat(path)) {
    arrays_.assign(variables_.begin(), variables_.end());
  }

  std::shared_ptr<arrays::Array> open(const arrays::ListedArray& array) const override {
    return arrays::open_mat_array(path(), variable(array));
  }
  std::vector<std::string> read_texts(const arrays::ListedArray& array) const override {
    return arrays::read_mat_texts(path(), variable(array));
  }

 private:
  const arrays::MatVariable& variable(const arrays::ListedArray& array) const {
    return *std::ranges::find(variables_, array.name, &arrays::MatVariable::name);
  }
  const std::vector<arrays::MatVariable> variables_;
};

bool is_mat(const FileStart& start) {
  return start.is_on_disk() && (arrays::begins_as_mat(start.bytes()) || arrays::begins_as_mat73(start.bytes()));
}

bool is_named_as_mat(const std::string& name) { return name.ends_with(".mat"); }

/// MATLAB 7.3 files are HDF5 files.
std::unique_ptr<ArrayContainer> open_mat_container(SourceEntry& entry) {
  if (arrays::begins_as_mat73(FileStart(entry.tree, entry.path).bytes())) return open_hdf5_container(entry);
  return std::make_unique<MatContainer>(*entry.tree->disk_path(entry.path));
}

Opened open_mat_file(SourceEntry& entry, const OpenContext&) {
  return sets_in(*open_mat_container(entry), entry, "mat");
}

}  // namespace

const SourceReader kMatReader = {.name = "mat",
                                 .kind = "a MATLAB file",
                                 .looks_like = &is_mat,
                                 .found_by = FoundBy::disk_extension,
                                 .is_named = &is_named_as_mat,
                                 .is_input = &is_mat,
                                 .may_hold_splits = &always,
                                 .names = PathNames::arrays,
                                 .open = &open_mat_file,
                                 .open_container = &open_mat_container};

}  // namespace octavo::sources
