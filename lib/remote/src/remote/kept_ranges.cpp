#include "remote/kept_ranges.hpp"

#include <algorithm>

namespace octavo::remote {

std::vector<RangePart> KeptRanges::divide(std::int64_t offset, std::int64_t bytes) const {
  std::vector<RangePart> parts;
  const std::int64_t end = offset + bytes;
  auto next = ranges_.upper_bound(offset);
  if (next != ranges_.begin() && std::prev(next)->second.fetch->end() > offset) --next;
  for (std::int64_t at = offset; at < end;) {
    const bool is_in_next = next != ranges_.end() && next->first <= at;
    const std::int64_t stop =
        next == ranges_.end() ? end : std::min(end, is_in_next ? next->second.fetch->end() : next->first);
    parts.push_back({at, stop - at, is_in_next ? next->second.fetch : nullptr});
    if (is_in_next) ++next;
    at = stop;
  }
  return parts;
}

bool KeptRanges::keep(const std::shared_ptr<Fetch>& fetch) {
  make_room(fetch->bytes);
  if (bytes_ + fetch->bytes > most_bytes_) return false;
  by_age_.emplace(kept_count_, fetch->offset);
  ranges_.emplace(fetch->offset, Range{fetch, kept_count_});
  ++kept_count_;
  bytes_ += fetch->bytes;
  return true;
}

void KeptRanges::make_room(std::int64_t bytes) {
  for (auto oldest = by_age_.begin(); oldest != by_age_.end() && bytes_ + bytes > most_bytes_;) {
    const auto range = ranges_.find(oldest->second);
    ++oldest;
    if (range->second.users == 0 && range->second.fetch->has_ended()) erase(range);
  }
}

void KeptRanges::take(const Fetch& fetch, std::int64_t bytes) {
  const auto range = find(fetch);
  if (range == ranges_.end()) return;
  range->second.taken_bytes += bytes;
  if (range->second.taken_bytes >= fetch.bytes) erase(range);
}

void KeptRanges::remove(const Fetch& fetch) {
  if (const auto range = find(fetch); range != ranges_.end()) erase(range);
}

void KeptRanges::begin_use(const Fetch& fetch) {
  if (const auto range = find(fetch); range != ranges_.end()) ++range->second.users;
}

void KeptRanges::end_use(const Fetch& fetch) {
  if (const auto range = find(fetch); range != ranges_.end()) --range->second.users;
}

KeptRanges::Ranges::iterator KeptRanges::find(const Fetch& fetch) {
  const auto range = ranges_.find(fetch.offset);
  return range != ranges_.end() && range->second.fetch.get() == &fetch ? range : ranges_.end();
}

KeptRanges::Ranges::iterator KeptRanges::erase(Ranges::iterator range) {
  bytes_ -= range->second.fetch->bytes;
  by_age_.erase(range->second.age);
  return ranges_.erase(range);
}

}  // namespace octavo::remote
