// Decodes images of one format, as the packer does.
#pragma once

#include <array>
#include <string_view>

#include "fuzz_target.hpp"
#include "images/image_codec.hpp"
#include "images/image_reader.hpp"

namespace octavo::fuzz {

/// Small, so that runs are fast. The real limit bounds memory in the same way.
inline constexpr images::Limits kSmallImages = {.largest_pixels = 1 << 16};

/// Gray, because over a colored background a gray image with transparency becomes RGB, unlike its header.
inline constexpr std::array<std::uint8_t, 3> kBackground = {77, 77, 77};

/// Decodes a file of the codec `format`, such as "PNG", and checks that its pixels match its header. Ignores other
/// files.
inline int decode_format(Bytes file, std::string_view format) {
  return run_input([&] {
    const auto header = images::parse_header(file, true);
    if (!header || header->codec->name != format) return false;
    const images::Pixels pixels = images::decode(file, kSmallImages, kBackground);
    const bool is_as_said =
        pixels.width == header->width && pixels.height == header->height && pixels.channels == header->channels;
    if (!is_as_said) __builtin_trap();
    return true;
  });
}

}  // namespace octavo::fuzz
