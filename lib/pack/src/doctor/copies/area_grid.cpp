#include "doctor/copies/area_grid.hpp"

#include <algorithm>

namespace octavo::doctor {

// With a side of P pixels and G cells, a pixel spans G units and a cell P units of a side of P*G units.
AreaGrid::Side::Side(std::int64_t pixels, std::int64_t cells)
    : pixel_count(static_cast<std::size_t>(pixels)), cell_count(static_cast<std::size_t>(cells)) {
  for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
    first.push_back(shares.size());
    const std::int64_t begin = pixel * cells, end = begin + cells;
    for (std::int64_t cell = begin / pixels; cell * pixels < end; ++cell) {
      const std::int64_t units = std::min(end, (cell + 1) * pixels) - std::max(begin, cell * pixels);
      shares.push_back({static_cast<std::size_t>(cell), static_cast<float>(units) / static_cast<float>(pixels)});
    }
  }
  first.push_back(shares.size());
}

AreaGrid::AreaGrid(std::int64_t height, std::int64_t width, std::int64_t rows, std::int64_t columns)
    : down_(height, rows), across_(width, columns) {}

void AreaGrid::average_strips(std::span<const float> strips, std::span<float> cells) const {
  std::ranges::fill(cells, 0.0F);
  for (std::size_t row = 0; row < down_.cell_count; ++row) {
    const float* const strip = strips.data() + row * across_.pixel_count;
    float* const line = cells.data() + row * across_.cell_count;
    for (std::size_t x = 0; x < across_.pixel_count; ++x) {
      for (std::size_t i = across_.first[x]; i < across_.first[x + 1]; ++i) {
        line[across_.shares[i].cell] += across_.shares[i].weight * strip[x];
      }
    }
  }
}

}  // namespace octavo::doctor
