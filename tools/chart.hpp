// Charts of what was measured.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace octavo::tools {

/// Bars, one for each name, of up to a few groups of the same length.
struct Chart {
  struct Series {
    std::string name;
    std::vector<double> values;  ///< NaN where there is none
  };
  std::string title;
  std::string x_label;             ///< of the numbers
  std::vector<std::string> names;  ///< of the bars; or of the points on the axis of numbers
  std::vector<Series> series;
  bool is_line = false;  ///< lines over the numbers in `names`, both axes logarithmic; else horizontal bars
};

/// Throws what draw_chart() would throw for this path on this machine.
void check_can_draw(const std::filesystem::path& path);

/// Draws the chart with Matplotlib, in a Python process, as PNG or SVG by the end of `path`. Throws InvalidArgument for
/// another ending, Unavailable if there is no Python with Matplotlib, IoError if the file cannot be written.
void draw_chart(const Chart& chart, const std::filesystem::path& path);

}  // namespace octavo::tools
