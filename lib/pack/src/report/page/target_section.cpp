#include "report/page/target_section.hpp"

#include <algorithm>

#include <octavo/byte_count.hpp>
#include <octavo/target_summary.hpp>

#include "report/page/charts.hpp"
#include "report/page/html.hpp"
#include "support/text/text_units.hpp"

namespace octavo::report::page {
namespace {

/// Limits the size of the page.
constexpr std::size_t kMostColumns = 32;

std::string chart_of(const TargetSummary& column, const std::string& name) {
  std::string html = "<div><h3>" + name + "</h3>\n";
  if (column.count > 0) {
    html += histogram(column.histogram, formatted("%.6g", column.min), formatted("%.6g", column.max),
                      "Histogram of " + name) +
            formatted("<p class=\"lead\">mean %.6g</p>\n", column.mean);
  }
  if (column.not_finite > 0) html += "<p class=\"warn\">" + format_count(column.not_finite) + " not finite</p>\n";
  return html + "</div>\n";
}

}  // namespace

std::string targets(const PageData& page) {
  std::string charts;
  std::size_t left_out = 0;
  for (const Split& split : page.splits) {
    const std::vector<TargetSummary> columns = summarize_targets(split);
    const std::size_t shown = std::min(columns.size(), kMostColumns);
    left_out = std::max(left_out, columns.size() - shown);
    for (std::size_t i = 0; i < shown; ++i) {
      const std::string number = columns.size() == 1 ? "Target" : "Target " + std::to_string(i);
      charts += chart_of(columns[i], number + " of " + escaped(split.name()));
    }
  }
  if (charts.empty()) return "";
  const std::string rest =
      left_out == 0 ? "" : "<p class=\"lead\">The first " + std::to_string(kMostColumns) + " targets.</p>\n";
  return "<div class=\"columns\">\n" + charts + "</div>\n" + rest;
}

}  // namespace octavo::report::page
