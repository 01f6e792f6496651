// Measures everything in the report, in an order in which no measurement disturbs another.
#include <octavo/report.hpp>

#include <algorithm>
#include <cstdio>

#include <octavo/errors.hpp>

#include "report/certificate.hpp"
#include "report/origin.hpp"

namespace octavo {
namespace {

std::string normalization_of(const Store& store) {
  char mean[32];
  std::snprintf(mean, sizeof mean, "%.6g", pooled_mean(store.statistics()));
  return describe(BatchSpec{}) + ", mean " + mean + " of split " + store.statistics_split();
}

std::optional<TrainingFootprint> footprint(const MemoryReport& report, std::optional<std::int64_t> model_bytes) {
  if (!model_bytes) return std::nullopt;
  TrainingFootprint footprint;
  footprint.sample_bytes = report.residencies.back().computed_bytes;
  footprint.batch_bytes = report.residencies.back().batch_buffer_bytes;
  footprint.model_bytes = *model_bytes;
  footprint.float32_bytes = report.residencies.front().computed_bytes;
  return footprint;
}

/// Measures everything that needs the samples on the device. measure_packed() runs later: it must start without them.
void measure_on_device(const Split& split, Device device, const ReportOptions& options, MemoryReport& report) {
  LoadOptions load;
  load.on_progress = options.on_progress;
  load.residency = Residency::device;
  const Store store = Store::load(split, device, load);
  report.residencies = measure_decoded(store, options.batch_size);
  try {
    if (can_time_gathers(store)) report.gather = time_gathers(store, {}, options.batch_size);
  } catch (const OutOfMemory&) {
    // There is no room for a batch and a copy of it; everything else can be reported.
  }
  report.normalization = normalization_of(store);
}

}  // namespace

MemoryReport measure_report(const Dataset& dataset, const ReportOptions& options) {
  if (options.batch_size < 1) {
    throw InvalidArgument("measure a report: batch_size is " + std::to_string(options.batch_size) +
                          "; it must be at least 1");
  }
  const Split split = options.split.empty() ? dataset.training_split() : dataset.split(options.split);
  const Device device = chosen(options.device);
  MemoryReport report;
  report.file = dataset.path().string();
  report.split = split.name();
  report.device = to_string(device);
  report.device_name = device_name(device);
  report.sample_count = split.sample_count();
  report.shape = to_string(split.shape());
  report.file_bytes = dataset.file_bytes();
  measure_on_device(split, device, options, report);
  report.residencies.push_back(measure_packed(split, device, report.residencies.front().batch_buffer_bytes));
  report.training = footprint(report, options.model_bytes);
  const report::Origin origin = report::origin_of(dataset, split.name());
  report.source_bytes = report::bytes_of_files(origin);
  report.certificate = report::certify(split, origin);
  return report;
}

}  // namespace octavo
