// The palette in which pictures show masks.
#include <octavo/mask_shares.hpp>

#include <cstddef>
#include <string>

#include <octavo/errors.hpp>

namespace octavo {
namespace {

// Okabe and Ito's colors without black, then Paul Tol's "muted": both are chosen for color blindness.
constexpr std::array<MaskColor, 16> kPalette = {{{230, 159, 0},
                                                 {86, 180, 233},
                                                 {0, 158, 115},
                                                 {240, 228, 66},
                                                 {0, 114, 178},
                                                 {213, 94, 0},
                                                 {204, 121, 167},
                                                 {51, 34, 136},
                                                 {136, 204, 238},
                                                 {68, 170, 153},
                                                 {17, 119, 51},
                                                 {153, 153, 51},
                                                 {221, 204, 119},
                                                 {204, 102, 119},
                                                 {136, 34, 85},
                                                 {170, 68, 153}}};

/// The levels that the palette is mixed with when it starts again: lighter, darker, lighter still, ...
struct Shade {
  int level = 0;
  int percent = 0;
};
constexpr std::array<Shade, 16> kShades = {{{0, 0},
                                            {255, 45},
                                            {0, 45},
                                            {255, 70},
                                            {0, 65},
                                            {255, 25},
                                            {0, 25},
                                            {255, 57},
                                            {0, 55},
                                            {255, 80},
                                            {0, 75},
                                            {255, 35},
                                            {0, 35},
                                            {255, 15},
                                            {0, 15},
                                            {255, 62}}};
static_assert(kPalette.size() * kShades.size() >= kIgnoredMaskValue - 1, "each value has its own color");

}  // namespace

MaskColor mask_color(int value) {
  if (value < 1 || value >= kIgnoredMaskValue) {
    throw InvalidArgument("color the mask value " + std::to_string(value) +
                          ": only values from 1 to 254 have a color; draw others in another way");
  }
  const auto at = static_cast<std::size_t>(value - 1);
  const Shade shade = kShades[at / kPalette.size()];
  MaskColor color = kPalette[at % kPalette.size()];
  for (std::uint8_t& part : color) {
    part = static_cast<std::uint8_t>((part * (100 - shade.percent) + shade.level * shade.percent) / 100);
  }
  return color;
}

}  // namespace octavo
