#include "text/train_text.hpp"

#include <cmath>
#include <iostream>

#include "text/human_units.hpp"
#include "text/text_table.hpp"

namespace octavo::tools {
namespace {

std::string accuracy_text(double share) { return format_fixed(100.0 * share, 2) + " %"; }

/// A loss may become infinite or NaN, which JSON cannot represent.
Json finite(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }

std::string describe_overhead(const ResidencyComparison& comparison) {
  const auto percent = comparison.overhead_percent;
  if (!percent) return "epochs: too short to compare";
  return "an int8 epoch takes " + format_fixed(std::abs(*percent), 1) +
         (*percent < 0 ? " % less time" : " % more time");
}

std::string last_accuracy(const TrainResult& result) {
  if (result.epochs.empty()) return "-";
  const EpochResult& last = result.epochs.back();
  return last.test_accuracy ? accuracy_text(*last.test_accuracy) : accuracy_text(last.train_accuracy);
}

Json epoch_as_json(const EpochResult& epoch) {
  Json json = {{"epoch", epoch.epoch},
               {"mean_loss", finite(epoch.mean_loss)},
               {"train_accuracy", epoch.train_accuracy},
               {"seconds", epoch.seconds},
               {"images_per_second", finite(epoch.images_per_second)},
               {"fingerprint", epoch.fingerprint}};
  if (epoch.test_accuracy) json["test_accuracy"] = *epoch.test_accuracy;
  return json;
}

}  // namespace

void print_epoch(const EpochResult& result, const std::string& evaluated_split, const std::string& residency) {
  if (!residency.empty()) std::cout << residency << "  ";
  std::cout << "epoch " << result.epoch << "  loss " << format_fixed(result.mean_loss, 4) << "  train "
            << accuracy_text(result.train_accuracy);
  if (result.test_accuracy) std::cout << "  " << evaluated_split << " " << accuracy_text(*result.test_accuracy);
  std::cout << "  " << format_seconds(result.seconds);
  if (std::isfinite(result.images_per_second)) {
    std::cout << "  " << format_count(std::llround(result.images_per_second)) << " images/s";
  }
  std::cout << "  fingerprint " << result.fingerprint;
  std::cout << std::endl;
}

void print_result(const TrainResult& result, const std::string& evaluated_split) {
  if (result.epochs.empty()) return;
  const bool has_test = result.epochs.back().test_accuracy.has_value();
  std::cout << "\n"
            << (has_test ? evaluated_split : "train") << " accuracy " << last_accuracy(result) << " after "
            << counted(static_cast<std::int64_t>(result.epochs.size()), "epoch") << ", "
            << format_seconds(result.median_epoch_seconds()) << " per epoch (median)\n"
            << "memory: samples " << format_bytes(result.memory.samples) << ", batches "
            << format_bytes(result.memory.batches) << ", model " << format_bytes(result.memory.model) << "; total "
            << format_bytes(result.memory.total()) << '\n'
            << "matrix products by " << result.blas << '\n';
}

void print_comparison(const ResidencyComparison& comparison) {
  TextTable table("lrr");
  const auto add_row = [&](const std::string& what, const auto& cell) {
    table.add_row({what, cell(comparison.int8), cell(comparison.float32)});
  };
  table.add_row({"", "int8", "float32"});
  add_row("samples", [](const TrainResult& result) { return format_bytes(result.memory.samples); });
  add_row("batches", [](const TrainResult& result) { return format_bytes(result.memory.batches); });
  add_row("model", [](const TrainResult& result) { return format_bytes(result.memory.model); });
  add_row("total", [](const TrainResult& result) { return format_bytes(result.memory.total()); });
  add_row("median epoch", [](const TrainResult& result) { return format_seconds(result.median_epoch_seconds()); });
  add_row("accuracy", &last_accuracy);
  std::cout << '\n';
  table.print(std::cout);
  std::cout << "losses of all batches: " << (comparison.identical_losses ? "bitwise identical" : "NOT identical")
            << "; " << describe_overhead(comparison) << "\nmatrix products by " << comparison.int8.blas << '\n';
}

Json as_json(const TrainResult& result) {
  Json epochs = Json::array();
  for (const EpochResult& epoch : result.epochs) epochs.push_back(epoch_as_json(epoch));
  return {{"epochs", epochs},
          {"median_epoch_seconds", result.median_epoch_seconds()},
          {"memory",
           {{"samples", result.memory.samples},
            {"batches", result.memory.batches},
            {"model", result.memory.model},
            {"total", result.memory.total()}}},
          {"blas", result.blas}};
}

Json as_json(const ResidencyComparison& comparison) {
  const auto percent = comparison.overhead_percent;
  return {{"int8", as_json(comparison.int8)},
          {"float32", as_json(comparison.float32)},
          {"identical_losses", comparison.identical_losses},
          {"overhead_percent", percent ? Json(*percent) : Json(nullptr)}};
}

}  // namespace octavo::tools
