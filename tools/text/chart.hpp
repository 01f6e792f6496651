// Charts of measurements.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace octavo::tools {

/// A bar or line chart of one or a few series of the same length.
struct Chart {
  struct Series {
    std::string name;
    std::vector<double> values;  ///< one per name; NaN if missing
  };
  std::string title;
  std::string x_label;             ///< of the values
  std::vector<std::string> names;  ///< of the bars; of a line chart, the x values as text
  std::vector<Series> series;
  bool is_line = false;  ///< lines over the x values in `names`, both axes logarithmic; else horizontal bars
};

/// Throws if draw_chart() would refuse this path on this machine.
void check_can_draw(const std::filesystem::path& path);

/// Draws the chart with Matplotlib in a Python process. The extension of `path` selects PNG or SVG. Throws
/// InvalidArgument for another extension, Unavailable if Python with Matplotlib is missing, IoError if the file cannot
/// be written.
void draw_chart(const Chart& chart, const std::filesystem::path& path);

}  // namespace octavo::tools
