// Arrays in a stream of bytes: with contiguous or spaced rows, or in Fortran order.
#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

#include <octavo/errors.hpp>

#include "arrays/array.hpp"
#include "support/checked_math.hpp"

namespace octavo::arrays {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are read on little-endian machines");

// Memory limit for Fortran order: for the whole array if the stream is sequential, else for one block of rows.
constexpr std::int64_t kMostHeldBytes = std::int64_t{2} << 30;
constexpr std::int64_t kTurnedBytes = std::int64_t{64} << 20;

std::int64_t value_count(const std::vector<std::int64_t>& axes) {
  std::int64_t count = 1;
  for (const std::int64_t axis : axes) count *= axis;
  return count;
}

/// Throws FormatError unless `stream` can end where the last row of the array ends.
void check_length(const Array& array, const files::ByteStream& stream, const StreamLayout& layout) {
  const std::int64_t stride = layout.row_stride == 0 ? array.row_bytes() : layout.row_stride;
  const auto rows = checked_product({array.row_count() - 1, stride});
  const auto end = rows ? checked_sum(layout.offset + array.row_bytes(), *rows) : std::nullopt;
  const std::int64_t most_bytes = stream.most_bytes();
  if (!end || *end > most_bytes) {
    throw FormatError("read " + array.name() + ": its header declares " + axes_text(array.axes()) + " numbers of " +
                      std::to_string(bytes_of(array.element())) + " bytes, but the file can hold at most " +
                      std::to_string(most_bytes) + " bytes; get the file again");
  }
  if (layout.ends_stream && stream.length() && *stream.length() != *end) {
    throw FormatError("read " + array.name() + ": its header declares " + axes_text(array.axes()) + " numbers of " +
                      std::to_string(bytes_of(array.element())) + " bytes, but " +
                      std::to_string(*stream.length() - layout.offset) + " bytes follow it; get the file again");
  }
}

/// Rows in C order.
class RowArray final : public Array {
 public:
  RowArray(std::string name, std::shared_ptr<files::ByteStream> stream, StreamLayout layout)
      : Array(std::move(name), layout.element, layout.axes), stream_(std::move(stream)), layout_(std::move(layout)) {
    if (layout_.row_stride == 0) layout_.row_stride = row_bytes();
    check_length(*this, *stream_, layout_);
  }

  bool is_random_access() const override { return stream_->is_random_access(); }

  void read_rows(std::int64_t first, std::int64_t count, std::span<std::byte> out) override {
    const std::int64_t offset = layout_.offset + first * layout_.row_stride;
    if (layout_.row_stride == row_bytes()) {
      stream_->read_at(offset, out);
    } else {
      read_apart(offset, count, out);
    }
    if (layout_.is_big_endian) swap_bytes(element(), out);
    const bool is_last = first + count == row_count();
    if (is_last && layout_.ends_stream && !stream_->is_random_access()) {
      stream_->expect_end(offset + count * layout_.row_stride);
    }
  }

 private:
  /// Reads spaced rows together with the gaps.
  void read_apart(std::int64_t offset, std::int64_t count, std::span<std::byte> out) {
    const auto stride = static_cast<std::size_t>(layout_.row_stride);
    const auto width = static_cast<std::size_t>(row_bytes());
    if (count == 0) return;
    std::vector<std::byte> stored((static_cast<std::size_t>(count) - 1) * stride + width);
    stream_->read_at(offset, stored);
    for (std::size_t row = 0; row < static_cast<std::size_t>(count); ++row) {
      std::memcpy(out.data() + row * width, stored.data() + row * stride, width);
    }
  }

  const std::shared_ptr<files::ByteStream> stream_;
  StreamLayout layout_;
};

/// Fortran order: the first axis varies fastest, so that the numbers at one position of all rows are contiguous.
/// Gathers one block of rows at a time and keeps it for later calls. Positions are in Fortran order too and are
/// converted.
class FortranArray final : public Array {
 public:
  FortranArray(std::string name, std::shared_ptr<files::ByteStream> stream, StreamLayout layout)
      : Array(std::move(name), layout.element, layout.axes), stream_(std::move(stream)), layout_(std::move(layout)) {
    check_length(*this, *stream_, layout_);
    block_rows_ = std::clamp<std::int64_t>(kTurnedBytes / row_bytes(), 1, row_count());
    hold_if_needed();
  }

  bool is_random_access() const override { return true; }

  void read_rows(std::int64_t first, std::int64_t count, std::span<std::byte> out) override {
    const std::lock_guard lock(mutex_);
    const auto width = static_cast<std::size_t>(row_bytes());
    while (count > 0) {
      if (first < block_first_ || first >= block_end_) load_block(first / block_rows_ * block_rows_);
      const std::int64_t rows = std::min(count, block_end_ - first);
      const auto bytes = static_cast<std::size_t>(rows) * width;
      std::memcpy(out.data(), block_.data() + static_cast<std::size_t>(first - block_first_) * width, bytes);
      out = out.subspan(bytes);
      first += rows;
      count -= rows;
    }
  }

 private:
  /// A sequential stream would be read from its start for each block.
  void hold_if_needed() {
    if (stream_->is_random_access()) return;
    const std::int64_t bytes = layout_.offset + row_count() * row_bytes();
    if (bytes > kMostHeldBytes) {
      throw FormatError("read " + name() + ": it is compressed and in Fortran order, and its " + std::to_string(bytes) +
                        " bytes are too many to transpose in memory; save it in C order (numpy.ascontiguousarray)");
    }
    std::string held(static_cast<std::size_t>(bytes), '\0');
    stream_->read_at(0, std::as_writable_bytes(std::span(held)));
    if (layout_.ends_stream) stream_->expect_end(bytes);
    stream_ = files::stream_in_memory(stream_->name(), std::move(held));
  }

  void load_block(std::int64_t first) {
    const std::int64_t rows = std::min(block_rows_, row_count() - first);
    const auto width = static_cast<std::size_t>(bytes_of(element()));
    const auto row_width = static_cast<std::size_t>(row_bytes());
    block_.resize(static_cast<std::size_t>(rows) * row_width);
    std::vector<std::byte> column(static_cast<std::size_t>(rows) * width);
    const std::int64_t places = row_bytes() / bytes_of(element());
    for (std::int64_t place = 0; place < places; ++place) {
      stream_->read_at(layout_.offset + (place * row_count() + first) * static_cast<std::int64_t>(width), column);
      std::byte* to = block_.data() + static_cast<std::size_t>(turned(place)) * width;
      for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row, to += row_width) {
        std::memcpy(to, column.data() + row * width, width);
      }
    }
    if (layout_.is_big_endian) swap_bytes(element(), block_);
    block_first_ = first;
    block_end_ = first + rows;
  }

  /// Converts a position from Fortran order to C order.
  std::int64_t turned(std::int64_t place) const {
    std::int64_t at = 0, step = value_count({axes().begin() + 1, axes().end()});
    for (std::size_t axis = 1; axis < axes().size(); ++axis) {
      step /= axes()[axis];
      at += place % axes()[axis] * step;
      place /= axes()[axis];
    }
    return at;
  }

  std::shared_ptr<files::ByteStream> stream_;
  const StreamLayout layout_;
  std::int64_t block_rows_ = 1;
  std::mutex mutex_;
  std::int64_t block_first_ = 0, block_end_ = 0;
  std::vector<std::byte> block_;
};

}  // namespace

std::unique_ptr<Array> array_in_stream(std::string name, std::shared_ptr<files::ByteStream> stream,
                                       StreamLayout layout) {
  // For an array of one axis, both orders are the same.
  if (layout.is_fortran_order && layout.axes.size() > 1) {
    return std::make_unique<FortranArray>(std::move(name), std::move(stream), std::move(layout));
  }
  return std::make_unique<RowArray>(std::move(name), std::move(stream), std::move(layout));
}

}  // namespace octavo::arrays
