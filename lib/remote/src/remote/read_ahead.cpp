#include "remote/read_ahead.hpp"

#include <algorithm>

namespace octavo::remote {
namespace {

/// Threads that read blocks of a sequence are at most so many blocks apart.
constexpr std::int64_t kMostBlocksApart = 8;
/// The window grows with each read, up to this many reads and bytes: enough for 10 Gbit/s and 25 ms.
constexpr std::int64_t kFirstWindowReads = 4, kMostWindowReads = 64;
constexpr std::int64_t kMostWindowBytes = std::int64_t{32} << 20;

}  // namespace

std::optional<ExpectedRange> ReadAhead::note(std::int64_t offset, std::int64_t bytes) {
  const std::int64_t slack = kMostBlocksApart * bytes;
  Sequence* sequence = &sequences_.front();
  bool is_known = false;
  for (Sequence& one : sequences_) {
    if (one.end >= 0 && offset >= one.end - slack && offset <= one.end + slack) {
      sequence = &one;
      is_known = true;
      break;
    }
    if (one.last_use < sequence->last_use) sequence = &one;
  }
  sequence->last_use = ++uses_;
  const std::int64_t end = offset + bytes;
  if (!is_known) {
    *sequence = {end, end, 0, uses_};
    return std::nullopt;
  }
  sequence->end = std::max(sequence->end, end);
  const std::int64_t begin = std::max(sequence->ahead_end, sequence->end);
  if (begin - sequence->end > sequence->window_bytes / 2) return std::nullopt;
  sequence->window_bytes = std::min({std::max(2 * sequence->window_bytes, kFirstWindowReads * bytes),
                                     kMostWindowReads * bytes, std::max(kMostWindowBytes, bytes)});
  sequence->ahead_end = std::max(begin, sequence->end + sequence->window_bytes);
  if (sequence->ahead_end == begin) return std::nullopt;
  return ExpectedRange{begin, sequence->ahead_end - begin};
}

}  // namespace octavo::remote
