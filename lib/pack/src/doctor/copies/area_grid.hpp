// Averages images over the cells of a coarse grid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octavo::doctor {

/// Averages planes of one size over `rows` x `columns` cells of equal area. Pixels on the border of two cells count in
/// both, by area.
class AreaGrid {
 public:
  AreaGrid(std::int64_t height, std::int64_t width, std::int64_t rows, std::int64_t columns);

  /// The means of the cells of `plane`, [H,W], in `cells`, [rows,columns]. `strips` is scratch memory.
  template <typename Value>
  void average(std::span<const Value> plane, std::span<float> cells, std::vector<float>& strips) const {
    strips.assign(down_.cell_count * across_.pixel_count, 0.0F);
    for (std::size_t y = 0; y < down_.pixel_count; ++y) {
      const auto line = plane.subspan(y * across_.pixel_count, across_.pixel_count);
      for (std::size_t i = down_.first[y]; i < down_.first[y + 1]; ++i) {
        const float weight = down_.shares[i].weight;
        float* const strip = strips.data() + down_.shares[i].cell * across_.pixel_count;
        for (std::size_t x = 0; x < line.size(); ++x) strip[x] += weight * static_cast<float>(line[x]);
      }
    }
    average_strips(strips, cells);
  }

 private:
  /// How the pixels of a side are shared among its cells.
  struct Side {
    struct Share {
      std::size_t cell = 0;
      float weight = 0.0F;  ///< the weights of a cell add up to 1
    };
    std::size_t pixel_count = 0, cell_count = 0;
    std::vector<Share> shares;
    std::vector<std::size_t> first;  ///< [pixel_count + 1], the shares of each pixel

    Side(std::int64_t pixels, std::int64_t cells);
  };

  void average_strips(std::span<const float> strips, std::span<float> cells) const;

  Side down_, across_;
};

}  // namespace octavo::doctor
