#include "dataset_file/check/verify_names.hpp"

#include <algorithm>

#include <octavo/errors.hpp>

#include "format/limits.hpp"
#include "support/text/short_text.hpp"

namespace octavo::dataset_file {
namespace {

/// The offsets of names [first, first + count), and the end of the last one.
std::vector<std::uint64_t> read_bounds(const ByteSource& file, const SplitEntry& split, std::int64_t first,
                                       std::int64_t count) {
  std::vector<std::uint64_t> bounds(static_cast<std::size_t>(count) + 1);
  file.read_at(split.name_offsets->offset + 8 * first, std::as_writable_bytes(std::span(bounds)));
  return bounds;
}

bool are_ordered(const std::vector<std::uint64_t>& bounds, std::uint64_t most) {
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    if (bounds[i] >= bounds[i + 1] || bounds[i + 1] - bounds[i] > kMostNameBytes + 1) return false;
  }
  return bounds.back() <= most;
}

bool are_ended_by_zeros(const ByteSource& file, const SplitEntry& split, const std::vector<std::uint64_t>& bounds) {
  std::string text(bounds.back() - bounds.front(), '\0');
  file.read_at(split.names->offset + static_cast<std::int64_t>(bounds.front()),
               std::as_writable_bytes(std::span(text)));
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    if (text.find('\0', bounds[i] - bounds.front()) != bounds[i + 1] - bounds.front() - 1) return false;
  }
  return true;
}

}  // namespace

void check_sample_names(const ByteSource& file, const SplitEntry& split) {
  constexpr std::int64_t kRowsAtOnce = 4096;
  const auto total = static_cast<std::uint64_t>(split.names->bytes);
  std::uint64_t end = 0;
  for (std::int64_t row = 0; row < split.sample_count; row += kRowsAtOnce) {
    const auto bounds = read_bounds(file, split, row, std::min(kRowsAtOnce, split.sample_count - row));
    if (bounds.front() != end || !are_ordered(bounds, total) || !are_ended_by_zeros(file, split, bounds)) {
      throw FormatError("the names do not match their offsets from sample " + std::to_string(row) + " on");
    }
    end = bounds.back();
  }
  if (end != total) throw FormatError("there are more names than samples");
}

}  // namespace octavo::dataset_file
