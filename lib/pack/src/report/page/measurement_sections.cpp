#include "report/page/measurement_sections.hpp"

#include <octavo/byte_count.hpp>
#include <octavo/plan.hpp>

#include "report/origin.hpp"
#include "report/page/charts.hpp"
#include "report/page/findings.hpp"
#include "report/page/html.hpp"
#include "report/page/pictures.hpp"
#include "report/summary.hpp"
#include "support/text/text_units.hpp"

namespace octavo::report::page {
namespace {

constexpr std::int64_t kEstimatedSamples = 1000;

}  // namespace

std::string savings_section(const PageData& page) {
  const auto values = static_cast<double>(page.packed_bytes());
  const auto masks = static_cast<double>(page.all_mask_bytes());  // bytes, whatever the type of the values
  const double whole = 4 * values + masks;
  const auto bytes = [&](const std::string& name, double count, bool is_ours) {
    return Bar{name, count,
               format_bytes(static_cast<std::int64_t>(count)) + formatted(", %.2f of float32", count / whole), is_ours};
  };
  std::vector<Bar> bars = {bytes("float32", whole, false), bytes("float16", 2 * values + masks, false),
                           bytes("int8 (Octavo)", values + masks, true)};
  const ResidencyCost& packed = page.report.residencies.back();
  if (packed.name != "int8") {
    bars.push_back(bytes(packed.name + " (Octavo)", static_cast<double>(page.memory_bytes()), true));
  }
  if (page.report.source_bytes)
    bars.push_back(bytes("source files", static_cast<double>(*page.report.source_bytes), false));
  bars.push_back(bytes("dataset file", static_cast<double>(page.report.file_bytes), true));
  std::vector<std::vector<std::string>> rows;
  for (const ResidencyCost& cost : page.report.residencies) {
    rows.push_back({escaped(cost.name), format_bytes(cost.computed_bytes),
                    cost.measured_bytes ? format_bytes(*cost.measured_bytes) : "not measured",
                    format_bytes(cost.batch_buffer_bytes)});
  }
  const std::string remark = remark_on_measuring(page.report);
  return section("savings", "What was saved", "All splits: in memory by data type, and on disk.",
                 bar_chart(bars) + "<h3>Measured on " + escaped(page.report.device) + ", split " +
                     escaped(page.report.split) + "</h3>\n" +
                     table({"Kept as", "Computed", "Measured", "Batch buffers"}, rows) +
                     (remark.empty() ? "" : "<p class=\"lead\">" + escaped(remark) + ".</p>\n"));
}

std::string cost_section(const PageData& page) {
  const auto origin = origin_of(page.dataset, page.report.split);
  std::string html;
  if (origin.loss && !origin.loss->worst.empty()) {
    std::vector<std::int64_t> rows;
    std::string list;
    for (const auto& sample : origin.loss->worst) {
      rows.push_back(sample.row);
      list +=
          "<li>" + sample_title(page.reported(), sample.row) + formatted(": %.3f steps", sample.rms_steps) + "</li>\n";
    }
    html = "<h3>Samples with the largest error</h3>\n" +
           picture_of_samples(page.reported(), rows, "samples with the largest quantization error") +
           "\n<p class=\"lead\">Root mean square error, in steps of the 8-bit range; rounding alone gives 0.289.</p>\n"
           "<ol>\n" +
           list + "</ol>\n";
  }
  return section("cost", "What it cost", "Values: " + escaped(certificate_text(page.report.certificate)) + ".", html);
}

std::string speed_section(const PageData& page) {
  if (!page.report.gather && page.options.loaders.empty()) return "";
  std::string html, lead = "Not timed: the split is too small.";
  if (page.report.gather) {
    const GatherSpeed& speed = *page.report.gather;
    const double rate = static_cast<double>(speed.moved_bytes) / speed.median_seconds;
    html += bar_chart(
        {{"memory copy", speed.copy_bytes_per_second, formatted("%.1f GB/s", speed.copy_bytes_per_second / 1e9)},
         {"gather", rate, formatted("%.1f GB/s", rate / 1e9), true}});
    lead = escaped(page.report.device_name) + ": batches of " + format_count(speed.batch_size) + ", " +
           format_count(static_cast<std::int64_t>(speed.images_per_second())) +
           " images/s gathered, dequantized and normalized, at " + describe_fraction(speed) + " of the same bytes" +
           (speed.fits_cache ? " in the cache." : ".");
  }
  if (!page.options.loaders.empty()) {
    std::vector<Bar> bars;
    for (const LoaderSpeed& loader : page.options.loaders) {
      bars.push_back({escaped(loader.name), loader.images_per_second,
                      format_count(static_cast<std::int64_t>(loader.images_per_second)) + " images/s",
                      &loader == page.options.loaders.data()});
    }
    html += "<h3>Loaders</h3>\n" + bar_chart(bars);
  }
  if (!page.options.missing_loader.empty()) html += "<p>" + escaped(page.options.missing_loader) + "</p>\n";
  return section("speed", "How fast", lead, html);
}

std::string devices_section(const PageData& page) {
  PlanOptions options;
  options.split = page.report.split;
  options.device = Device::parse(page.report.device);
  options.estimated_samples = kEstimatedSamples;
  const Plan planned = plan(page.dataset, options);
  const auto percent = [](double share) { return formatted("%.0f %%", 100 * share); };
  std::vector<std::string> columns = {"Device", "Memory", "As float32", "As " + planned.forms.back().name};
  for (const PlannedRepack& repack : planned.repacks) columns.push_back("Repacked as " + repack.form.name);
  columns.insert(columns.end(), {"Residency", "Largest batch"});
  std::vector<std::vector<std::string>> rows;
  for (const PlannedDevice& device : planned.well_known) {
    const bool fits = device.largest_batch > 0;
    std::vector<std::string>& row = rows.emplace_back();
    row = {escaped(device.name), format_bytes(device.memory_bytes), percent(device.float32_share),
           percent(device.packed_share)};
    for (const double share : device.repacked_shares) row.push_back(percent(share));
    row.push_back(fits ? to_string(device.residency) : "none");
    row.push_back(fits ? format_count(device.largest_batch) : "none");
  }
  return section("devices", "What fits",
                 "Share of " + escaped(page.report.split) +
                     " that fits in the memory of well-known GPUs, a fifth of it kept for the model. Computed; "
                     "<code>octavo plan</code> takes a model into account.",
                 table(columns, rows));
}

}  // namespace octavo::report::page
