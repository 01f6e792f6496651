// An array of numbers in a file, read by rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrays/element.hpp"
#include "files/byte_stream.hpp"

namespace octavo::arrays {

/// A row is everything under one index of the first axis, in C order and native byte order.
class Array {
 public:
  virtual ~Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  /// The quoted name, for messages: "x.npy", "cifar.npz: images", "a.h5: /train/x".
  const std::string& name() const { return name_; }
  Element element() const { return element_; }
  /// At least one axis, each at least 1.
  const std::vector<std::int64_t>& axes() const { return axes_; }
  std::int64_t row_count() const { return axes_[0]; }
  std::int64_t row_bytes() const { return row_bytes_; }

  /// Whether read_rows() may be called from several threads and in any order, without reading anything twice.
  virtual bool is_random_access() const = 0;
  /// Reads rows [first, first + count) into `out`, count * row_bytes() bytes. Throws FormatError or IoError.
  virtual void read_rows(std::int64_t first, std::int64_t count, std::span<std::byte> out) = 0;

 protected:
  /// Throws FormatError if there are no axes, one is not positive, or the number of bytes does not fit 63 bits.
  Array(std::string name, Element element, std::vector<std::int64_t> axes);

 private:
  std::string name_;
  Element element_;
  std::vector<std::int64_t> axes_;
  std::int64_t row_bytes_ = 0;
};

/// The layout of an array in a stream of bytes.
struct StreamLayout {
  Element element = Element::uint8;
  std::vector<std::int64_t> axes;
  bool is_big_endian = false;
  bool is_fortran_order = false;  ///< the first axis varies fastest
  std::int64_t offset = 0;        ///< of the first row
  std::int64_t row_stride = 0;    ///< bytes from row to row; 0: contiguous rows
  bool ends_stream = true;        ///< nothing may follow the last row
};

/// The array in `stream` with this layout. Throws FormatError if the stream is too short or too long for it, before
/// allocating anything of the declared size; also if it is in Fortran order, the stream is sequential, and the array is
/// too large to hold in memory.
std::unique_ptr<Array> array_in_stream(std::string name, std::shared_ptr<files::ByteStream> stream,
                                       StreamLayout layout);

/// An array in memory.
std::unique_ptr<Array> array_in_memory(std::string name, std::vector<std::int64_t> numbers);

/// "64 x 28 x 28", for messages.
std::string axes_text(const std::vector<std::int64_t>& axes);

}  // namespace octavo::arrays
