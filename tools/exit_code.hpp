// What the program's exit codes mean.
#pragma once

namespace octavo::tools {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;        ///< the work failed: bad data, I/O, memory, a device
inline constexpr int kWrongUsage = 2;    ///< the command line asks for something that cannot be done
inline constexpr int kSignalBase = 128;  ///< ended by a signal: its number is added

}  // namespace octavo::tools
