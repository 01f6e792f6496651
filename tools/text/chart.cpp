#include "text/chart.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <octavo/errors.hpp>

#include "options/option_values.hpp"

namespace octavo::tools {
namespace {

/// Reads the chart as JSON from stdin.
constexpr const char* kProgram = R"python(
import json, sys
import matplotlib
matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "octavo"
from matplotlib import pyplot
chart = json.load(sys.stdin)
names, series = chart["names"], chart["series"]
if chart["is_line"]:
    figure, axes = pyplot.subplots(figsize=(8, 5))
    for one in series:
        points = [(float(x), y) for x, y in zip(names, one["values"]) if y is not None]
        axes.plot([x for x, _ in points], [y for _, y in points], marker="o", label=one["name"])
    axes.set_xscale("log"); axes.set_yscale("log")
    axes.set_xlabel("batch size"); axes.set_ylabel(chart["x_label"])
else:
    figure, axes = pyplot.subplots(figsize=(9, 1.2 + 0.34 * len(names) * max(1, 0.7 * len(series))))
    height = 0.8 / len(series)
    for number, one in enumerate(series):
        places = [row + (number - (len(series) - 1) / 2) * height for row in range(len(names))]
        values = [value or 0 for value in one["values"]]
        bars = axes.barh(places, values, height, label=one["name"])
        axes.bar_label(bars, [format(value, ".3g") if value else "" for value in values], padding=3, fontsize=8)
    axes.set_yticks(range(len(names)), names, fontsize=8); axes.invert_yaxis(); axes.margins(x=0.12)
    axes.set_xlabel(chart["x_label"])
axes.set_title(chart["title"], fontsize=10)
axes.grid(alpha=0.3)
if len(series) > 1:
    axes.legend(fontsize=8)
figure.savefig(sys.argv[1], bbox_inches="tight", dpi=150, metadata={"Date": None} if sys.argv[1].endswith(".svg") else None)
)python";

/// Prefers the distribution's Python, for which python3-matplotlib installs.
std::string python() { return std::filesystem::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3"; }

nlohmann::json chart_as_json(const Chart& chart) {
  nlohmann::json series = nlohmann::json::array();
  for (const Chart::Series& one : chart.series) {
    nlohmann::json values = nlohmann::json::array();
    for (const double value : one.values)
      values.push_back(std::isnan(value) ? nlohmann::json() : nlohmann::json(value));
    series.push_back({{"name", one.name}, {"values", values}});
  }
  return {{"title", chart.title},
          {"x_label", chart.x_label},
          {"names", chart.names},
          {"series", series},
          {"is_line", chart.is_line}};
}

}  // namespace

void check_can_draw(const std::filesystem::path& path) {
  const std::string text = path.string();
  if (!text.ends_with(".png") && !text.ends_with(".svg")) {
    throw InvalidArgument("draw \"" + text + "\": the file must be PNG or SVG; use a name that ends in .png or .svg");
  }
  if (std::system((python() + " -c 'import matplotlib' 2> /dev/null").c_str()) != 0) {
    throw Unavailable("draw \"" + text + "\": Python with Matplotlib is missing; install python3-matplotlib");
  }
}

void draw_chart(const Chart& chart, const std::filesystem::path& path) {
  check_can_draw(path);
  FILE* process = ::popen((python() + " -c " + quote_word(kProgram) + " " + quote_word(path.string())).c_str(), "w");
  const std::string document = chart_as_json(chart).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  const bool is_written =
      process != nullptr && std::fwrite(document.data(), 1, document.size(), process) == document.size();
  const int status = process == nullptr ? -1 : ::pclose(process);
  if (status != 0 || !is_written) {
    throw IoError("draw \"" + path.string() + "\": the chart was not written; see the Python error above");
  }
}

}  // namespace octavo::tools
