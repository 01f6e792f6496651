// The exit codes of the program.
#pragma once

namespace octavo::tools {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;        ///< the work failed: bad data, I/O, memory, a device
inline constexpr int kWrongUsage = 2;    ///< an invalid command line, or an argument that fits no data
inline constexpr int kSignalBase = 128;  ///< plus the number of the signal that ended the program

/// For the manual.
inline constexpr char kExitStatusText[] =
    "0 if all went well; 1 for an error, if a file that was checked is damaged, or if doctor --strict found an error "
    "or a warning; 2 for wrong usage; 128 plus the number of a signal that ended the program.";

}  // namespace octavo::tools
