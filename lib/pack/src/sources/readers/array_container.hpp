// Files that hold arrays by name: which of them are the images, the labels and the class names.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "arrays/array.hpp"
#include "arrays/array_set.hpp"
#include "arrays/listed_array.hpp"
#include "sources/source_entry.hpp"

namespace octavo::sources {

/// The arrays in a file. A file with a single array gives it an empty name.
class ArrayContainer {
 public:
  virtual ~ArrayContainer() = default;
  ArrayContainer(const ArrayContainer&) = delete;
  ArrayContainer& operator=(const ArrayContainer&) = delete;

  /// The file.
  const std::filesystem::path& path() const { return path_; }
  /// Whether the axes are reversed and labels may be stored as floats, as in MATLAB.
  bool is_of_matlab() const { return is_of_matlab_; }
  const std::vector<arrays::ListedArray>& arrays() const { return arrays_; }
  /// The array with this name; null if there is none.
  const arrays::ListedArray* find(const std::string& name) const;

  /// A usable array. Throws FormatError or IoError, naming the file.
  virtual std::shared_ptr<arrays::Array> open(const arrays::ListedArray& array) const = 0;
  /// The texts of an array of text, one for each index of the first axis. Throws FormatError or IoError.
  virtual std::vector<std::string> read_texts(const arrays::ListedArray& array) const = 0;
  /// "a.h5: labels", quoted, for messages.
  std::string name_of(const arrays::ListedArray& array) const;

 protected:
  ArrayContainer(std::filesystem::path path, bool is_of_matlab) : path_(std::move(path)), is_of_matlab_(is_of_matlab) {}
  std::vector<arrays::ListedArray> arrays_;

 private:
  const std::filesystem::path path_;
  const bool is_of_matlab_;
};

/// The images of each split in a file with several arrays, with their labels and what names the classes. The arrays are
/// those that the entry names, else they are found by name. A remark names the arrays that are left out, unless the
/// entry names the images. Throws FormatError or InvalidArgument.
std::vector<arrays::ArraySet> sets_in(const ArrayContainer& container, const SourceEntry& entry,
                                      const std::string& format);

/// Uses the labels of another file, `container`, for a set: the array named `wanted`, or if that is empty, the only
/// array, the one with a name for the labels of these images, or the only one with a label for each image. Returns why
/// there is no such array; empty if there is.
std::string use_labels_in(const ArrayContainer& container, const std::string& wanted, arrays::ArraySet& set);

/// "a (text), b (4 x 3 uint8)": arrays that are left out, with what they hold.
std::string listed(const std::vector<const arrays::ListedArray*>& arrays);

/// Whether an array has a name for class names, such as class_names.
bool is_named_as_class_names(const std::string& name);

/// The texts of an array of text with such a name. Empty if they cannot be read: since the names of classes are not
/// needed, this is a remark, not an error. `by` names the array in the remark.
std::vector<std::string> class_names_in(const ArrayContainer& container, const arrays::ListedArray& array,
                                        const std::string& by, std::vector<std::string>& remarks);

}  // namespace octavo::sources
