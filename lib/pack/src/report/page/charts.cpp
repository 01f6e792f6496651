#include "report/page/charts.hpp"

#include <algorithm>

#include <octavo/byte_count.hpp>

#include "report/page/html.hpp"
#include "support/text/text_units.hpp"

namespace octavo::report::page {
namespace {

// The number of colors in the style sheet.
constexpr std::size_t kSplitColors = 4;

/// At least a visible line for anything above zero.
std::string width_of(double value, double largest) {
  const double percent = largest > 0 ? 100.0 * value / largest : 0.0;
  return formatted("%.2f%%", value > 0 ? std::max(percent, 0.3) : 0.0);
}

}  // namespace

std::string bar_chart(const std::vector<Bar>& bars) {
  double largest = 0.0;
  for (const Bar& bar : bars) largest = std::max(largest, bar.value);
  std::string html = "<dl class=\"bars\">\n";
  for (const Bar& bar : bars) {
    html += "<dt>" + bar.name + "</dt><dd><span class=\"bar" + (bar.is_emphasized ? " ours" : "") +
            "\" style=\"width:" + width_of(bar.value, largest) + "\"></span><span class=\"value\">" + bar.text +
            "</span></dd>\n";
  }
  return html + "</dl>\n";
}

std::string split_bars(std::span<const std::int64_t> counts, std::int64_t largest) {
  std::string html = "<div class=\"split-bars\">";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    html += formatted("<div><span class=\"bar s%zu\" style=\"width:", i % kSplitColors) +
            width_of(static_cast<double>(counts[i]), static_cast<double>(largest)) +
            "\"></span><span class=\"value\">" + format_count(counts[i]) + "</span></div>";
  }
  return html + "</div>";
}

std::string split_legend(const std::vector<std::string>& names) {
  std::string html = "<p class=\"legend\">";
  for (std::size_t i = 0; i < names.size(); ++i) {
    html += formatted("<span><i class=\"s%zu\"></i>", i % kSplitColors) + escaped(names[i]) + "</span> ";
  }
  return html + "</p>\n";
}

std::string histogram(std::span<const std::int64_t> counts, const std::string& low, const std::string& high,
                      const std::string& description) {
  const std::int64_t largest = std::max<std::int64_t>(1, *std::max_element(counts.begin(), counts.end()));
  std::string html = formatted(
                         "<svg class=\"histogram\" viewBox=\"0 0 %zu 100\" preserveAspectRatio=\"none\" role=\"img\" "
                         "aria-label=\"",
                         counts.size() * 10) +
                     description + "\">";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const double height = std::max(1.0, 100.0 * static_cast<double>(counts[i]) / static_cast<double>(largest));
    html +=
        formatted("<rect x=\"%zu\" y=\"%.2f\" width=\"9\" height=\"%.2f\"><title>", i * 10, 100.0 - height, height) +
        format_count(counts[i]) + "</title></rect>";
  }
  return html + "</svg>\n<p class=\"axis\"><span>" + low + "</span><span>" + high + "</span></p>\n";
}

}  // namespace octavo::report::page
