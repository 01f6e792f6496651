// Truncates and changes small image files at every position.
#pragma once

#include <octavo/errors.hpp>
#include <string>

#include "catch.hpp"
#include "images/image_reader.hpp"
#include "made_images.hpp"

namespace octavo::test {

inline images::Pixels decoded(const std::string& file, std::array<std::uint8_t, 3> background = {0, 0, 0}) {
  return images::decode(bytes_of(file), {.largest_pixels = 1u << 20}, background);
}

/// Whether an oddity is found in the header or while decoding, and at no other time.
inline bool is_odd(const std::string& file, images::Oddity oddity) {
  const images::ImageHeader header = images::checked_header(bytes_of(file), {.largest_pixels = 1u << 20});
  const images::Target target = {{header.channels, header.height, header.width}};
  std::vector<std::uint8_t> values(static_cast<std::size_t>(target.shape.values()));
  return images::read_sample(bytes_of(file), header, target, nullptr, values).has(oddity);
}

/// Requires that every proper prefix of the file is refused.
inline void check_cuts_are_refused(const std::string& file) {
  for (std::size_t length = 0; length < file.size(); ++length) {
    INFO("cut to " << length << " of " << file.size() << " bytes");
    CHECK_THROWS_AS(decoded(file.substr(0, length)), FormatError);
  }
}

/// Requires that the file, which is wider than a pixel, is refused with the header of a narrower or a wider image, as
/// it is if the file has changed since its header was read.
inline void check_other_sizes_are_refused(const std::string& file) {
  const images::ImageHeader header = images::checked_header(bytes_of(file), {.largest_pixels = 1u << 20});
  for (const int change : {-1, 1}) {
    images::ImageHeader other = header;
    other.width += change;
    CHECK_THROWS_AS(header.codec->decode(bytes_of(file), other, {}), FormatError);
    if (header.is_deep()) CHECK_THROWS_AS(header.codec->decode_deep(bytes_of(file), other), FormatError);
  }
}

/// Flips each bit in turn. Some changes are valid, so the result may be pixels or a FormatError of one line.
inline void check_flips_do_no_harm(const std::string& file) {
  int decoded_count = 0, refused_count = 0;
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    std::string changed = file;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    try {
      const images::Pixels pixels = decoded(changed);
      REQUIRE(pixels.values.size() == static_cast<std::size_t>(pixels.width * pixels.height * pixels.channels));
      ++decoded_count;
    } catch (const FormatError& error) {
      INFO("bit " << bit);
      REQUIRE_THAT(error.what(), !ContainsSubstring("\n"));
      ++refused_count;
    }
  }
  CHECK(decoded_count > 0);
  CHECK(refused_count > 0);
}

/// The low `count` bytes of a value, little-endian.
inline std::string little(std::uint64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> 8 * i);
  return bytes;
}

inline std::string text_of(const std::vector<std::uint8_t>& values) { return {values.begin(), values.end()}; }

/// The reason why the header of this file is refused, or "accepted".
inline std::string claim_refusal(const std::string& file, const images::Limits& limits = {}) {
  try {
    const auto header = images::parse_header(bytes_of(file), true);
    images::check_claim(*header, static_cast<std::int64_t>(file.size()), limits);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace octavo::test
