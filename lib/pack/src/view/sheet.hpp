// The picture that samples are drawn on: a grid of cells separated by thin lines.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <octavo/sample.hpp>

namespace octavo::view {

/// The layout of a sheet.
struct SheetPlan {
  SampleShape sample;
  std::int64_t count = 0;    ///< cells to draw
  std::int64_t columns = 0;  ///< 0: about square
  std::int64_t scale = 0;    ///< side of the square drawn for each pixel of a sample; 0: a readable size
};

/// An 8-bit picture of `count` cells, all empty at first. Samples with 3 channels are drawn in color; of others, the
/// first channel is drawn in gray.
class Sheet {
 public:
  /// Throws InvalidArgument if the sheet would have more than 2^28 pixels, or columns or scale are negative.
  explicit Sheet(const SheetPlan& plan);

  /// Draws a sample into cell `cell`.
  ///
  /// values  [C,H,W]: the 8-bit values to draw
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
