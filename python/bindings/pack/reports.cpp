// The memory report, its page, and the findings of the doctor.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <octavo/doctor.hpp>
#include <octavo/label_outliers.hpp>
#include <octavo/mask_shares.hpp>
#include <octavo/option_names.hpp>
#include <octavo/report.hpp>
#include <octavo/report_page.hpp>
#include <octavo/target_summary.hpp>
#include <octavo/text.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pack/module.hpp"
#include "support/gil.hpp"
#include "support/interruptible.hpp"

namespace octavo::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

MemoryReport measure(const Dataset& dataset, const std::string& split, const std::string& device,
                     std::int64_t batch_size, std::optional<std::int64_t> model_bytes, const nb::object& on_progress) {
  return interruptibly(on_progress, [&](const ProgressFunction& progress) {
    return measure_report(dataset, {split, Device::parse(device), batch_size, model_bytes, progress});
  });
}

std::string as_html(const Dataset& dataset, const MemoryReport& report,
                    const std::vector<std::pair<std::string, double>>& loaders, const std::string& missing_loader,
                    const nb::object& on_progress) {
  ReportPageOptions options;
  for (const auto& [name, images_per_second] : loaders) options.loaders.push_back({name, images_per_second});
  options.missing_loader = missing_loader;
  options.spelling = with_python_options;
  return interruptibly(on_progress, [&](const ProgressFunction& progress) {
    options.on_progress = progress;
    return to_html(dataset, report, options);
  });
}

/// The doctor's report as text and as JSON.
std::tuple<std::string, std::string> examine_dataset(const Dataset& dataset, const std::string& group_by,
                                                     std::size_t example_count, int thread_count,
                                                     const nb::object& on_progress) {
  return interruptibly(on_progress, [&](const ProgressFunction& progress) {
    const DoctorReport report = examine(dataset, {group_by, example_count, thread_count, progress});
    // The name of the file need not be UTF-8.
    return std::tuple(as_utf8(to_text(report, with_python_options)), to_json(report, with_python_options));
  });
}

/// The pixels of masks by value, and the number of samples that were counted.
std::pair<std::map<int, std::int64_t>, std::int64_t> count_masks(const Split& split, std::int64_t most_bytes) {
  const MaskCounts counts = count_mask_pixels(split, most_bytes);
  std::map<int, std::int64_t> pixels;
  for (const MaskShare& share : shares_of(counts, {})) pixels[share.value] = share.pixels;
  return {std::move(pixels), counts.sample_count};
}

/// What is unusual in the labels of a split, as text.
std::string describe_label_outliers(const Split& split) {
  return as_utf8(to_text(find_label_outliers(split), split.class_names()));
}

}  // namespace

void add_reports(nb::module_& module) {
  module.def("mask_class_names", &mask_class_names, "dataset"_a, "The names of mask values that packing stored.");
  module.def("count_masks", &count_masks, "split"_a, "most_bytes"_a, nb::call_guard<GilRelease>(),
             "The pixels of masks by value, and the number of samples that were counted.");
  module.def("color_of", &Split::color, "split"_a, "The color kind of the samples.");
  module.def("label_outliers", &describe_label_outliers, "split"_a, nb::call_guard<GilRelease>(),
             "What is unusual in the labels of a split, as text; empty if nothing.");
  module.def(
      "recorded_loss",
      [](const Dataset& dataset, const std::string& split) { return as_utf8(recorded_loss(dataset, split)); },
      "dataset"_a, "split"_a, "What quantizing the samples of a split lost, as text; empty if nothing.");
  nb::class_<TargetSummary>(module, "TargetSummary", "The distribution of one column of targets.")
      .def_ro("count", &TargetSummary::count)
      .def_ro("not_finite", &TargetSummary::not_finite)
      .def_ro("min", &TargetSummary::min)
      .def_ro("max", &TargetSummary::max)
      .def_ro("mean", &TargetSummary::mean)
      .def_prop_ro("histogram", [](const TargetSummary& column) {
        return std::vector<std::int64_t>(column.histogram.begin(), column.histogram.end());
      });
  module.def("summarize_targets", &summarize_targets, "split"_a, nb::call_guard<GilRelease>(),
             "The distribution of each column of targets.");
  nb::class_<MemoryReport>(module, "MemoryReport", "The figures of a report.")
      .def(
          "to_json", [](const MemoryReport& report) { return to_json(report); }, "All figures, as JSON.")
      .def(
          "to_text", [](const MemoryReport& report) { return to_text(report); }, "All figures, as text.")
      .def_prop_ro(
          "split", [](const MemoryReport& report) { return report.split; }, "The name of the split.");
  module.def("report", &measure, "dataset"_a, "split"_a, "device"_a, "batch_size"_a, "model_bytes"_a.none(),
             "on_progress"_a.none(), "Measures the figures of a report.");
  module.def("examine", &examine_dataset, "dataset"_a, "group_by"_a, "example_count"_a, "thread_count"_a,
             "on_progress"_a.none(), "The doctor's report, as text and as JSON. Reads all samples.");
  module.def("report_page", &as_html, "dataset"_a, "report"_a, "loaders"_a, "missing_loader"_a, "on_progress"_a.none(),
             "A report as an HTML page. Reads all samples.");
}

}  // namespace octavo::python
