#include "results.hpp"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace octavo::bench {
namespace {

nlohmann::ordered_json json_of(const Figure& figure) {
  return std::visit([](const auto& value) { return nlohmann::ordered_json(value); }, figure);
}

}  // namespace

Results::Results(const std::string& benchmark, int argc, char** argv)
    : document_(std::make_unique<nlohmann::ordered_json>()) {
  note("benchmark", benchmark);
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--json") json_path_ = argv[i + 1];
  }
}

Results::~Results() { write(); }

void Results::note(const std::string& key, const Figure& value) { (*document_)[key] = json_of(value); }

void Results::section(const std::string& name) {
  write();
  section_ = name;
  std::printf("\n%s\n  %-44s %11s %9s %8s %s\n", name.c_str(), "", "time", "GB/s", "spread", "of the reference");
}

void Results::add_time(const Measurement& measurement, double reference) {
  const double fraction = reference / measurement.median_seconds;
  std::printf("  %-44s %8.3f ms %9s %7.1f%% %.3f\n", measurement.name.c_str(), measurement.median_seconds * 1e3, "",
              measurement.spread * 100, fraction);
  (*document_)["rows"].push_back({{"section", section_},
                                  {"name", measurement.name},
                                  {"median_seconds", measurement.median_seconds},
                                  {"spread", measurement.spread},
                                  {"fraction_of_reference", fraction}});
}

void Results::add(const Measurement& measurement, double reference,
                  const std::vector<std::pair<std::string, Figure>>& more) {
  const double fraction = measurement.bytes_per_second() / reference;
  std::printf("  %-44s %8.3f ms %9.2f %7.1f%% %.3f\n", measurement.name.c_str(), measurement.median_seconds * 1e3,
              measurement.bytes_per_second() / 1e9, measurement.spread * 100, fraction);
  (*document_)["rows"].push_back({{"section", section_},
                                  {"name", measurement.name},
                                  {"moved_bytes", measurement.moved_bytes},
                                  {"median_seconds", measurement.median_seconds},
                                  {"spread", measurement.spread},
                                  {"bytes_per_second", measurement.bytes_per_second()},
                                  {"fraction_of_reference", fraction}});
  for (const auto& [key, value] : more) (*document_)["rows"].back()[key] = json_of(value);
}

void Results::write() const {
  if (!json_path_.empty()) std::ofstream(json_path_) << document_->dump(2) << '\n';
}

}  // namespace octavo::bench
