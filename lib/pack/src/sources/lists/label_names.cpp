#include "sources/lists/label_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <octavo/errors.hpp>

#include "arrays/array.hpp"
#include "sources/combine/split_names.hpp"

namespace octavo::sources {
namespace {

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

std::string listed(const std::vector<NamedArray>& arrays) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(arrays.size(), 10); ++i) {
    text += (i == 0 ? "" : ", ") + arrays[i].name + " (" + arrays::axes_text(arrays[i].axes) + ")";
  }
  if (arrays.size() > 10) text += " and " + std::to_string(arrays.size() - 10) + " more";
  return arrays.empty() ? "no arrays of numbers" : text;
}

const NamedArray* find(const std::vector<NamedArray>& arrays, const std::string& name) {
  const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const NamedArray& a) { return a.name == name; });
  return found == arrays.end() ? nullptr : &*found;
}

std::vector<const NamedArray*> image_arrays(const std::vector<NamedArray>& arrays) {
  std::vector<const NamedArray*> large, named;
  for (const NamedArray& array : arrays) {
    if (array.axes.size() < 3) continue;
    large.push_back(&array);
    if (tells_of_images(array.name)) named.push_back(&array);
  }
  return named.empty() && large.size() == 1 ? large : named;
}

std::string labels_of(const NamedArray& images, const std::vector<NamedArray>& arrays) {
  for (const std::string& name : label_names_for(images.name)) {
    const NamedArray* const labels = find(arrays, name);
    if (labels != nullptr && labels->axes.size() <= 2) return name;
  }
  return "";
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

std::vector<ArrayPair> pair_arrays(const std::string& file, const std::vector<NamedArray>& arrays,
                                   const std::string& wanted_images, const std::string& wanted_labels,
                                   const std::string& file_split) {
  for (const std::string* const name : {&wanted_images, &wanted_labels}) {
    if (!name->empty() && find(arrays, *name) == nullptr) {
      throw InvalidArgument("read " + file + ": there is no array \"" + *name + "\" in it; it has " + listed(arrays));
    }
  }
  std::vector<const NamedArray*> images = image_arrays(arrays);
  if (!wanted_images.empty()) images = {find(arrays, wanted_images)};
  if (images.empty()) {
    throw InvalidArgument("read " + file + ": which array holds the images is ambiguous; name it as " +
                          "FILE::IMAGES::LABELS; the file has " + listed(arrays));
  }
  std::vector<ArrayPair> pairs;
  for (const NamedArray* const array : images) {
    ArrayPair pair = {split_of_file_name(array->name).value_or(file_split), array->name, wanted_labels};
    if (pair.labels.empty()) pair.labels = labels_of(*array, arrays);
    for (const ArrayPair& other : pairs) {
      if (other.split != pair.split) continue;
      throw InvalidArgument("read " + file + ": both " + other.images + " and " + pair.images +
                            " look like the images of \"" + pair.split + "\"; name one as FILE::IMAGES::LABELS");
    }
    pairs.push_back(std::move(pair));
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const ArrayPair& a, const ArrayPair& b) { return split_rank(a.split) < split_rank(b.split); });
  return pairs;
}

}  // namespace octavo::sources
