// Progress reports of long-running calls, and how to cancel them.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace octavo {

/// Progress of a long-running call.
struct Progress {
  std::string_view stage;          ///< current stage, such as "packing train"; valid during the call
  std::int64_t done_samples = 0;   ///< of this stage
  std::int64_t total_samples = 0;  ///< of this stage
  std::int64_t done_bytes = 0;     ///< packed bytes of this stage
  std::int64_t total_bytes = 0;    ///< packed bytes of this stage
};

/// Called many times a second, never concurrently, but not always from the caller's thread.
/// To cancel the work, throw an exception: the call stops, cleans up and rethrows it.
using ProgressFunction = std::function<void(const Progress&)>;

}  // namespace octavo
