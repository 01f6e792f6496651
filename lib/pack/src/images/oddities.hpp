// What is odd about an image file that is packed nevertheless.
#pragma once

#include <array>
#include <cstdint>

namespace octavo::images {

/// Each is counted, and reported by a note. What would make a pixel wrong is an error instead.
enum class Oddity {
  more_pages,
  more_frames,
  fourth_sample_is_alpha,
  alpha_is_band,
  unused_samples,
  palette_of_8_bits,
  comment_before_pixels,
  scan_header,
  scan_sequence,
  adobe_transform,
  bytes_after_scan,
  turned_upright,
  kept_as_stored,
};

struct OddityInfo {
  Oddity oddity;
  const char* text;  ///< after "2 images have"
};

/// In the order in which notes report them.
inline constexpr std::array<OddityInfo, 13> kOddities = {{
    {Oddity::more_pages, "several pages; the first is packed"},
    {Oddity::more_frames, "several frames; the first is packed"},
    {Oddity::fourth_sample_is_alpha,
     "a fourth TIFF sample that the file calls alpha; RGB is composited with it over `background`"},
    {Oddity::alpha_is_band, "bands and alpha; alpha is packed as a band"},
    {Oddity::unused_samples, "more samples per pixel than the color model uses; the others are not packed"},
    {Oddity::palette_of_8_bits, "a TIFF palette of 8 bits instead of 16; its colors are used as they are"},
    {Oddity::comment_before_pixels, "a comment between the maximum and the pixels; it is skipped"},
    {Oddity::scan_header, "an invalid JPEG scan header, as some phones write it; no pixel is affected"},
    {Oddity::scan_sequence, "repeated or reordered JPEG scans; no pixel is affected"},
    {Oddity::adobe_transform, "an unknown Adobe color transform; YCbCr is assumed"},
    {Oddity::bytes_after_scan, "unused bytes after the JPEG pixels; no pixel is missing"},
    {Oddity::turned_upright, "an EXIF orientation; the pixels are turned upright"},
    {Oddity::kept_as_stored,
     "an EXIF orientation that is not applied, because the mask has the size of the stored pixels; for upright "
     "samples, "
     "turn both before packing"},
}};

/// The oddities of one image.
class Oddities {
 public:
  void add(Oddity oddity) { bits_ = static_cast<std::uint16_t>(bits_ | bit(oddity)); }
  void add(Oddities others) { bits_ = static_cast<std::uint16_t>(bits_ | others.bits_); }
  bool has(Oddity oddity) const { return (bits_ & bit(oddity)) != 0; }

 private:
  static unsigned bit(Oddity oddity) { return 1u << static_cast<unsigned>(oddity); }

  std::uint16_t bits_ = 0;
};

}  // namespace octavo::images
