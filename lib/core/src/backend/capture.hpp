// Rejects work on a captured stream if replays of the graph could not repeat it correctly.
#pragma once

#include <string>
#include <string_view>

#include <octavo/errors.hpp>

#include "backend/backend.hpp"

namespace octavo::backend {

/// Throws InvalidArgument if `stream` is being captured. `doing` is the action for the message, such as "gather a
/// batch".
inline void refuse_capture(const Backend& backend, StreamRef stream, std::string_view doing) {
  if (!backend.is_capturing(stream)) return;
  throw InvalidArgument(std::string(doing) +
                        ": the stream is being captured into a CUDA graph, whose replays would all use this one batch; "
                        "use a GraphLoader, or call this outside the capture");
}

}  // namespace octavo::backend
