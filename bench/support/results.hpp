// Results of a benchmark: a table for people, JSON for machines.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "measure.hpp"

namespace octavo::bench {

using Figure = std::variant<std::int64_t, double, std::string>;

/// Collects rows and prints each one when it is added.
class Results {
 public:
  /// `argv` may contain a file for the JSON: --json FILE.
  Results(const std::string& benchmark, int argc, char** argv);
  ~Results();
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  void note(const std::string& key, const Figure& value);

  /// A heading for the following rows. Also writes the rows so far, so that they survive if the benchmark is stopped.
  void section(const std::string& name);
  /// One measurement of an operation that moves few bytes; `reference` is in seconds.
  void add_time(const Measurement& measurement, double reference);
  /// One measurement; `reference` is in bytes per second, `more` are additional figures.
  void add(const Measurement& measurement, double reference,
           const std::vector<std::pair<std::string, Figure>>& more = {});

 private:
  void write() const;

  // Behind a pointer, since compiling the JSON library takes longer than most benchmarks.
  std::unique_ptr<nlohmann::ordered_json> document_;
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
