// Measures how much of an image a copy of another one does not explain.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <octavo/sample.hpp>

#include "doctor/copies/area_grid.hpp"
#include "doctor/copies/descriptor.hpp"

namespace octavo::doctor {

/// An image as it is compared: gray values and colors on small grids.
struct ReducedImage {
  std::vector<float> gray;    ///< [rows,columns], mean of the channels
  std::vector<float> coarse;  ///< [8,8], the same on a coarse grid, without its mean
  std::vector<float> colors;  ///< [C,8,8], difference of each channel from the gray value; empty for one channel
};

/// The squared distance of the coarse images as a share of the smaller contrast.
double squared_distance(const ReducedImage& a, const ReducedImage& b);

/// The grid of gray values that the images of all shapes are reduced to.
struct ReducedGrid {
  static constexpr std::int64_t kMostCells = 32;  ///< on each side
  std::int64_t rows = kMostCells, columns = kMostCells;

  /// Makes the grid no finer than images of this shape.
  void fit(const SampleShape& shape);
};

/// Reduces images of one shape.
class ImageReducer {
 public:
  ImageReducer(const SampleShape& shape, const ReducedGrid& grid);
  ReducedImage reduce(std::span<const std::uint8_t> values);

 private:
  SampleShape shape_;
  ReducedGrid reduced_;
  AreaGrid grid_, coarse_grid_;
  std::vector<float> strips_, plane_, gray_;
};

/// How much of the smoother image the sharper one does not explain by a change of brightness, contrast and blur, as a
/// share of its contrast: 0 for such a copy, up to 1 for an unrelated image; kNoCopy if the contrasts or the colors
/// differ too much.
///
/// The smoother image is fitted by g * x + h * Lx + k * LLx + const, where x is the sharper image and L the Laplacian:
/// resizing and recompression blur. What remains of a copy is broad noise. What remains of a similar image is in its
/// coarse parts too. So the result is the geometric mean of the remaining share on the whole grid and that on 8x8
/// cells.
class CopyResidual {
 public:
  explicit CopyResidual(const ReducedGrid& grid);
  static constexpr double kNoCopy = std::numeric_limits<double>::infinity();

  /// `a` is turned first.
  double between(const ReducedImage& a, Turn turn, const ReducedImage& b);

 private:
  void turn_image(const ReducedImage& image, Turn turn);

  ReducedGrid reduced_;
  AreaGrid coarse_;
  ReducedImage turned_;
  std::vector<float> first_[2], second_[2], strips_;  ///< Laplacians of both images, once and twice
  std::vector<float> rest_, coarse_rest_;
};

}  // namespace octavo::doctor
