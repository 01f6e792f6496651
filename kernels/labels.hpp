// Copies labels as stored, or converts them to the type that a training loop expects.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// Type of a written label.
enum class LabelType {
  words,    ///< the 4 stored bytes: int32, or float32 for targets
  int64,    ///< stored int32, widened
  float32,  ///< stored int32, rounded to nearest even (exact for 0 and 1)
};

/// Writes a stored label word to element `index` of `out`.
OCTAVO_HOST_DEVICE inline void write_label(LabelType type, std::uint32_t stored, void* out, std::int64_t index) {
  const auto number = static_cast<std::int32_t>(stored);
  switch (type) {
    case LabelType::words:
      static_cast<std::uint32_t*>(out)[index] = stored;
      return;
    case LabelType::int64:
      static_cast<std::int64_t*>(out)[index] = number;
      return;
    case LabelType::float32:
      static_cast<float*>(out)[index] = static_cast<float>(number);
      return;
  }
}

}  // namespace octavo::kernels
