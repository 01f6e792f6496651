#include "arrays/array.hpp"

#include <algorithm>

#include <octavo/errors.hpp>

#include "arrays/listed_array.hpp"
#include "support/checked_math.hpp"

namespace octavo::arrays {

Array::Array(std::string name, Element element, std::vector<std::int64_t> axes)
    : name_(std::move(name)), element_(element), axes_(std::move(axes)) {
  const auto refuse = [&](const std::string& problem) {
    throw FormatError("read " + name_ + ": its shape is " + (axes_.empty() ? "empty" : axes_text(axes_)) + ", " +
                      problem);
  };
  if (axes_.empty()) refuse("so it is a single number, not an array");
  row_bytes_ = bytes_of(element_);
  std::int64_t all_bytes = row_bytes_;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i] < 1) refuse("so it holds nothing");
    const auto all = checked_product({all_bytes, axes_[i]});
    if (!all) refuse("which no file can hold");
    all_bytes = *all;
    if (i > 0) row_bytes_ *= axes_[i];
  }
}

std::string axes_text(const std::vector<std::int64_t>& axes) {
  std::string text;
  for (const std::int64_t axis : axes) text += (text.empty() ? "" : " x ") + std::to_string(axis);
  return text;
}

std::string shape_text(const ListedArray& array) {
  std::vector<std::int64_t> axes = array.axes;
  if (array.has_reversed_axes) std::ranges::reverse(axes);
  return axes_text(axes);
}

namespace {

class MemoryArray final : public Array {
 public:
  MemoryArray(std::string name, std::vector<std::int64_t> numbers)
      : Array(std::move(name), Element::int64, {std::ssize(numbers)}), numbers_(std::move(numbers)) {}

  bool is_random_access() const override { return true; }
  void read_rows(std::int64_t first, std::int64_t count, std::span<std::byte> out) override {
    const auto rows = std::as_bytes(std::span(numbers_)).subspan(static_cast<std::size_t>(first * 8));
    std::copy(rows.begin(), rows.begin() + count * 8, out.begin());
  }

 private:
  std::vector<std::int64_t> numbers_;
};

}  // namespace

std::unique_ptr<Array> array_in_memory(std::string name, std::vector<std::int64_t> numbers) {
  return std::make_unique<MemoryArray>(std::move(name), std::move(numbers));
}

}  // namespace octavo::arrays
