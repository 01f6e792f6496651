#include "dataset_file/rebuild/foreign_extras.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <octavo/text.hpp>

#include "dataset_file/rebuild/foreign_dataset.hpp"
#include "hdf5/session.hpp"
#include "support/utf8.hpp"

namespace octavo::dataset_file {
namespace {

using hdf5::own;
using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 3> kRootObjects = {"index", "classes", "provenance"};
constexpr std::array<std::string_view, 5> kRootAttributes = {"format", "format_version", "uuid", "created", "writer"};
constexpr std::array<std::string_view, 10> kSplitObjects = {
    "images", "chunks", "labels", "masks", "checksums", "histogram", "mean_image", "names", "name_offsets", "columns"};
constexpr std::array<std::string_view, 7> kSplitAttributes = {"mean",         "std",   "scale", "zero_point",
                                                              "source_dtype", "color", "layout"};
constexpr std::array<std::string_view, 2> kImageAttributes = {"scale_factor", "add_offset"};

herr_t collect_link(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

herr_t collect_attribute(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

class Extras {
 public:
  void add_objects(hid_t group, const std::string& path, Names known, const std::vector<std::string>& also_known) {
    std::vector<std::string> names;
    hdf5::check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, &collect_link, &names), "list a group");
    for (const std::string& name : names) {
      if (std::ranges::find(known, name) != known.end()) continue;
      if (std::ranges::find(also_known, name) == also_known.end()) add(path + "/" + name);
    }
  }

  void add_attributes(hid_t object, const std::string& path, Names known) {
    std::vector<std::string> names;
    hdf5::check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, &collect_attribute, &names),
                "list attributes");
    for (const std::string& name : names) {
      if (std::ranges::find(known, name) == known.end()) add(path + ", attribute " + name);
    }
  }

  std::vector<std::string> take() { return std::move(found_); }

 private:
  void add(std::string name) {
    constexpr std::size_t kMostNames = 100, kMostBytes = 200;
    if (found_.size() < kMostNames) found_.emplace_back(cut_utf8(printable(std::move(name)), kMostBytes));
  }

  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> foreign_extras(hid_t file, const std::vector<std::string>& splits) {
  Extras extras;
  const auto root = own<hdf5::GroupHandle>(H5Gopen2(file, "/", H5P_DEFAULT), "open /");
  extras.add_objects(root.get(), "", kRootObjects, splits);
  extras.add_attributes(root.get(), "/", kRootAttributes);
  for (const std::string& split : splits) {
    const auto group = own<hdf5::GroupHandle>(H5Gopen2(root.get(), split.c_str(), H5P_DEFAULT), "open /" + split);
    extras.add_objects(group.get(), "/" + split, kSplitObjects, {});
    extras.add_attributes(group.get(), "/" + split, kSplitAttributes);
    const auto images =
        own<hdf5::DatasetHandle>(H5Dopen2(group.get(), "images", H5P_DEFAULT), "open /" + split + "/images");
    extras.add_attributes(images.get(), "/" + split + "/images", kImageAttributes);
  }
  return extras.take();
}

}  // namespace octavo::dataset_file
