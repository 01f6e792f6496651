#include "sources/lists/table/label_names.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include <octavo/errors.hpp>

#include "arrays/array.hpp"
#include "sources/combine/split_names.hpp"
#include "sources/readers/array_container.hpp"

namespace octavo::sources {
namespace {

using arrays::ListedArray;

struct Convention {
  std::string_view images;
  std::string_view labels;
};

// Pairs of words for images and labels: from MNIST, Keras, MedMNIST, PCam, SVHN, h5py users.
constexpr std::array<Convention, 22> kConventions = {
    {{"images", "labels"}, {"images", "label"},   {"images", "targets"},
     {"images", "target"}, {"images", "classes"}, {"images", "y"},
     {"image", "label"},   {"image", "labels"},   {"image", "target"},
     {"imgs", "labels"},   {"img", "label"},      {"data", "labels"},
     {"data", "label"},    {"data", "targets"},   {"data", "target"},
     {"x", "y"},           {"x", "labels"},       {"X", "y"},
     {"X", "Y"},           {"X", "labels"},       {"features", "labels"},
     {"arr_0", "arr_1"}}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The last position of `word` in `name` as a word of its own; npos if there is none.
std::size_t find_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.rfind(word); at != std::string_view::npos;
       at = at == 0 ? std::string_view::npos : name.rfind(word, at - 1)) {
    const bool begins = at == 0 || !is_letter(name[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == name.size() || !is_letter(name[end]))) return at;
  }
  return std::string_view::npos;
}

bool tells_of_images(const std::string& name) {
  return std::any_of(kConventions.begin(), kConventions.end(), [&](const Convention& convention) {
    return find_word(name, convention.images) != std::string::npos;
  });
}

std::string listed(const std::vector<ListedArray>& arrays) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(arrays.size(), 10); ++i) {
    const std::string& unusable = arrays[i].unusable;
    text += (i == 0 ? "" : ", ") + arrays[i].name + " (" +
            (unusable.empty() ? arrays::shape_text(arrays[i]) : unusable) + ")";
  }
  if (arrays.size() > 10) text += " and " + std::to_string(arrays.size() - 10) + " more";
  return arrays.empty() ? "no arrays" : text;
}

const ListedArray* find(const std::vector<ListedArray>& arrays, const std::string& name) {
  const auto found = std::ranges::find(arrays, name, &ListedArray::name);
  return found == arrays.end() ? nullptr : &*found;
}

/// Labels can have more axes too, of length 1. Only if nothing else is there, such an array is images of one pixel.
void drop_one_per_row(std::vector<const ListedArray*>& arrays) {
  const auto has_one = [](const ListedArray* array) { return array->row_values() == 1; };
  if (!std::ranges::all_of(arrays, has_one)) std::erase_if(arrays, has_one);
}

/// If there is one array with the axes of images, but it cannot be used, that is the problem.
void refuse_unusable_images(const std::string& file, const std::vector<ListedArray>& arrays) {
  const auto is_it = [](const ListedArray& array) { return !array.is_usable() && array.axes.size() >= 3; };
  if (std::ranges::count_if(arrays, is_it) != 1) return;
  const ListedArray& array = *std::ranges::find_if(arrays, is_it);
  throw FormatError("read " + file + ": the array " + array.name + " (" + arrays::shape_text(array) +
                    ") cannot be used: " + array.unusable + "; get the file again, or convert it");
}

/// An array that could be images, apart from its name.
bool may_be_images(const ListedArray& array) { return array.is_usable() && array.axes.size() >= 3; }

void refuse_without_images(const std::string& file, const std::vector<ListedArray>& arrays) {
  if (std::ranges::any_of(arrays, &may_be_images)) return;
  throw FormatError("read " + file + ": it has no array of images, numbers with three or more axes; it has " +
                    listed(arrays) + "; save the images as one array");
}

std::vector<const ListedArray*> image_arrays(const std::vector<ListedArray>& arrays) {
  std::vector<const ListedArray*> large, named;
  for (const ListedArray& array : arrays) {
    if (may_be_images(array)) large.push_back(&array);
  }
  drop_one_per_row(large);
  std::ranges::copy_if(large, std::back_inserter(named),
                       [](const auto* array) { return tells_of_images(array->name); });
  return named.empty() && large.size() == 1 ? large : named;
}

/// Adds the labels of the images to the pair, or why they cannot be used. Text of another length is left to class names
/// if it is named after them, and else chosen last, to be refused for its length as numbers are.
void find_labels(const ListedArray& images, const std::vector<ListedArray>& arrays, ArrayPair& pair) {
  std::string text_of_other_length;
  for (const std::string& name : label_names_for(images.name)) {
    const ListedArray* const labels = find(arrays, name);
    if (labels == nullptr) continue;
    const bool is_per_image = labels->axes.size() <= 2 || labels->row_values() == 1;
    const bool is_for_these = !labels->is_text || labels->axes[0] == images.axes[0];
    if (may_be_labels(*labels) && is_per_image && is_for_these) {
      pair.labels = name;
      pair.unusable_labels.clear();
      pair.label_problem.clear();
      return;
    }
    if (!is_for_these && text_of_other_length.empty() && may_be_labels(*labels) && !is_named_as_class_names(name)) {
      text_of_other_length = name;
    }
    if (!pair.label_problem.empty() || !is_for_these) continue;
    const std::string problem = labels->is_usable() ? "of shape " + arrays::shape_text(*labels) : labels->unusable;
    pair.unusable_labels = name;
    pair.label_problem = "the labels \"" + name + "\" cannot be used: " + problem;
  }
  if (pair.unusable_labels.empty()) pair.labels = text_of_other_length;
}

/// Throws unless the array is there and usable.
void check_wanted(const std::string& file, const std::vector<ListedArray>& arrays, const std::string& name,
                  bool is_labels) {
  if (name.empty()) return;
  const ListedArray* const array = find(arrays, name);
  if (array == nullptr) {
    throw DataError("read " + file + ": there is no array \"" + name + "\" in it; it has " + listed(arrays));
  }
  if (is_labels ? may_be_labels(*array) : array->is_usable()) return;
  throw FormatError("read " + file + ": the array \"" + name + "\" cannot be used: " + array->unusable +
                    "; name an array of numbers");
}

/// Whether two pairs are one array with two names; the better pair of the two stays in `known`.
bool is_same_array(const std::vector<ListedArray>& arrays, const ArrayPair& added, ArrayPair& known) {
  const std::string& object = find(arrays, added.images)->object;
  if (object.empty() || object != find(arrays, known.images)->object) return false;
  if (known.labels.empty() && !added.labels.empty()) known = added;
  return true;
}

}  // namespace

std::vector<std::string> label_names_for(const std::string& images) {
  std::vector<std::string> names;
  for (const Convention& convention : kConventions) {
    const std::size_t at = find_word(images, convention.images);
    if (at == std::string::npos) continue;
    std::string name = images;
    names.push_back(name.replace(at, convention.images.size(), convention.labels));
  }
  return names;
}

bool may_be_labels(const ListedArray& array) {
  return array.is_usable() || (array.is_text && !array.axes.empty() && array.row_values() == 1);
}

std::vector<ArrayPair> pair_arrays(const std::string& file, const std::vector<ListedArray>& arrays,
                                   const std::string& wanted_images, const std::string& wanted_labels,
                                   const std::string& file_split) {
  check_wanted(file, arrays, wanted_images, false);
  check_wanted(file, arrays, wanted_labels, true);
  std::vector<const ListedArray*> images = image_arrays(arrays);
  if (!wanted_images.empty()) images = {find(arrays, wanted_images)};
  if (images.empty()) {
    refuse_unusable_images(file, arrays);
    refuse_without_images(file, arrays);
    throw DataError("read " + file + ": which array holds the images is ambiguous; name it as " +
                    "FILE::IMAGES::LABELS; the file has " + listed(arrays));
  }
  std::vector<ArrayPair> pairs;
  for (const ListedArray* const array : images) {
    ArrayPair pair = {split_of_file_name(array->name).value_or(file_split), array->name, wanted_labels};
    if (pair.labels.empty()) find_labels(*array, arrays, pair);
    const auto same_split = std::ranges::find(pairs, pair.split, &ArrayPair::split);
    if (same_split == pairs.end()) {
      pairs.push_back(std::move(pair));
    } else if (!is_same_array(arrays, pair, *same_split)) {
      throw DataError("read " + file + ": both " + same_split->images + " and " + pair.images +
                      " look like the images of \"" + pair.split + "\"; name one as FILE::IMAGES::LABELS");
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const ArrayPair& a, const ArrayPair& b) { return split_rank(a.split) < split_rank(b.split); });
  return pairs;
}

}  // namespace octavo::sources
