#include "dataset_file/rebuild/foreign_arrays.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <octavo/errors.hpp>

#include "dataset_file/rebuild/foreign_dataset.hpp"
#include "dataset_file/rebuild/foreign_file.hpp"
#include "hdf5/hdf5_reading.hpp"
#include "hdf5/session.hpp"
#include "support/strict_json.hpp"

namespace octavo::dataset_file {
namespace {

using hdf5::check;
using hdf5::own;

constexpr int kDeepestGroup = 16;
constexpr std::size_t kMostArrays = 10'000;
constexpr std::size_t kMostAxes = 32;

herr_t collect_hard_link(hid_t, const char* name, const H5L_info_t* link, void* names) {
  // Hard links only: soft, external and user-defined links may lead anywhere, and in circles.
  if (link->type == H5L_TYPE_HARD) static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

/// NumPy's name for a type of plain numbers; nothing for any other type.
std::optional<std::string> element_name(hid_t type) {
  const std::size_t bytes = H5Tget_size(type);
  const std::string bits = std::to_string(8 * bytes);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) return std::nullopt;
      return (H5Tget_sign(type) == H5T_SGN_NONE ? "uint" : "int") + bits;
    case H5T_FLOAT:
      if (bytes != 2 && bytes != 4 && bytes != 8) return std::nullopt;
      return "float" + bits;
    case H5T_ENUM:  // as h5py stores NumPy's bool
      return bytes == 1 ? std::optional<std::string>("bool") : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// The type of the numbers as sent: the type in the file, but little-endian.
hdf5::TypeHandle sent_type(hid_t type) {
  auto sent = own<hdf5::TypeHandle>(H5Tcopy(type), "copy a type");
  if (H5Tget_class(type) != H5T_ENUM) check(H5Tset_order(sent.get(), H5T_ORDER_LE), "choose the byte order");
  return sent;
}

class ArrayLister {
 public:
  void list(hid_t group, const std::string& path, int depth) {
    std::vector<std::string> names;
    check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, &collect_hard_link, &names), "list a group");
    for (const std::string& name : names) look_at(group, name, path.empty() ? name : path + "/" + name, depth);
  }
  const Json& arrays() const { return arrays_; }

 private:
  void look_at(hid_t group, const std::string& name, const std::string& path, int depth) {
    H5O_info_t object{};
    check(H5Oget_info_by_name(group, name.c_str(), &object, H5P_DEFAULT), "look at " + path);
    if (object.type == H5O_TYPE_GROUP && depth < kDeepestGroup && seen_.insert(object.addr).second) {
      const auto below = own<hdf5::GroupHandle>(H5Gopen2(group, name.c_str(), H5P_DEFAULT), "open " + path);
      list(below.get(), path, depth + 1);
    } else if (object.type == H5O_TYPE_DATASET && arrays_.size() < kMostArrays) {
      add(group, name, path);
    }
  }

  void add(hid_t group, const std::string& name, const std::string& path) {
    const auto dataset = own<hdf5::DatasetHandle>(H5Dopen2(group, name.c_str(), H5P_DEFAULT), "open " + path);
    const auto type = own<hdf5::TypeHandle>(H5Dget_type(dataset.get()), "read the type of " + path);
    const auto element = element_name(type.get());
    const auto axes = hdf5::axes_of(dataset.get());
    const bool is_plain = element && !axes.empty() && axes.size() <= kMostAxes &&
                          std::all_of(axes.begin(), axes.end(), [](std::int64_t axis) { return axis > 0; });
    if (is_plain) arrays_.push_back({{"name", path}, {"element", *element}, {"axes", axes}});
  }

  Json arrays_ = Json::array();
  std::set<haddr_t> seen_;  ///< groups; hard links can lead to a group again, even from inside it
};

}  // namespace

void send_array_list(const std::filesystem::path& path, const hdf5::ChildOutput& output) {
  const hdf5::Session session;
  const auto file = hdf5::open_hdf5(path);
  const auto root = own<hdf5::GroupHandle>(H5Gopen2(file.get(), "/", H5P_DEFAULT), "open /");
  ArrayLister lister;
  lister.list(root.get(), "", 0);
  output.send(kArrayList, lister.arrays().dump(-1, ' ', false, Json::error_handler_t::replace));
}

void send_array_rows(const std::filesystem::path& path, const std::string& name, std::int64_t first_row,
                     const hdf5::ChildOutput& output) {
  const hdf5::Session session;
  const auto file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  const auto file = hdf5::open_hdf5(path);
  // Member by member, so that no link on the way leads out of the file.
  auto group = own<hdf5::GroupHandle>(H5Gopen2(file.get(), "/", H5P_DEFAULT), "open /");
  std::string last = name;
  for (std::size_t end; (end = last.find('/')) != std::string::npos; last = last.substr(end + 1)) {
    const std::string member = last.substr(0, end);
    if (!has_member(group.get(), member)) throw FormatError("/" + name + " is missing");
    group = own<hdf5::GroupHandle>(H5Gopen2(group.get(), member.c_str(), H5P_DEFAULT), "open " + member);
  }
  const ForeignDataset dataset(group.get(), last, "/" + name, file_bytes);
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

}  // namespace octavo::dataset_file
