// How long-running calls tell how far they are, and how a caller stops them.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace octavo {

/// How far a long-running call has come.
struct Progress {
  std::string_view stage;          ///< what is being done, such as "packing train"; lives for the call
  std::int64_t done_samples = 0;   ///< of this stage
  std::int64_t total_samples = 0;  ///< of this stage
  std::int64_t done_bytes = 0;     ///< packed bytes of this stage
  std::int64_t total_bytes = 0;    ///< packed bytes of this stage
};

/// Called many times a second, never from two threads at once, though not always from the caller's thread.
/// An exception that it throws stops the work, cleans up, and comes out of the call: that is how work is cancelled.
using ProgressFunction = std::function<void(const Progress&)>;

}  // namespace octavo
