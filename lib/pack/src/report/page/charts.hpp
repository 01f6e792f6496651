// Charts in HTML and SVG. Every chart also shows its numbers as text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace octavo::report::page {

struct Bar {
  std::string name;  ///< HTML
  double value = 0.0;
  std::string text;  ///< the value for people, HTML
  bool is_emphasized = false;
};

/// Horizontal bars, relative to the largest.
std::string bar_chart(const std::vector<Bar>& bars);

/// A bar for each split, in the splits' colors, as wide as its share of `largest`.
std::string split_bars(std::span<const std::int64_t> counts, std::int64_t largest);

/// The names of the splits next to their colors.
std::string split_legend(const std::vector<std::string>& names);

/// Columns for counts, with the ends of the axis named. `description` is for screen readers.
std::string histogram(std::span<const std::int64_t> counts, const std::string& low, const std::string& high,
                      const std::string& description);

}  // namespace octavo::report::page
