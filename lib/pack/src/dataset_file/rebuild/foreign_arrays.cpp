#include "dataset_file/rebuild/foreign_arrays.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>

#include "dataset_file/rebuild/foreign_dataset.hpp"
#include "dataset_file/rebuild/foreign_file.hpp"
#include "dataset_file/rebuild/foreign_links.hpp"
#include "dataset_file/rebuild/foreign_types.hpp"
#include "hdf5/hdf5_reading.hpp"
#include "hdf5/session.hpp"
#include "support/strict_json.hpp"

namespace octavo::dataset_file {
namespace {

using hdf5::check;
using hdf5::own;

constexpr std::size_t kDeepestGroup = 16;
constexpr std::size_t kMostArrays = 10'000;
constexpr std::size_t kMostGroups = 10'000;
constexpr std::size_t kMostAxes = 32;

/// An object is in a file and at an address there.
using ObjectId = std::pair<unsigned long, haddr_t>;

struct MemberNames {
  std::vector<std::string> hard, links;
};

herr_t collect_link(hid_t, const char* name, const H5L_info_t* link, void* names) {
  auto& members = *static_cast<MemberNames*>(names);
  (link->type == H5L_TYPE_HARD ? members.hard : members.links).emplace_back(name);
  return 0;
}

/// MATLAB's own objects, to which its variables refer.
bool is_of_matlab(const std::string& path) { return path == "#refs#" || path == "#subsystem#"; }

bool has_attribute(hid_t object, const char* name) {
  return check(H5Aexists(object, name), "look for an attribute") > 0;
}

/// Lists the datasets below groups. Hard links come first, so that an object has the name of its place.
class ArrayLister {
 public:
  explicit ArrayLister(ForeignLinks& links) : links_(links) {}

  void list_all() {
    const auto root = own<hdf5::GroupHandle>(H5Gopen2(links_.file()->handle.get(), "/", H5P_DEFAULT), "open /");
    list(links_.file(), root.get(), "");
    // In front, since a list of arrays in a message is cut.
    arrays_.insert(arrays_.begin(), beyond_.begin(), beyond_.end());
  }
  const Json& arrays() const { return arrays_; }

 private:
  using File = std::shared_ptr<const ForeignFile>;

  void list(const File& file, hid_t group, const std::string& path) {
    MemberNames names;
    check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, &collect_link, &names), "list a group");
    const auto path_of = [&](const std::string& name) { return path.empty() ? name : path + "/" + name; };
    for (const std::string& name : names.hard) {
      if (!is_of_matlab(path_of(name))) look_at(file, group, name, path_of(name), false);
    }
    for (const std::string& name : names.links) follow(file, group, name, path_of(name));
  }

  void follow(const File& file, hid_t group, const std::string& name, const std::string& path) {
    try {
      const FoundMember found = links_.find(file, group, name);
      look_at(found.file, found.group.get(), found.name, path, true);
    } catch (const FormatError& problem) {
      // The problem is either that of the link, "is an external link to ...", or that of its target, "is missing".
      const std::string text = problem.what();
      add_unreachable(path, text.starts_with("is a") ? text.substr(3) : describe_link(group, name) + ", which " + text);
    } catch (const IoError& problem) {  // such as a target that is not HDF5
      add_unreachable(path, describe_link(group, name) + ", which cannot be read: " + problem.what());
    }
  }

  void add_unreachable(const std::string& path, const std::string& reason) {
    if (is_full(path)) return;
    arrays_.push_back(unusable(path, reason));
  }

  static Json unusable(const std::string& path, const std::string& reason) {
    return {{"name", path}, {"unusable", reason}, {"axes", Json::array()}};
  }

  /// Whether no more arrays are listed. Notes the first of those that are not.
  bool is_full(const std::string& path) {
    if (arrays_.size() < kMostArrays) return false;
    if (!std::exchange(has_more_arrays_, true)) {
      beyond_.push_back(unusable(path, "the first of those beyond " + format_count(kMostArrays) + " arrays"));
    }
    return true;
  }

  /// Whether the groups below are not listed. Notes the first of those.
  bool is_too_deep(const std::string& path) {
    const bool is_deep = open_groups_.size() >= kDeepestGroup;
    if (!is_deep && group_count_ < kMostGroups) return false;
    if (!std::exchange(has_more_groups_, true)) {
      beyond_.push_back(unusable(path, is_deep ? "a group below " + std::to_string(kDeepestGroup) + " groups"
                                               : "the first of those beyond " + format_count(kMostGroups) + " groups"));
    }
    return true;
  }

  /// A group with several hard links is listed once. A link to it is another name; inside, only circles are cut.
  bool seen_in_this_way(const ObjectId& id, bool is_linked) const {
    return open_groups_.contains(id) || (seen_.contains(id) && !is_linked && link_depth_ == 0);
  }

  void look_at(const File& file, hid_t group, const std::string& name, const std::string& path, bool is_linked) {
    H5O_info_t object{};
    check(H5Oget_info_by_name(group, name.c_str(), &object, H5P_DEFAULT), "look at " + path);
    const ObjectId id = {object.fileno, object.addr};
    if (object.type == H5O_TYPE_DATASET && !is_full(path)) add(file, group, name, path, id);
    if (object.type != H5O_TYPE_GROUP || seen_in_this_way(id, is_linked) || is_too_deep(path)) return;
    seen_.insert(id);
    const auto below = own<hdf5::GroupHandle>(H5Gopen2(group, name.c_str(), H5P_DEFAULT), "open " + path);
    if (const auto matlab = hdf5::read_text_attribute(below.get(), "MATLAB_class")) {
      const bool is_sparse = has_attribute(below.get(), "MATLAB_sparse");
      arrays_.push_back({{"name", path},
                         {"unusable", is_sparse             ? "a sparse matrix"
                                      : *matlab == "struct" ? "a struct"
                                                            : "a MATLAB object"},
                         {"axes", Json::array()},
                         {"matlab", *matlab}});
      return;
    }
    ++group_count_;
    open_groups_.insert(id);
    link_depth_ += is_linked ? 1 : 0;
    list(file, below.get(), path);
    link_depth_ -= is_linked ? 1 : 0;
    open_groups_.erase(id);
  }

  void add(const File& file, hid_t group, const std::string& name, const std::string& path, const ObjectId& id) {
    const auto dataset = own<hdf5::DatasetHandle>(H5Dopen2(group, name.c_str(), H5P_DEFAULT), "open " + path);
    const auto type = own<hdf5::TypeHandle>(H5Dget_type(dataset.get()), "read the type of " + path);
    const auto axes = hdf5::axes_of(dataset.get());
    Json array = {
        {"name", path}, {"axes", axes}, {"object", std::to_string(id.first) + ":" + std::to_string(id.second)}};
    const auto element = element_name(type.get());
    const bool is_text = H5Tget_class(type.get()) == H5T_STRING;
    if (axes.empty()) {
      array["unusable"] = is_text ? "a single text" : "a single value";
    } else if (axes.size() > kMostAxes) {
      array["unusable"] = "more than " + std::to_string(kMostAxes) + " axes";
    } else if (!std::ranges::all_of(axes, [](std::int64_t axis) { return axis > 0; })) {
      array["unusable"] = "empty";
    } else if (is_too_large(axes, H5Tget_size(type.get()), file->file_bytes)) {
      array["unusable"] = "declared far larger than the file";
    } else if (element) {
      array["element"] = *element;
    } else {
      array["unusable"] = type_text(type.get());
      array["is_text"] = is_text;
    }
    if (const auto names = value_names(type.get()); !names.empty()) array["names"] = names;
    if (const auto matlab = hdf5::read_text_attribute(dataset.get(), "MATLAB_class")) {
      const bool is_object = has_attribute(dataset.get(), "MATLAB_object_decode");
      array["matlab"] = is_object ? "object" : *matlab;
      array["is_empty"] = has_attribute(dataset.get(), "MATLAB_empty");
    }
    if (file != links_.file()) array["file"] = file->path.string();
    arrays_.push_back(std::move(array));
  }

  ForeignLinks& links_;
  Json arrays_ = Json::array();
  Json beyond_ = Json::array();  ///< the first array and the first group that are not listed
  bool has_more_arrays_ = false, has_more_groups_ = false;
  std::set<ObjectId> seen_;         ///< groups; hard links can lead to a group again, even from inside it
  std::set<ObjectId> open_groups_;  ///< that are being listed
  std::size_t group_count_ = 0;
  int link_depth_ = 0;  ///< the number of open groups that a link leads to
};

/// A dataset that a path names, and the file that holds it.
struct OpenDataset {
  FoundMember found;
  ForeignDataset dataset;
};

OpenDataset open_dataset(ForeignLinks& links, const std::string& name) {
  FoundMember found = [&] {
    try {
      return links.find(links.file(), links.file()->handle.get(), "/" + name);
    } catch (const FormatError& problem) {
      throw FormatError("/" + name + " " + problem.what());
    }
  }();
  ForeignDataset dataset(found.group.get(), found.name, "/" + name, found.file->file_bytes);
  return {std::move(found), std::move(dataset)};
}

/// The texts in `table`, one for each `width` bytes; HDF5 pads them with zeros or blanks.
std::string fixed_texts(std::string_view table, std::size_t width, bool is_padded_with_blanks) {
  std::string texts;
  for (std::size_t at = 0; at < table.size(); at += width) {
    std::string_view text = table.substr(at, ::strnlen(table.data() + at, width));
    while (is_padded_with_blanks && text.ends_with(' ')) text.remove_suffix(1);
    texts.append(text).push_back('\0');
  }
  return texts;
}

}  // namespace

void send_array_list(const std::filesystem::path& path, const hdf5::ChildOutput& output) {
  const hdf5::Session session;
  ForeignLinks links(path);
  ArrayLister lister(links);
  lister.list_all();
  output.send(kArrayList, lister.arrays().dump(-1, ' ', false, Json::error_handler_t::replace));
}

void send_array_rows(const std::filesystem::path& path, const std::string& name, std::int64_t first_row,
                     const hdf5::ChildOutput& output) {
  const hdf5::Session session;
  ForeignLinks links(path);
  const OpenDataset open = open_dataset(links, name);
  const ForeignDataset& dataset = open.dataset;
  const auto type = own<hdf5::TypeHandle>(H5Dget_type(dataset.id()), "read the type of " + name);
  const auto sent = sent_type(type.get());
  auto row_bytes = static_cast<std::int64_t>(H5Tget_size(sent.get()));
  for (std::size_t axis = 1; axis < dataset.axes().size(); ++axis) row_bytes *= dataset.axes()[axis];
  const std::int64_t row_count = dataset.axes()[0], block_rows = rows_per_block(row_bytes);
  std::vector<std::byte> rows;
  for (std::int64_t first = first_row; first < row_count; first += block_rows) {
    const std::int64_t count = std::min(block_rows, row_count - first);
    rows.resize(static_cast<std::size_t>(count * row_bytes));
    dataset.read_rows(first, count, sent.get(), rows);
    output.send(kRows, rows);
  }
}

void send_array_texts(const std::filesystem::path& path, const std::string& name, const hdf5::ChildOutput& output) {
  const hdf5::Session session;
  ForeignLinks links(path);
  const OpenDataset open = open_dataset(links, name);
  const ForeignDataset& dataset = open.dataset;
  const auto type = own<hdf5::TypeHandle>(H5Dget_type(dataset.id()), "read a type");
  const auto& axes = dataset.axes();
  const bool is_list = !axes.empty() && std::all_of(axes.begin() + 1, axes.end(), [](auto axis) { return axis == 1; });
  if (H5Tget_class(type.get()) != H5T_STRING || !is_list) dataset.fail("is not a list of texts");
  const bool is_variable = H5Tis_variable_str(type.get()) > 0;
  const bool has_blanks = H5Tget_strpad(type.get()) == H5T_STR_SPACEPAD;
  const std::size_t width = H5Tget_size(type.get());
  if (!is_variable && width > kMostTextBytes + 1) {
    dataset.fail("has texts of more than " + std::to_string(kMostTextBytes) + " bytes");
  }
  for (std::int64_t first = 0; first < axes[0]; first += kTextsAtOnce) {
    const auto count = static_cast<std::size_t>(std::min(kTextsAtOnce, axes[0] - first));
    std::string texts;
    if (is_variable) {
      std::vector<char*> found(count, nullptr);
      dataset.read_rows(first, static_cast<std::int64_t>(count), type.get(), std::as_writable_bytes(std::span(found)));
      for (char* const text : found) {
        const std::string_view read = text == nullptr ? std::string_view() : std::string_view(text);
        if (read.size() > kMostTextBytes) {
          dataset.fail("has texts of more than " + std::to_string(kMostTextBytes) + " bytes");
        }
        texts.append(read).push_back('\0');
        H5free_memory(text);
      }
    } else {
      std::string table(count * width, '\0');
      dataset.read_rows(first, static_cast<std::int64_t>(count), type.get(), std::as_writable_bytes(std::span(table)));
      texts = fixed_texts(table, width, has_blanks);
    }
    output.send(kTexts, texts);
  }
}

}  // namespace octavo::dataset_file
