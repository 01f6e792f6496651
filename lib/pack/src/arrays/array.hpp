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

/// A row is everything under one number of the first axis, in C order, the machine's own byte order.
class Array {
 public:
  virtual ~Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  /// In quotes, for messages: "x.npy", "cifar.npz: images", "a.h5: /train/x".
  const std::string& name() const { return name_; }
  Element element() const { return element_; }
  /// At least one axis, each at least 1.
  const std::vector<std::int64_t>& axes() const { return axes_; }
  std::int64_t row_count() const { return axes_[0]; }
  std::int64_t row_bytes() const { return row_bytes_; }

  /// Whether read_rows() may be called from several threads, and in any order without reading anything twice.
  virtual bool is_random_access() const = 0;
  /// Reads rows [first, first + count) into `out`, count * row_bytes() bytes. Throws FormatError or IoError.
  virtual void read_rows(std::int64_t first, std::int64_t count, std::span<std::byte> out) = 0;

 protected:
  /// Throws FormatError if there are no axes, one is not positive, or the bytes are more than 63 bits can count.
  Array(std::string name, Element element, std::vector<std::int64_t> axes);

 private:
  std::string name_;
  Element element_;
  std::vector<std::int64_t> axes_;
  std::int64_t row_bytes_ = 0;
};

/// How an array lies in a stream of bytes.
struct StreamLayout {
  Element element = Element::uint8;
  std::vector<std::int64_t> axes;
  bool is_big_endian = false;
  bool is_fortran_order = false;  ///< the first axis varies fastest
  std::int64_t offset = 0;        ///< of the first row
  std::int64_t row_stride = 0;    ///< bytes from row to row; 0: each follows the one before
  bool ends_stream = true;        ///< nothing may follow the last row
};

/// The array that lies so in `stream`. Throws FormatError if the stream is too short or too long for it, before
/// anything is allocated on its word, or if it is in Fortran order, is to be read from front to back, and is too large
/// to be held in memory for that.
std::unique_ptr<Array> array_in_stream(std::string name, std::shared_ptr<files::ByteStream> stream,
                                       StreamLayout layout);

/// Numbers in memory.
std::unique_ptr<Array> array_in_memory(std::string name, std::vector<std::int64_t> numbers);

/// "64 x 28 x 28", for messages.
std::string axes_text(const std::vector<std::int64_t>& axes);

}  // namespace octavo::arrays
