#include "files/archives/recent_members.hpp"

namespace octavo::files {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;
/// The memory of an empty file.
constexpr std::int64_t kMapNodeBytes = 128;

}  // namespace

std::optional<std::string> RecentMembers::find(std::int64_t number) const {
  const auto found = kept_.find(number);
  return found == kept_.end() ? std::nullopt : std::optional(found->second);
}

void RecentMembers::add(std::int64_t number, const std::string& bytes) {
  const std::int64_t added = kMapNodeBytes + std::ssize(bytes);
  if (added > kMostBytes || !kept_.try_emplace(number, bytes).second) return;
  oldest_first_.push_back(number);
  held_bytes_ += added;
  while (held_bytes_ > kMostBytes) {
    const auto oldest = kept_.find(oldest_first_.front());
    held_bytes_ -= kMapNodeBytes + std::ssize(oldest->second);
    kept_.erase(oldest);
    oldest_first_.pop_front();
  }
}

}  // namespace octavo::files
