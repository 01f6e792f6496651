// The report as text.
#include <octavo/report.hpp>

#include "report/summary.hpp"
#include "support/text/text_units.hpp"

namespace octavo {
namespace {

std::string head(const MemoryReport& report) {
  const std::string source =
      report.source_bytes ? ", source files still on disk " + format_bytes(*report.source_bytes) : "";
  return summary_line("file", report.file + ", split " + report.split) +
         summary_line("samples", format_count(report.sample_count) + " of " + report.shape) +
         summary_line("on disk", "file " + format_bytes(report.file_bytes) + source) +
         summary_line("device", report.device + ": " + report.device_name) +
         summary_line("batches", report.normalization);
}

std::string residency_row(const ResidencyCost& cost, const ResidencyCost& whole) {
  // Compare measured with measured if both exist, else computed with computed.
  const bool both = cost.measured_bytes && whole.measured_bytes && *whole.measured_bytes > 0;
  const double ratio = both ? static_cast<double>(*cost.measured_bytes) / static_cast<double>(*whole.measured_bytes)
                            : static_cast<double>(cost.computed_bytes) / static_cast<double>(whole.computed_bytes);
  const std::string measured = cost.measured_bytes ? format_bytes(*cost.measured_bytes) : "not measured";
  return formatted("%-14s %12s %13s %11.3f %15s\n", cost.name.c_str(), format_bytes(cost.computed_bytes).c_str(),
                   measured.c_str(), ratio, format_bytes(cost.batch_buffer_bytes).c_str());
}

std::string residency_table(const MemoryReport& report) {
  std::string text =
      formatted("%-14s %12s %13s %11s %15s\n", "kept as", "computed", "measured", "of float32", "batch buffers");
  for (const ResidencyCost& cost : report.residencies) text += residency_row(cost, report.residencies.front());
  const std::string remark = report::remark_on_measuring(report);
  return remark.empty() ? text : text + remark + "\n";
}

std::string gather_lines(const MemoryReport& report) {
  if (!report.gather) return summary_line("gather", "not timed: the split is too small, or the free memory");
  const GatherSpeed& speed = *report.gather;
  const double rate = static_cast<double>(speed.moved_bytes) / speed.median_seconds;
  std::string text =
      summary_line("gather",
                   formatted("%s images/s, batches of %s in %.1f us (spread %.0f %%)",
                             format_count(static_cast<std::int64_t>(speed.images_per_second())).c_str(),
                             format_count(speed.batch_size).c_str(), speed.median_seconds * 1e6, speed.spread * 100)) +
      summary_line("", formatted("%.1f GB/s read and written, ", rate / 1e9) + describe_fraction(speed) +
                           formatted(" (%.1f GB/s)", speed.copy_bytes_per_second / 1e9));
  if (speed.fits_cache) text += summary_line("", "the data fits in the cache, and so does the copy");
  return text;
}

std::string training_line(const MemoryReport& report) {
  if (!report.training) return "";
  const TrainingFootprint& footprint = *report.training;
  return summary_line(
      "training", formatted("the built-in MLP needs %s with int8, %s with float32 samples (computed; model %s)",
                            format_bytes(footprint.total()).c_str(), format_bytes(footprint.float32_total()).c_str(),
                            format_bytes(footprint.model_bytes).c_str()));
}

}  // namespace

std::string to_text(const MemoryReport& report, bool is_verbose) {
  if (!is_verbose) return report::summary(report) + "\n\n" + residency_table(report);
  return report::summary(report) + "\n\n" + head(report) + "\n" + residency_table(report) + "\n" +
         gather_lines(report) + training_line(report) +
         summary_line("values", report::certificate_text(report.certificate));
}

}  // namespace octavo
