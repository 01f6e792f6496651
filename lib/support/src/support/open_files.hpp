// The number of files that this process may open.
#pragma once

#include <cstdint>

namespace octavo {

/// Raises the soft limit of open files so that `count` more can be opened, if the hard limit allows it. Opening them
/// fails otherwise.
void make_room_for_open_files(std::int64_t count) noexcept;

}  // namespace octavo
