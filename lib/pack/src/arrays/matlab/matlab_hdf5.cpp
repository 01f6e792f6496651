#include "arrays/matlab/matlab_hdf5.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <octavo/errors.hpp>

#include "arrays/matlab/matlab_values.hpp"

namespace octavo::arrays {
namespace {

/// A char matrix of class names has a few kilobytes.
constexpr std::int64_t kMostTextUnits = std::int64_t{1} << 23;

/// A column vector, which HDF5 stores as one row of N numbers, as N rows.
class ColumnArray final : public Array {
 public:
  ColumnArray(std::unique_ptr<Array> row, std::vector<std::int64_t> axes)
      : Array(row->name(), row->element(), std::move(axes)), row_(std::move(row)) {}

  bool is_random_access() const override { return false; }
  void read_rows(std::int64_t first, std::int64_t count, std::span<std::byte> out) override {
    if (numbers_.empty()) {
      numbers_.resize(static_cast<std::size_t>(row_->row_bytes() * row_->row_count()));
      row_->read_rows(0, row_->row_count(), numbers_);
    }
    const auto begin = static_cast<std::size_t>(first * row_bytes());
    std::memcpy(out.data(), numbers_.data() + begin, static_cast<std::size_t>(count * row_bytes()));
  }

 private:
  std::unique_ptr<Array> row_;
  std::vector<std::byte> numbers_;
};

ListedArray as_stored(const MatlabArray& variable) {
  ListedArray stored = variable;
  stored.axes = variable.stored_axes;
  return stored;
}

MatlabArray variable_in(const Hdf5Array& array) {
  MatlabArray variable{array, array.axes};
  variable.axes = matlab_axes(array.axes);
  variable.has_reversed_axes = true;
  const std::string content = matlab_content(array.matlab_class);
  if (array.is_matlab_empty) {
    variable.unusable = "empty";
  } else if (content == "text" && array.is_usable()) {
    variable.unusable = content;
    variable.is_text = array.axes.size() == 2 && array.element == Element::uint16;
    variable.axes = {array.axes.back()};
  } else if (!content.empty()) {
    variable.unusable = array.axes.empty() && !array.unusable.empty() ? array.unusable : content;
  }
  return variable;
}

}  // namespace

bool begins_as_mat73(std::span<const std::byte> start) {
  constexpr std::string_view kText = "MATLAB 7.3 MAT-file";
  return start.size() >= kText.size() && std::memcmp(start.data(), kText.data(), kText.size()) == 0;
}

bool has_matlab_variables(const std::vector<Hdf5Array>& arrays) {
  return std::ranges::any_of(arrays, [](const Hdf5Array& array) { return !array.matlab_class.empty(); });
}

std::vector<MatlabArray> matlab_variables(const std::vector<Hdf5Array>& arrays) {
  std::vector<MatlabArray> variables;
  for (const Hdf5Array& array : arrays) variables.push_back(variable_in(array));
  return variables;
}

std::unique_ptr<Array> open_matlab_array(const std::filesystem::path& path, const MatlabArray& variable) {
  auto array = open_hdf5_array(path, as_stored(variable));
  if (array->row_count() == variable.axes.at(0)) return array;
  return std::make_unique<ColumnArray>(std::move(array), variable.axes);
}

std::vector<std::string> read_matlab_texts(const std::filesystem::path& path, const MatlabArray& variable) {
  const auto array = open_hdf5_array(path, as_stored(variable));
  const std::int64_t units_per_row = array->row_bytes() / 2;
  if (array->row_count() > kMostTextUnits / units_per_row) {
    throw FormatError("read " + array->name() + ": it holds too much text for class names or labels");
  }
  std::vector<std::uint16_t> units(static_cast<std::size_t>(array->row_count() * units_per_row));
  array->read_rows(0, array->row_count(), std::as_writable_bytes(std::span(units)));
  return rows_of_char_matrix(units, variable.axes.at(0));
}

}  // namespace octavo::arrays
