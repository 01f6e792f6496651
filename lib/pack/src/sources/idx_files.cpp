// IDX files of images and of labels.
#include <octavo/errors.hpp>

#include "arrays/idx.hpp"
#include "sources/array_files.hpp"

namespace octavo::sources {

std::vector<arrays::ArraySet> open_idx_files(const Finding& finding) {
  arrays::ArraySet set;
  set.split = finding.split;
  set.format = "idx";
  set.sample_prefix = std::filesystem::path(finding.path).filename().string();
  set.files.push_back(finding.tree->file_of(finding.path));
  set.images = arrays::open_idx(finding.tree->open(finding.path));
  if (set.images->axes().size() < 3) {
    throw FormatError("read the IDX file " + set.images->name() + ": it has " +
                      std::to_string(set.images->axes().size()) +
                      " axes; expected 3 (N, H, W) or 4 (with channels); give the file of the images");
  }
  // IDX files with color, such as EMNIST's, always have channels last.
  set.order = set.images->axes().size() == 4 ? arrays::AxisOrder::hwc : arrays::AxisOrder::hw;
  if (const auto labels = label_file_of(*finding.tree, finding.path)) {
    set.labels = arrays::open_idx(finding.tree->open(*labels));
    set.files.push_back(finding.tree->file_of(*labels));
  }
  std::vector<arrays::ArraySet> sets;
  sets.push_back(std::move(set));
  return sets;
}

}  // namespace octavo::sources
