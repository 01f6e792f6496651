// MATLAB files: pairs of variables, such as X and y.
#include "arrays/mat.hpp"

#include "sources/combine/split_names.hpp"
#include "sources/lists/label_names.hpp"
#include "sources/source_reader.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

std::shared_ptr<arrays::Array> open_named(const std::filesystem::path& path,
                                          const std::vector<arrays::MatVariable>& variables, const std::string& name) {
  for (const auto& variable : variables) {
    if (variable.name == name) return arrays::open_mat_array(path, variable);
  }
  return nullptr;
}

bool is_mat(const FileStart& start) { return start.is_on_disk() && arrays::begins_as_mat(start.bytes()); }

bool is_named_as_mat(const std::string& name) { return name.ends_with(".mat"); }

/// The pairs of arrays in a MATLAB 5 file.
std::vector<arrays::ArraySet> open_mat_file(Finding& finding) {
  const std::filesystem::path path = *finding.tree->disk_path(finding.path);
  const auto variables = arrays::list_mat(path);
  std::vector<NamedArray> named;
  for (const auto& variable : variables) named.push_back({variable.name, variable.axes});
  const std::string file_split = split_of_file_name(path.filename().string()).value_or("train");
  std::vector<arrays::ArraySet> sets;
  for (const ArrayPair& pair : pair_arrays(quoted(path), named, finding.images, finding.labels, file_split)) {
    arrays::ArraySet set;
    set.split = finding.split.empty() ? pair.split : finding.split;
    set.format = "mat";
    set.sample_prefix = path.filename().string() + ":" + pair.images;
    set.files.push_back(path);
    set.images = open_named(path, variables, pair.images);
    // MATLAB's first axis, the image rows, varies fastest.
    set.order = set.images->axes().size() == 4 ? arrays::AxisOrder::cwh : arrays::AxisOrder::wh;
    set.labels = open_named(path, variables, pair.labels);
    // In SVHN, 10 stands for the digit 0. Other labels are used as they are.
    if (pair.images == "X" && pair.labels == "y") set.numbering = arrays::LabelNumbering::ten_is_zero;
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace

const SourceReader kMatReader = {.name = "mat",
                                 .kind = "a MATLAB file",
                                 .looks_like = &is_mat,
                                 .found_by = FoundBy::disk_extension,
                                 .is_named = &is_named_as_mat,
                                 .is_input = &is_mat,
                                 .may_hold_splits = &always,
                                 .open = &open_mat_file};

}  // namespace octavo::sources
