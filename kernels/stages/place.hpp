// Place: the second stage of a gather decides which code becomes which value of the output.
//
// A Placement policy maps a value of an output sample to a code: at(sample, out_index) is the CodePlace. It may depend
// on the index and the epoch of the sample.
#pragma once

#include <cstdint>

#include <octavo/shapes.hpp>

#include "kernels/host_device.hpp"
#include "kernels/row_selection.hpp"

namespace octavo::kernels {

/// Where a value comes from.
struct CodePlace {
  std::int64_t index;    ///< c*P + p
  std::int64_t channel;  ///< c
};

/// Images keep their size and their pixels; only the layout changes.
class IdentityPlacement {
 public:
  OCTAVO_HOST_DEVICE IdentityPlacement(Layout layout, std::int64_t channels, std::int64_t pixels)
      : layout_(layout), channels_(static_cast<std::uint32_t>(channels)), pixels_(static_cast<std::uint32_t>(pixels)) {}

  OCTAVO_HOST_DEVICE CodePlace at(const SelectedSample&, std::int64_t out_index) const {
    // C*P < 2^31, so 32-bit division is enough. It is several times faster on both backends.
    const auto i = static_cast<std::uint32_t>(out_index);
    if (layout_ == Layout::nchw) return {out_index, static_cast<std::int64_t>(i / pixels_)};
    const std::uint32_t p = i / channels_, c = i % channels_;
    return {static_cast<std::int64_t>(c) * pixels_ + p, static_cast<std::int64_t>(c)};
  }

 private:
  Layout layout_;
  std::uint32_t channels_;
  std::uint32_t pixels_;
};

}  // namespace octavo::kernels
