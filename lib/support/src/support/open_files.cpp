#include "support/open_files.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace octavo {

void make_room_for_open_files(std::int64_t count) noexcept {
  constexpr rlim_t kOthers = 512;  // of the program, about
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = static_cast<rlim_t>(count) + kOthers;
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

}  // namespace octavo
