// Recognizes images that a decoder completed because their file was truncated.
#pragma once

#include <cstdint>
#include <span>

#include <octavo/sample.hpp>

namespace octavo::doctor {

/// Whether the lower part of the image, [C,H,W], is one gray of 127 to 129 below other content. libjpeg and the
/// programs on top of it (OpenCV, Pillow with LOAD_TRUNCATED_IMAGES) fill missing blocks with zero coefficients, which
/// decode to 128; resizing and a change of range move it by at most 1. Black and other fills are not counted: they are
/// as common in whole images. Nor is a fill that the first row has too: that is a border.
bool looks_truncated(std::span<const std::uint8_t> values, const SampleShape& shape);

}  // namespace octavo::doctor
