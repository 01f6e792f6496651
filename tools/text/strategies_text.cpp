#include "text/strategies_text.hpp"

#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>
#include <optional>

#include "text/human_units.hpp"
#include "text/text_table.hpp"

namespace octavo::tools {
namespace {

std::string format_checksum(std::uint64_t checksum) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(checksum));
  return text;
}

std::string percent(std::optional<double> share) { return share ? format_fixed(100 * *share, 0) + " %" : ""; }

/// "SB int8, file, 6,000 x 512".
std::string name_of(const StrategySpeed& speed) {
  return speed.name + " " + speed.form + ", " + speed.source + ", " + format_count(speed.macro_samples) + " x " +
         format_count(speed.micro_samples);
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

double or_nan(const std::optional<double>& value) { return value.value_or(std::numeric_limits<double>::quiet_NaN()); }

}  // namespace

void print_strategies(const StrategyComparison& comparison) {
  std::cout << comparison.file << ", split " << comparison.split << ": " << counted(comparison.sample_count, "sample")
            << " of " << comparison.shape << ", on " << comparison.device << " (" << comparison.device_name << ")\n\n";
  TextTable table("llllrrrrrlr");
  table.add_row(
      {"way", "form", "source", "order", "window", "epoch", "images/s", "moved", "on device", "checksum", "busy"});
  for (const StrategySpeed& speed : comparison.strategies) {
    table.add_row({speed.name, speed.form, speed.source, speed.order, format_count(speed.macro_samples),
                   format_seconds(speed.seconds), format_count(std::llround(speed.images_per_second)),
                   format_bytes(speed.moved_bytes), format_bytes(speed.resident_bytes), format_checksum(speed.checksum),
                   percent(speed.busy_share)});
  }
  table.print(std::cout, "  ");
  std::cout
      << "SA: all samples resident. SB: windows of this many samples. IN: streamed batch by batch. Batch size "
      << format_count(comparison.strategies.front().micro_samples)
      << ".\nTimes are medians of whole epochs. Rows with the same order have the same checksum (checked first).\n";
  if (comparison.model_seconds) {
    std::cout << "busy: the share of a training epoch (an MLP with 256 hidden units; "
              << format_seconds(*comparison.model_seconds) << " without loading) that is not spent loading.\n";
  }
}

Json as_json(const StrategyComparison& comparison) {
  Json strategies = Json::array();
  for (const StrategySpeed& speed : comparison.strategies) {
    strategies.push_back({{"name", speed.name},
                          {"form", speed.form},
                          {"source", speed.source},
                          {"order", speed.order},
                          {"macro_samples", speed.macro_samples},
                          {"micro_samples", speed.micro_samples},
                          {"seconds", speed.seconds},
                          {"spread", speed.spread},
                          {"images_per_second", speed.images_per_second},
                          {"moved_bytes", speed.moved_bytes},
                          {"resident_bytes", speed.resident_bytes},
                          {"checksum", format_checksum(speed.checksum)},
                          {"train_seconds", or_null(speed.train_seconds)},
                          {"busy_share", or_null(speed.busy_share)}});
  }
  return {{"file", comparison.file},
          {"split", comparison.split},
          {"device", comparison.device},
          {"device_name", comparison.device_name},
          {"sample_count", comparison.sample_count},
          {"shape", comparison.shape},
          {"model_seconds", or_null(comparison.model_seconds)},
          {"strategies", strategies}};
}

Chart chart_of(const StrategyComparison& comparison) {
  Chart chart;
  chart.title = comparison.shape + ", " + comparison.device_name + ": one epoch of each strategy";
  chart.x_label = "million images/s";
  chart.series = {{"loading only", {}}, {"training", {}}};
  for (const StrategySpeed& speed : comparison.strategies) {
    chart.names.push_back(name_of(speed));
    chart.series[0].values.push_back(speed.images_per_second / 1e6);
    chart.series[1].values.push_back(speed.train_seconds
                                         ? static_cast<double>(comparison.sample_count) / *speed.train_seconds / 1e6
                                         : std::numeric_limits<double>::quiet_NaN());
  }
  if (!comparison.model_seconds) chart.series.pop_back();
  return chart;
}

void print_batch_sizes(const BatchSizeComparison& comparison) {
  std::cout << comparison.file << ", split " << comparison.split << ", on " << comparison.device << " ("
            << comparison.device_name << "), " << comparison.blas << "\nmatrix products of [batch, "
            << format_count(comparison.values) << "] and [" << format_count(comparison.values) << ", "
            << format_count(comparison.units) << "] in GFLOP/s\n\n";
  TextTable table("rrrrrr");
  table.add_row({"batch", "images/s loaded", "by element", "by column", "in blocks", "whole"});
  for (const BatchSizeSpeed& speed : comparison.sizes) {
    const auto optional = [](const std::optional<double>& value) { return value ? format_fixed(*value, 2) : "-"; };
    table.add_row({format_count(speed.batch_size), format_count(std::llround(speed.images_per_second)),
                   optional(speed.by_element_gflops), format_fixed(speed.by_column_gflops, 2),
                   optional(speed.in_blocks_gflops), format_fixed(speed.whole_gflops, 2)});
  }
  table.print(std::cout, "  ");
  std::cout
      << "by element: one dot product per output value. by column: one matrix-vector product per sample. in blocks:\n"
         "plain loops over blocks that stay in the cache. whole: one BLAS call.\n";
}

Json as_json(const BatchSizeComparison& comparison) {
  Json sizes = Json::array();
  for (const BatchSizeSpeed& speed : comparison.sizes) {
    sizes.push_back({{"batch_size", speed.batch_size},
                     {"images_per_second", speed.images_per_second},
                     {"by_element_gflops", or_null(speed.by_element_gflops)},
                     {"by_column_gflops", speed.by_column_gflops},
                     {"in_blocks_gflops", or_null(speed.in_blocks_gflops)},
                     {"whole_gflops", speed.whole_gflops}});
  }
  return {{"file", comparison.file},     {"split", comparison.split},
          {"device", comparison.device}, {"device_name", comparison.device_name},
          {"blas", comparison.blas},     {"values", comparison.values},
          {"units", comparison.units},   {"sizes", sizes}};
}

Chart chart_of(const BatchSizeComparison& comparison) {
  Chart chart;
  chart.title = comparison.device_name + ": one matrix product, by batch size";
  chart.x_label = "GFLOP/s; million images/s";
  chart.is_line = true;
  chart.series = {{"by element", {}}, {"by column", {}}, {"in blocks", {}}, {"whole (BLAS)", {}}, {"loading", {}}};
  for (const BatchSizeSpeed& speed : comparison.sizes) {
    chart.names.push_back(std::to_string(speed.batch_size));
    chart.series[0].values.push_back(or_nan(speed.by_element_gflops));
    chart.series[1].values.push_back(speed.by_column_gflops);
    chart.series[2].values.push_back(or_nan(speed.in_blocks_gflops));
    chart.series[3].values.push_back(speed.whole_gflops);
    chart.series[4].values.push_back(speed.images_per_second / 1e6);
  }
  return chart;
}

}  // namespace octavo::tools
