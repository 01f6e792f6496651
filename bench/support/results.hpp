// Results of a benchmark: a table for people, JSON for machines.
#pragma once

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "measure.hpp"

namespace octavo::bench {

/// Collects rows and prints each one when it is added.
class Results {
 public:
  /// `argv` may contain a file for the JSON: --json FILE.
  Results(const std::string& benchmark, int argc, char** argv) {
    document_["benchmark"] = benchmark;
    for (int i = 1; i + 1 < argc; ++i) {
      if (std::string(argv[i]) == "--json") json_path_ = argv[i + 1];
    }
  }
  ~Results() { write(); }
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  void note(const std::string& key, const nlohmann::ordered_json& value) { document_[key] = value; }

  /// A heading for the following rows. Also writes the rows so far, so that they survive if the benchmark is stopped.
  void section(const std::string& name) {
    write();
    section_ = name;
    std::printf("\n%s\n  %-44s %11s %9s %8s %s\n", name.c_str(), "", "time", "GB/s", "spread", "of the reference");
  }
  /// One measurement of an operation that moves few bytes; `reference` is in seconds.
  void add_time(const Measurement& measurement, double reference) {
    const double fraction = reference / measurement.median_seconds;
    std::printf("  %-44s %8.3f ms %9s %7.1f%% %.3f\n", measurement.name.c_str(), measurement.median_seconds * 1e3, "",
                measurement.spread * 100, fraction);
    document_["rows"].push_back({{"section", section_},
                                 {"name", measurement.name},
                                 {"median_seconds", measurement.median_seconds},
                                 {"spread", measurement.spread},
                                 {"fraction_of_reference", fraction}});
  }
  /// One measurement; `reference` is in bytes per second, `more` is an object with additional figures.
  void add(const Measurement& measurement, double reference, const nlohmann::ordered_json& more = {}) {
    const double fraction = measurement.bytes_per_second() / reference;
    std::printf("  %-44s %8.3f ms %9.2f %7.1f%% %.3f\n", measurement.name.c_str(), measurement.median_seconds * 1e3,
                measurement.bytes_per_second() / 1e9, measurement.spread * 100, fraction);
    document_["rows"].push_back({{"section", section_},
                                 {"name", measurement.name},
                                 {"moved_bytes", measurement.moved_bytes},
                                 {"median_seconds", measurement.median_seconds},
                                 {"spread", measurement.spread},
                                 {"bytes_per_second", measurement.bytes_per_second()},
                                 {"fraction_of_reference", fraction}});
    if (!more.empty()) document_["rows"].back().update(more);
  }

 private:
  void write() const {
    if (!json_path_.empty()) std::ofstream(json_path_) << document_.dump(2) << '\n';
  }

  nlohmann::ordered_json document_;
  std::string json_path_;
  std::string section_;
};

/// The number after `name` on the command line, or `otherwise`.
inline long option(int argc, char** argv, const std::string& name, long otherwise) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == name) return std::stol(argv[i + 1]);
  }
  return otherwise;
}

/// Throws if results are wrong, since timing wrong results is meaningless.
inline void require(bool is_right, const std::string& what) {
  if (!is_right) throw std::runtime_error(what + ": the results are wrong, so nothing was timed");
}

}  // namespace octavo::bench
