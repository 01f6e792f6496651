// MATLAB files: pairs of variables, such as X and y.
#include "arrays/mat.hpp"

#include "sources/array_files.hpp"
#include "sources/lists/label_names.hpp"
#include "sources/combine/split_names.hpp"
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

}  // namespace

std::vector<arrays::ArraySet> open_mat_file(const Finding& finding) {
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

}  // namespace octavo::sources
