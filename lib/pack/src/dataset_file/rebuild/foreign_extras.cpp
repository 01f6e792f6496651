#include "dataset_file/rebuild/foreign_extras.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "dataset_file/rebuild/foreign_dataset.hpp"
#include "hdf5/session.hpp"
#include "support/text/utf8.hpp"

namespace octavo::dataset_file {
namespace {

using hdf5::own;
using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 3> kRootObjects = {"index", "classes", "provenance"};
constexpr std::array<std::string_view, 5> kRootAttributes = {"format", "format_version", "uuid", "created", "writer"};
constexpr std::array<std::string_view, 6> kSplitObjects = {"images",    "chunks",    "labels",
                                                           "checksums", "histogram", "mean_image"};
constexpr std::array<std::string_view, 7> kSplitAttributes = {"mean",         "std",   "scale", "zero_point",
                                                              "source_dtype", "color", "layout"};
constexpr std::array<std::string_view, 2> kImageAttributes = {"scale_factor", "add_offset"};

bool has_link(hid_t group, const char* name) {
  return hdf5::check(H5Lexists(group, name, H5P_DEFAULT), "look for " + std::string(name)) > 0;
}

/// The objects that a split has in a file of this format version; others were added by another program.
std::vector<std::string_view> split_objects(hid_t split, std::int64_t version) {
  std::vector<std::string_view> names(kSplitObjects.begin(), kSplitObjects.end());
  if (version >= 2) names.emplace_back("masks");
  if (version >= 3) names.emplace_back("columns");
  if (has_link(split, "names") && has_link(split, "name_offsets")) names.insert(names.end(), {"names", "name_offsets"});
  return names;
}

herr_t collect_extra_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

herr_t collect_attribute(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

bool contains(Names names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

bool is_hard_link(hid_t group, const std::string& name) {
  H5L_info_t link{};
  hdf5::check(H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT), "look at " + name);
  return link.type == H5L_TYPE_HARD;
}

class Extras {
 public:
  /// Adds the members of a group whose names are not known, and the unknown attributes of the known ones. The caller
  /// takes care of the members named in `elsewhere`. `path` ends with a slash.
  void add_members(hid_t group, const std::string& path, Names known, const std::vector<std::string>& elsewhere) {
    std::vector<std::string> names;
    hdf5::check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, &collect_extra_name, &names), "list a group");
    for (const std::string& name : names) {
      if (std::ranges::find(elsewhere, name) != elsewhere.end()) continue;
      if (contains(known, name)) {
        add_attributes_of(group, name, path + name);
      } else {
        add(path + name);
      }
    }
  }

  void add_attributes(hid_t object, const std::string& path, Names known) {
    std::vector<std::string> names;
    hdf5::check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, &collect_attribute, &names),
                "list attributes");
    for (const std::string& name : names) {
      if (!contains(known, name)) add(path + ", attribute " + name);
    }
  }

  std::vector<std::string> take() {
    if (count_ > std::ssize(found_)) found_.push_back(format_count(count_ - std::ssize(found_)) + " more");
    return std::move(found_);
  }

 private:
  void add_attributes_of(hid_t group, const std::string& name, const std::string& path) {
    if (!is_hard_link(group, name)) return;  // other links may lead to another file
    try {
      const auto object = own<hdf5::ObjectHandle>(H5Oopen(group, name.c_str(), H5P_DEFAULT), "open " + path);
      add_attributes(object.get(), path, name == "images" ? Names(kImageAttributes) : Names());
    } catch (const FormatError&) {
      // A damaged object, such as the histogram, may not be needed: the caller reads what is.
    }
  }

  void add(std::string name) {
    constexpr std::size_t kMostNames = 100, kMostBytes = 200;
    ++count_;
    if (found_.size() < kMostNames) found_.emplace_back(cut_utf8(printable(name), kMostBytes));
  }

  std::vector<std::string> found_;
  std::int64_t count_ = 0;
};

}  // namespace

std::vector<std::string> foreign_extras(hid_t file, const std::vector<std::string>& splits, std::int64_t version) {
  Extras extras;
  const auto root = own<hdf5::GroupHandle>(H5Gopen2(file, "/", H5P_DEFAULT), "open /");
  extras.add_members(root.get(), "/", kRootObjects, splits);
  extras.add_attributes(root.get(), "/", kRootAttributes);
  for (const std::string& split : splits) {
    const auto group = own<hdf5::GroupHandle>(H5Gopen2(root.get(), split.c_str(), H5P_DEFAULT), "open /" + split);
    extras.add_members(group.get(), "/" + split + "/", split_objects(group.get(), version), {});
    extras.add_attributes(group.get(), "/" + split, kSplitAttributes);
  }
  return extras.take();
}

}  // namespace octavo::dataset_file
