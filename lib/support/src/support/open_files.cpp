#include "support/open_files.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>

namespace octavo {
namespace {

/// Of this process; an estimate if the system does not list them.
std::int64_t open_file_count() noexcept {
  try {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  } catch (...) {
    return 256;
  }
}

}  // namespace

void make_room_for_open_files(std::int64_t count) noexcept {
  constexpr std::int64_t kOthers = 256;  // that are opened later
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const auto wanted = static_cast<rlim_t>(open_file_count() + count + kOthers);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

}  // namespace octavo
