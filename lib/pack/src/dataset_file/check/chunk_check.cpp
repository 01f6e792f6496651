#include "dataset_file/check/chunk_check.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <octavo/errors.hpp>

#include "format/chunks/deflate_codec.hpp"
#include "format/limits.hpp"
#include "hdf5/handles.hpp"
#include "hdf5/session.hpp"
#include "support/checked_math.hpp"

namespace octavo::dataset_file {
namespace {

using hdf5::check;

/// The size of a fletcher32 checksum, which follows the data.
constexpr std::size_t kSumBytes = 4;

std::vector<std::int64_t> chunk_axes(hid_t properties, std::size_t rank) {
  std::vector<hsize_t> chunk(rank);
  check(H5Pget_chunk(properties, static_cast<int>(rank), chunk.data()), "read a chunk shape");
  return {chunk.begin(), chunk.end()};
}

/// With more chunks, only the sum of their sizes is compared. Damage does not preserve it, though a forger could.
constexpr hsize_t kMostLookedUp = 2048;

/// The maximum size of `bytes` incompressible bytes after deflate, with checksums.
std::size_t most_stored_bytes(std::size_t bytes) { return bytes + bytes / 64 + 1024; }

[[noreturn]] void refuse(std::size_t stored_bytes, std::int64_t chunk_bytes) {
  throw FormatError("has a chunk of " + std::to_string(stored_bytes) + " bytes that does not inflate to the expected " +
                    std::to_string(chunk_bytes) + " bytes");
}

}  // namespace

ChunkCheck::ChunkCheck(hid_t dataset, hid_t properties, std::vector<std::int64_t> axes, std::size_t element_bytes)
    : dataset_(dataset),
      filters_(filters_of(properties)),
      axes_(std::move(axes)),
      chunk_axes_(chunk_axes(properties, axes_.size())) {
  const auto bytes = checked_array_bytes(chunk_axes_, element_bytes);
  if (!bytes || *bytes < 1 || *bytes > kMostChunkBytes) throw FormatError("has chunks of more than 256 MiB");
  const auto packing = std::ranges::find_if(filters_, changes_size, &Filter::id);
  const auto is_changed_again = [](const Filter& filter) { return filter.id != H5Z_FILTER_FLETCHER32; };
  if (packing != filters_.end() && std::any_of(packing + 1, filters_.end(), is_changed_again)) {
    throw FormatError("has a filter after " + filter_name(packing->id) +
                      ", which is not supported; run h5repack -f SHUF -f GZIP=4 on the file");
  }
  const auto element_count = static_cast<std::size_t>(*bytes) / element_bytes;
  if (packing != filters_.end() && !fits(*packing, element_count, element_bytes)) {
    throw FormatError("has a damaged " + filter_name(packing->id) + " filter; get the file again");
  }
  unsigned options = 0;
  check(H5Pget_chunk_opts(properties, &options), "read the chunk options");
  has_raw_edges_ = (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0;
  chunk_bytes_ = *bytes;
}

void ChunkCheck::check_rows(std::int64_t first, std::int64_t count) {
  if (filters_.empty()) return check_unfiltered();
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

/// For a chunk without filters, the library reads as many bytes as the index says but copies as many as the chunk
/// should have. H5Dget_chunk_storage_size() returns the latter; getting the former iterates over all earlier chunks.
void ChunkCheck::check_unfiltered() {
  if (are_all_checked_) return;
  const auto expected_bytes = static_cast<hsize_t>(chunk_bytes_);
  hsize_t chunk_count = 0;
  const hdf5::SpaceHandle space(check(H5Dget_space(dataset_), "read a shape"));
  check(H5Dget_num_chunks(dataset_, space.get(), &chunk_count), "count the chunks");
  if (H5Dget_storage_size(dataset_) != chunk_count * expected_bytes) {
    throw FormatError("has chunks whose sizes do not match its shape");
  }
  std::vector<hsize_t> place(axes_.size());
  for (hsize_t i = 0; i < std::min(chunk_count, kMostLookedUp); ++i) {
    hsize_t stored_bytes = 0;
    check(H5Dget_chunk_info(dataset_, space.get(), i, place.data(), nullptr, nullptr, &stored_bytes),
          "look up a chunk");
    if (stored_bytes != expected_bytes) refuse(stored_bytes, chunk_bytes_);
  }
  are_all_checked_ = true;
}

/// Advances to the next chunk of the same rows, last axis first; false if there is none.
bool ChunkCheck::next_in_row(std::vector<hsize_t>& place) const {
  for (std::size_t axis = axes_.size(); axis-- > 1;) {
    place[axis] += static_cast<hsize_t>(chunk_axes_[axis]);
    if (place[axis] < static_cast<hsize_t>(axes_[axis])) return true;
    place[axis] = 0;
  }
  return false;
}

bool ChunkCheck::is_raw_edge(const std::vector<hsize_t>& place) const {
  for (std::size_t axis = 0; has_raw_edges_ && axis < axes_.size(); ++axis) {
    if (static_cast<std::int64_t>(place[axis]) + chunk_axes_[axis] > axes_[axis]) return true;
  }
  return false;
}

void ChunkCheck::check_chunk(const std::vector<hsize_t>& place) const {
  // Not H5Dget_chunk_info_by_coord(), which iterates over all chunks each time. A chunk that was never written has no
  // size; one that cannot be looked up cannot be read either.
  hsize_t stored_bytes = 0;
  if (H5Dget_chunk_storage_size(dataset_, place.data(), &stored_bytes) < 0 || stored_bytes == 0) return;
  if (is_raw_edge(place)) {
    if (stored_bytes != static_cast<hsize_t>(chunk_bytes_)) refuse(stored_bytes, chunk_bytes_);
    return;
  }
  const auto most_bytes = static_cast<std::size_t>(chunk_bytes_) + kSumBytes * filters_.size();
  if (stored_bytes > most_stored_bytes(most_bytes)) refuse(stored_bytes, chunk_bytes_);
  std::vector<std::byte> stored(static_cast<std::size_t>(stored_bytes));
  unsigned left_out = 0;  // one bit per filter that was not applied to this chunk
  check(H5Dread_chunk(dataset_, H5P_DEFAULT, place.data(), &left_out, stored.data()), "read a chunk");
  if (!unfolds(stored, left_out)) refuse(stored_bytes, chunk_bytes_);
}

bool ChunkCheck::unfolds(std::span<const std::byte> stored, unsigned left_out) const {
  const Filter* packing = nullptr;
  std::size_t sum_bytes_inside = 0, sum_bytes_behind = 0;  // checksums inside the packed data, and after it
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    if ((left_out >> i & 1) != 0) continue;
    if (changes_size(filters_[i].id)) packing = &filters_[i];
    if (filters_[i].id == H5Z_FILTER_FLETCHER32)
      (packing != nullptr ? sum_bytes_behind : sum_bytes_inside) += kSumBytes;
  }
  const auto unfolded_bytes = static_cast<std::size_t>(chunk_bytes_) + sum_bytes_inside;
  if (packing == nullptr) return stored.size() == unfolded_bytes;
  if (stored.size() < sum_bytes_behind) return false;
  const auto packed = stored.first(stored.size() - sum_bytes_behind);
  if (packing->id != H5Z_FILTER_DEFLATE) {
    return sum_bytes_inside == 0 && holds_whole_chunk(*packing, packed, static_cast<std::size_t>(chunk_bytes_));
  }
  std::vector<std::byte> unfolded(unfolded_bytes);
  return inflate(packed, unfolded);
}

}  // namespace octavo::dataset_file
