#include "archive/chunk_check.hpp"

#include <algorithm>
#include <string>

#include <octavo/errors.hpp>

#include "archive/deflate_codec.hpp"
#include "archive/limits.hpp"
#include "hdf5/session.hpp"
#include "support/checked_math.hpp"

namespace octavo::archive {
namespace {

using hdf5::check;

/// Of fletcher32, behind what it sums up.
constexpr std::size_t kSumBytes = 4;

std::vector<std::int64_t> chunk_axes(hid_t properties, std::size_t rank) {
  std::vector<hsize_t> chunk(rank);
  check(H5Pget_chunk(properties, static_cast<int>(rank), chunk.data()), "read a chunk shape");
  return {chunk.begin(), chunk.end()};
}

std::vector<H5Z_filter_t> filters_of(hid_t properties) {
  std::vector<H5Z_filter_t> filters;
  const int count = check(H5Pget_nfilters(properties), "count the filters");
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    std::size_t value_count = 0;
    filters.push_back(
        H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &value_count, nullptr, 0, nullptr, nullptr));
  }
  return filters;
}

/// What deflate makes of so many bytes that it cannot make smaller, with checksums.
std::size_t most_stored_bytes(std::size_t bytes) { return bytes + bytes / 64 + 1024; }

[[noreturn]] void refuse(std::size_t stored_bytes, std::int64_t chunk_bytes) {
  throw FormatError("has a chunk of " + std::to_string(stored_bytes) + " bytes that does not unfold to the " +
                    std::to_string(chunk_bytes) + " bytes it should");
}

}  // namespace

std::optional<std::int64_t> bytes_of_array(std::span<const std::int64_t> axes, std::size_t element_bytes) {
  std::optional<std::int64_t> bytes = static_cast<std::int64_t>(element_bytes);
  for (const std::int64_t axis : axes) {
    if (bytes) bytes = checked_product({*bytes, axis});
  }
  return bytes;
}

ChunkCheck::ChunkCheck(hid_t dataset, hid_t properties, std::vector<std::int64_t> axes, std::size_t element_bytes)
    : dataset_(dataset),
      filters_(filters_of(properties)),
      axes_(std::move(axes)),
      chunk_axes_(chunk_axes(properties, axes_.size())) {
  const auto bytes = bytes_of_array(chunk_axes_, element_bytes);
  if (!bytes || *bytes < 1 || *bytes > kMostChunkBytes) throw FormatError("has chunks of more than 256 MiB");
  if (std::count(filters_.begin(), filters_.end(), H5Z_FILTER_DEFLATE) > 1) throw FormatError("is deflated twice");
  chunk_bytes_ = *bytes;
}

void ChunkCheck::check_rows(std::int64_t first, std::int64_t count) {
  // Without filters the library reads as many bytes as a chunk has.
  if (filters_.empty()) return;
  const std::int64_t chunk_rows = chunk_axes_[0];
  std::int64_t begin = first / chunk_rows * chunk_rows;
  const std::int64_t end = first + count;
  if (begin < first_checked_ || begin > end_of_checked_) first_checked_ = end_of_checked_ = begin;
  begin = end_of_checked_;
  for (; begin < end; begin += chunk_rows) {
    std::vector<hsize_t> place(axes_.size(), 0);
    place[0] = static_cast<hsize_t>(begin);
    do {
      check_chunk(place);
    } while (next_in_row(place));
    end_of_checked_ = begin + chunk_rows;
  }
}

/// The next chunk of the same rows, the last axis first; false if there is none.
bool ChunkCheck::next_in_row(std::vector<hsize_t>& place) const {
  for (std::size_t axis = axes_.size(); axis-- > 1;) {
    place[axis] += static_cast<hsize_t>(chunk_axes_[axis]);
    if (place[axis] < static_cast<hsize_t>(axes_[axis])) return true;
    place[axis] = 0;
  }
  return false;
}

void ChunkCheck::check_chunk(const std::vector<hsize_t>& place) const {
  unsigned left_out = 0;  // a bit for each filter that this chunk was stored without
  haddr_t address = HADDR_UNDEF;
  hsize_t stored = 0;
  check(H5Dget_chunk_info_by_coord(dataset_, place.data(), &left_out, &address, &stored), "look at a chunk");
  if (address == HADDR_UNDEF) return;  // never written
  const auto stored_bytes = static_cast<std::size_t>(stored);
  bool is_deflated = false;
  std::size_t sum_bytes_inside = 0, sum_bytes_behind = 0;  // of what is deflated, and behind the stream
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    if ((left_out >> i & 1) != 0) continue;
    if (filters_[i] == H5Z_FILTER_DEFLATE) is_deflated = true;
    if (filters_[i] == H5Z_FILTER_FLETCHER32) (is_deflated ? sum_bytes_behind : sum_bytes_inside) += kSumBytes;
  }
  if (is_deflated) return check_inflated(place, stored_bytes, sum_bytes_behind, sum_bytes_inside);
  if (stored_bytes != static_cast<std::size_t>(chunk_bytes_) + sum_bytes_inside) refuse(stored_bytes, chunk_bytes_);
}

void ChunkCheck::check_inflated(const std::vector<hsize_t>& place, std::size_t stored_bytes,
                                std::size_t sum_bytes_behind, std::size_t sum_bytes_inside) const {
  const auto inflated_bytes = static_cast<std::size_t>(chunk_bytes_) + sum_bytes_inside;
  if (stored_bytes < sum_bytes_behind || stored_bytes > most_stored_bytes(inflated_bytes)) {
    refuse(stored_bytes, chunk_bytes_);
  }
  std::vector<std::byte> stored(stored_bytes), inflated(inflated_bytes);
  unsigned left_out = 0;
  check(H5Dread_chunk(dataset_, H5P_DEFAULT, place.data(), &left_out, stored.data()), "read a chunk");
  const auto stream = std::span(stored).first(stored_bytes - sum_bytes_behind);
  if (!inflate(stream, inflated)) refuse(stored_bytes, chunk_bytes_);
}

}  // namespace octavo::archive
