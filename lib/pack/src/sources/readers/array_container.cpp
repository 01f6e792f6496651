#include "sources/readers/array_container.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "sources/combine/split_names.hpp"
#include "sources/lists/table/label_names.hpp"
#include "support/file.hpp"
#include "support/text/ascii.hpp"

namespace octavo::sources {
namespace {

using arrays::ArraySet;
using arrays::ListedArray;

/// Dataset names may start with the root's slash or not.
std::string without_slash(const std::string& name) { return name.starts_with('/') ? name.substr(1) : name; }

/// Notes that a link leads to another file.
void use_link(const ArrayContainer& container, const ListedArray& array, ArraySet& set) {
  if (array.file.empty()) return;
  if (std::ranges::find(set.files, array.file) == set.files.end()) set.files.push_back(array.file);
  set.remarks.push_back(container.name_of(array) + " is an external link, and is read from " + quoted(array.file));
}

/// Opens labels that are numbers or text.
void use_labels(const ArrayContainer& container, const ListedArray& array, ArraySet& set) {
  set.label_problem.clear();
  if (array.is_text) {
    set.label_texts = container.read_texts(array);
    set.label_name = container.name_of(array);
  } else {
    set.labels = container.open(array);
    set.are_whole_labels_classes = container.is_of_matlab();
  }
  if (!array.value_names.empty()) {
    set.offered_names = array.value_names;
    set.offered_by = "the enumeration " + container.name_of(array);
  }
  use_link(container, array, set);
}

/// Offers the class names in arrays of text, except those that are labels.
void offer_names(const ArrayContainer& container, const std::set<std::string>& used, std::vector<ArraySet>& sets,
                 std::set<std::string>& offered) {
  for (const ListedArray& array : container.arrays()) {
    if (!array.is_text || used.contains(array.name) || !is_named_as_class_names(array.name)) continue;
    offered.insert(array.name);
    const std::string by = "the array " + array.name + " in " + quoted(container.path());
    const auto names = class_names_in(container, array, by, sets[0].remarks);
    for (ArraySet& set : sets) {
      if (names.empty() || !set.offered_names.empty()) continue;
      set.offered_names = names;
      set.offered_by = by;
    }
    return;
  }
}

/// SVHN's own files hold X and y alone, and images of 32 x 32 pixels in color.
bool may_be_svhn(const ArrayContainer& container, const ArrayPair& pair, const arrays::Array& images) {
  const auto usable = std::ranges::count_if(container.arrays(), &ListedArray::is_usable);
  const std::vector<std::int64_t> axes = {images.row_count(), 3, 32, 32};
  return pair.images == "X" && pair.labels == "y" && usable == 2 && images.axes() == axes;
}

ArraySet set_of(const ArrayContainer& container, const ArrayPair& pair, const SourceEntry& entry) {
  const ListedArray& images = *container.find(pair.images);
  ArraySet set;
  set.split = entry.split.empty() ? pair.split : entry.split;
  set.sample_prefix = container.path().filename().string() + ":" + pair.images;
  set.images_name = pair.images;
  set.files.push_back(container.path());
  set.images = container.open(images);
  set.label_problem = pair.label_problem;
  use_link(container, images, set);
  const ListedArray* const labels = pair.labels.empty() ? nullptr : container.find(pair.labels);
  if (labels != nullptr) use_labels(container, *labels, set);
  if (!container.is_of_matlab()) return set;
  set.has_reversed_axes = true;
  set.order = arrays::AxisOrder::found_reversed;
  // Three labels show that three planes are three images, not the colors of one.
  const auto& axes = set.images->axes();
  const bool are_counted = labels != nullptr && !labels->axes.empty() && labels->axes[0] == axes[0];
  if (axes.size() == 3 && are_counted) set.order = arrays::AxisOrder::wh;
  if (axes.size() == 3 && !are_counted && axes[0] == axes[1] && axes[1] != axes[2]) {
    set.remarks.push_back(container.name_of(images) + " was read as H x W x N, " + std::to_string(axes[0]) +
                          " images of " + std::to_string(axes[2]) + " x " + std::to_string(axes[1]) +
                          "; its shape in MATLAB could also be N x H x W, which permute() would correct");
  }
  if (may_be_svhn(container, pair, *set.images)) set.numbering = arrays::LabelNumbering::svhn_digits;
  return set;
}

/// The labels for `images` among the arrays of another file; null if it is not clear which.
const ListedArray* labels_for(const ArraySet& set, const ArrayContainer& container) {
  const auto& all = container.arrays();
  if (all.size() == 1) return &all[0];
  for (const std::string& name : label_names_for(set.images_name)) {
    if (const ListedArray* array = container.find(name); array != nullptr && may_be_labels(*array)) return array;
  }
  const auto fits = [&](const ListedArray& array) {
    return may_be_labels(array) && array.row_values() == 1 && array.axes[0] == set.images->row_count();
  };
  const auto found = std::ranges::find_if(all, fits);
  return std::ranges::count_if(all, fits) == 1 ? &*found : nullptr;
}

}  // namespace

const ListedArray* ArrayContainer::find(const std::string& name) const {
  const auto found = std::ranges::find(arrays_, name, &ListedArray::name);
  return found == arrays_.end() ? nullptr : &*found;
}

std::string ArrayContainer::name_of(const ListedArray& array) const {
  return quoted(array.name.empty() ? path_ : std::filesystem::path(path_.string() + ": " + array.name));
}

bool is_named_as_class_names(const std::string& name) {
  constexpr std::array<std::string_view, 12> kWords = {"class_names",    "class_name",  "classes",      "classnames",
                                                       "class_labels",   "label_names", "labels_names", "labelnames",
                                                       "category_names", "categories",  "target_names", "names"};
  const std::string last = lower_case(std::string_view(name).substr(name.rfind('/') + 1));
  return std::ranges::find(kWords, last) != kWords.end();
}

std::vector<std::string> class_names_in(const ArrayContainer& container, const ListedArray& array,
                                        const std::string& by, std::vector<std::string>& remarks) {
  const auto note = [&](const std::string& reason) {
    remarks.push_back("the classes are not named by " + by + ": " + reason);
    return std::vector<std::string>();
  };
  if (!may_be_labels(array)) return note("it is not a list of texts");
  try {
    return container.read_texts(array);
  } catch (const FormatError& problem) {
    return note(problem.what());
  }
}

std::string listed(const std::vector<const ListedArray*>& arrays) {
  constexpr std::size_t kMostNamed = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(arrays.size(), kMostNamed); ++i) {
    const ListedArray& array = *arrays[i];
    text += (i == 0 ? "" : ", ") + printable(array.name) + " (" +
            (array.is_usable() ? arrays::shape_text(array) + " " + arrays::name_of(array.element) : array.unusable) +
            ")";
  }
  return arrays.size() > kMostNamed ? text + " and " + std::to_string(arrays.size() - kMostNamed) + " more" : text;
}

std::vector<ArraySet> sets_in(const ArrayContainer& container, const SourceEntry& entry, const std::string& format) {
  const std::string file_split = split_of_file_name(container.path().filename().string()).value_or("train");
  std::set<std::string> used;
  std::vector<ArraySet> sets;
  for (const ArrayPair& pair : pair_arrays(quoted(container.path()), container.arrays(), without_slash(entry.images),
                                           without_slash(entry.labels), file_split)) {
    sets.push_back(set_of(container, pair, entry));
    sets.back().format = format;
    used.insert({pair.images, pair.labels, pair.unusable_labels});
  }
  offer_names(container, used, sets, used);
  std::set<std::string> used_objects;
  for (const ListedArray& array : container.arrays()) {
    if (used.contains(array.name) && !array.object.empty()) used_objects.insert(array.object);
  }
  std::vector<const ListedArray*> left_out;
  for (const ListedArray& array : container.arrays()) {
    if (!used.contains(array.name) && !used_objects.contains(array.object)) left_out.push_back(&array);
  }
  if (!left_out.empty() && entry.images.empty()) {
    sets[0].remarks.push_back(std::string("left out the array") + (left_out.size() == 1 ? " " : "s ") +
                              listed(left_out) + " in " + quoted(container.path()));
  }
  return sets;
}

std::string use_labels_in(const ArrayContainer& container, const std::string& wanted, ArraySet& set) {
  const std::string file = quoted(container.path());
  const ListedArray* const array = wanted.empty() ? labels_for(set, container) : container.find(without_slash(wanted));
  if (array == nullptr && !wanted.empty()) return "there is no array \"" + wanted + "\" in " + file;
  if (array == nullptr) return "which array in " + file + " holds the labels is ambiguous";
  if (!may_be_labels(*array))
    return "the labels in " + container.name_of(*array) + " cannot be used: " + array->unusable;
  use_labels(container, *array, set);
  set.files.push_back(container.path());
  return "";
}

}  // namespace octavo::sources
