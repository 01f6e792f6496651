// The picture that samples are drawn on: a grid of cells with thin lines between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <octavo/sample.hpp>

namespace octavo::view {

/// How a sheet is divided.
struct SheetPlan {
  SampleShape sample;
  std::int64_t count = 0;    ///< cells that are drawn
  std::int64_t columns = 0;  ///< 0: about square
  std::int64_t scale = 0;    ///< side of the square that a value becomes; 0: a readable size
};

/// An 8-bit picture of `count` cells, all empty at first. Samples of 3 channels are drawn in color, others by their
/// first channel in gray.
class Sheet {
 public:
  /// Throws InvalidArgument if the sheet would have more than 2^28 pixels, or columns or scale are negative.
  explicit Sheet(const SheetPlan& plan);

  /// Draws a sample into cell `cell`.
  ///
  /// values  [C,H,W]: what each value is on the picture
  void draw(std::int64_t cell, std::span<const std::uint8_t> values);

  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }
  std::int64_t channels() const { return channels_; }
  std::span<const std::uint8_t> values() const { return pixels_; }

 private:
  SampleShape sample_;
  std::int64_t columns_ = 0;
  std::int64_t scale_ = 0;
  std::int64_t width_ = 0;
  std::int64_t height_ = 0;
  std::int64_t channels_ = 0;
  std::vector<std::uint8_t> pixels_;  ///< [height,width,channels]
};

}  // namespace octavo::view
