// The picture that samples are drawn on: a grid of cells separated by thin lines.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <octavo/mask_shares.hpp>
#include <octavo/sample.hpp>

#include "view/caption.hpp"

namespace octavo::view {

/// The layout of a sheet.
struct SheetPlan {
  SampleShape sample;
  std::int64_t count = 0;     ///< cells to draw
  std::int64_t columns = 0;   ///< 0: about square
  std::int64_t scale = 0;     ///< side of the square drawn for each pixel of a sample; 0: a readable size
  bool has_captions = false;  ///< leave room for a caption below each sample, if its cell is wide enough for one
  std::vector<MaskShare> legend = {};  ///< of masks, below the samples; drawn only if samples have 3 channels
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
  /// Writes a caption below the sample of cell `cell`, as much of it as fits.
  void write(std::int64_t cell, const Caption& caption);
  /// Draws the legend of the plan.
  void write_legend();

  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }
  std::int64_t channels() const { return channels_; }
  std::span<const std::uint8_t> values() const { return pixels_; }

 private:
  /// One entry of the legend.
  struct LegendEntry {
    int value = 0;
    std::string text;
    std::int64_t left = 0, row = 0;  ///< in the legend, `left` in pixels of characters
  };
  /// Arranges the entries of the legend in rows; returns the height of the legend.
  std::int64_t arrange_legend(const std::vector<MaskShare>& shares);
  std::int64_t left_of(std::int64_t cell) const;
  std::int64_t top_of(std::int64_t cell) const;
  void write(const std::string& text, std::int64_t left, std::int64_t top, std::int64_t scale, std::uint8_t gray);
  SampleShape sample_;
  std::int64_t columns_ = 0;
  std::int64_t scale_ = 0;
  std::int64_t text_scale_ = 0;    ///< side of the square drawn for each pixel of a character; 0: no captions
  std::int64_t legend_scale_ = 1;  ///< the same in the legend
  std::int64_t legend_top_ = 0;
  std::vector<LegendEntry> legend_;
  std::int64_t width_ = 0;
  std::int64_t height_ = 0;
  std::int64_t channels_ = 0;
  std::vector<std::uint8_t> pixels_;  ///< [height,width,channels]
};

}  // namespace octavo::view
