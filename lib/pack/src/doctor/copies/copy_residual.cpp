#include "doctor/copies/copy_residual.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace octavo::doctor {
namespace {

constexpr std::int64_t kCoarseCells = 8;  ///< on each side
/// More channels are not colors.
constexpr std::int64_t kMostColors = 4;
/// A copy may have this part of the contrast of its original, or the reverse.
constexpr double kLeastGain = 0.5;
/// Colors may differ by this much, root mean square, in levels of 255 or as a share of the contrast: JPEG of quality 50
/// with halved color resolution moves the cells of CIFAR-10 by up to 8 levels.
constexpr double kMostColorLevels = 8.0, kMostColorShare = 0.3;
constexpr std::size_t kRegressors = 3;

/// The sum of the four neighbors minus four times the pixel. The border continues outward.
void laplacian(std::span<const float> image, std::int64_t rows, std::int64_t columns, std::vector<float>& result) {
  result.resize(image.size());
  for (std::int64_t y = 0; y < rows; ++y) {
    const float* const line = image.data() + y * columns;
    const float* const above = y > 0 ? line - columns : line;
    const float* const below = y + 1 < rows ? line + columns : line;
    float* const out = result.data() + y * columns;
    for (std::int64_t x = 0; x < columns; ++x) {
      const float left = line[x > 0 ? x - 1 : x], right = line[x + 1 < columns ? x + 1 : x];
      out[x] = above[x] + below[x] + left + right - 4.0F * line[x];
    }
  }
}

double sum_of_squares(std::span<const float> values) {
  double sum = 0.0;
  for (const float value : values) sum += double{value} * double{value};
  return sum;
}

/// Subtracts the mean. Returns the sum of squares of what is left.
double remove_mean(std::span<float> values) {
  double sum = 0.0;
  for (const float value : values) sum += double{value};
  const auto mean = static_cast<float>(sum / static_cast<double>(values.size()));
  for (float& value : values) value -= mean;
  return sum_of_squares(values);
}

/// `gain` is how much more contrast `b` has than `a`.
bool has_other_colors(std::span<const float> a, std::span<const float> b, double gain, double contrast) {
  // A gray image has no colors; a gray copy of a color image is a copy.
  if (a.size() != b.size() || b.empty()) return false;
  double sum = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double difference = gain * double{a[i]} - double{b[i]};
    sum += difference * difference;
  }
  const double difference = std::sqrt(sum / static_cast<double>(b.size()));
  return difference > std::max(kMostColorLevels, kMostColorShare * contrast);
}

using Regressors = std::array<std::span<const float>, kRegressors>;

/// The weights that fit `target` best, by the normal equations with a ridge that keeps flat images solvable.
std::array<double, kRegressors> fit(const Regressors& regressors, std::span<const float> target) {
  std::array<std::array<double, kRegressors + 1>, kRegressors> rows = {};
  for (std::size_t i = 0; i < target.size(); ++i) {
    const std::array<double, kRegressors> x = {regressors[0][i], regressors[1][i], regressors[2][i]};
    for (std::size_t r = 0; r < kRegressors; ++r) {
      for (std::size_t c = r; c < kRegressors; ++c) rows[r][c] += x[r] * x[c];
      rows[r][kRegressors] += x[r] * double{target[i]};
    }
  }
  for (std::size_t r = 0; r < kRegressors; ++r) {
    for (std::size_t c = 0; c < r; ++c) rows[r][c] = rows[c][r];
  }
  for (std::size_t r = 0; r < kRegressors; ++r) rows[r][r] += 1e-6 * rows[r][r] + 1e-6;
  // Gaussian elimination; the matrix is positive definite.
  for (std::size_t r = 0; r < kRegressors; ++r) {
    for (std::size_t below = r + 1; below < kRegressors; ++below) {
      const double factor = rows[below][r] / rows[r][r];
      for (std::size_t c = r; c <= kRegressors; ++c) rows[below][c] -= factor * rows[r][c];
    }
  }
  std::array<double, kRegressors> weights = {};
  for (std::size_t r = kRegressors; r-- > 0;) {
    double value = rows[r][kRegressors];
    for (std::size_t c = r + 1; c < kRegressors; ++c) value -= rows[r][c] * weights[c];
    weights[r] = value / rows[r][r];
  }
  return weights;
}

/// Turns planes of rows x columns.
void turn_planes(std::span<const float> from, std::int64_t rows, std::int64_t columns, Turn turn,
                 std::vector<float>& to) {
  to.resize(from.size());
  const bool flips_x = turn == Turn::left_right || turn == Turn::half_turn;
  const bool flips_y = turn == Turn::upside_down || turn == Turn::half_turn;
  const std::int64_t planes = static_cast<std::int64_t>(from.size()) / (rows * columns);
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    for (std::int64_t y = 0; y < rows; ++y) {
      const auto line = from.begin() + (plane * rows + (flips_y ? rows - 1 - y : y)) * columns;
      const auto out = to.begin() + (plane * rows + y) * columns;
      flips_x ? std::reverse_copy(line, line + columns, out) : std::copy(line, line + columns, out);
    }
  }
}

}  // namespace

double squared_distance(const ReducedImage& a, const ReducedImage& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.coarse.size(); ++i) {
    const double difference = double{a.coarse[i]} - double{b.coarse[i]};
    sum += difference * difference;
  }
  return sum / std::max(std::min(sum_of_squares(a.coarse), sum_of_squares(b.coarse)), 1e-6);
}

void ReducedGrid::fit(const SampleShape& shape) {
  rows = std::min(rows, shape.height);
  columns = std::min(columns, shape.width);
}

ImageReducer::ImageReducer(const SampleShape& shape, const ReducedGrid& grid)
    : shape_(shape),
      reduced_(grid),
      grid_(shape.height, shape.width, grid.rows, grid.columns),
      coarse_grid_(shape.height, shape.width, kCoarseCells, kCoarseCells) {}

ReducedImage ImageReducer::reduce(std::span<const std::uint8_t> values) {
  const auto plane = static_cast<std::size_t>(shape_.values_per_channel());
  const auto channels = static_cast<std::size_t>(shape_.channels);
  gray_.assign(plane, 0.0F);
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t p = 0; p < plane; ++p) gray_[p] += static_cast<float>(values[c * plane + p]);
  }
  for (float& value : gray_) value /= static_cast<float>(channels);
  ReducedImage image;
  image.gray.resize(static_cast<std::size_t>(reduced_.rows * reduced_.columns));
  grid_.average(std::span<const float>(gray_), image.gray, strips_);
  constexpr std::size_t kCells = kCoarseCells * kCoarseCells;
  image.coarse.resize(kCells);
  coarse_grid_.average(std::span<const float>(gray_), image.coarse, strips_);
  remove_mean(image.coarse);
  if (channels < 2 || shape_.channels > kMostColors) return image;
  image.colors.resize(channels * kCells);
  plane_.resize(plane);
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t p = 0; p < plane; ++p) plane_[p] = static_cast<float>(values[c * plane + p]) - gray_[p];
    coarse_grid_.average(std::span<const float>(plane_), std::span(image.colors).subspan(c * kCells, kCells), strips_);
  }
  return image;
}

CopyResidual::CopyResidual(const ReducedGrid& grid)
    : reduced_(grid),
      coarse_(grid.rows, grid.columns, kCoarseCells, kCoarseCells),
      coarse_rest_(kCoarseCells * kCoarseCells) {}

void CopyResidual::turn_image(const ReducedImage& image, Turn turn) {
  turn_planes(image.gray, reduced_.rows, reduced_.columns, turn, turned_.gray);
  turn_planes(image.colors, kCoarseCells, kCoarseCells, turn, turned_.colors);
}

double CopyResidual::between(const ReducedImage& a, Turn turn, const ReducedImage& b) {
  turn_image(a, turn);
  std::array<std::vector<float>, 2> images = {turned_.gray, b.gray};
  std::array<double, 2> energies = {};
  for (std::size_t i = 0; i < 2; ++i) {
    energies[i] = remove_mean(images[i]);
    laplacian(images[i], reduced_.rows, reduced_.columns, first_[i]);
  }
  const std::size_t sharper = sum_of_squares(first_[0]) >= sum_of_squares(first_[1]) ? 0 : 1;
  const std::size_t smoother = 1 - sharper;
  const std::array<std::span<const float>, 2> colors = {turned_.colors, b.colors};
  if (energies[smoother] <= 0.0 || energies[sharper] <= 0.0) return kNoCopy;
  const double contrast = std::sqrt(energies[smoother] / static_cast<double>(b.gray.size()));
  laplacian(first_[sharper], reduced_.rows, reduced_.columns, second_[sharper]);
  const Regressors regressors = {images[sharper], first_[sharper], second_[sharper]};
  const auto weights = fit(regressors, images[smoother]);
  if (weights[0] < kLeastGain || weights[0] > 1.0 / kLeastGain) return kNoCopy;
  if (has_other_colors(colors[sharper], colors[smoother], weights[0], contrast)) return kNoCopy;
  rest_ = images[smoother];
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    double explained = 0.0;
    for (std::size_t r = 0; r < kRegressors; ++r) explained += weights[r] * double{regressors[r][i]};
    rest_[i] -= static_cast<float>(explained);
  }
  coarse_.average(std::span<const float>(rest_), coarse_rest_, strips_);
  const double coarse_energy = sum_of_squares(smoother == 0 ? a.coarse : b.coarse);
  const double fine = std::sqrt(sum_of_squares(rest_) / energies[smoother]);
  const double coarse = std::sqrt(sum_of_squares(coarse_rest_) / std::max(coarse_energy, 1e-6));
  return std::sqrt(fine * coarse);
}

}  // namespace octavo::doctor
