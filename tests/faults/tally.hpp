// Counts many cases of one kind, lists the failures, and records the totals for the table of tools/soak.sh.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace octavo::test {

/// Counts cases and failures. A run continues after a failure, to count them all. The destructor prints a summary line
/// and appends the totals to the file that OCTAVO_FAULTS_FIGURES names.
class Tally {
 public:
  /// `what` describes the cases in a few words; if it is empty, nothing is reported. `is_random`: the report includes
  /// the seed.
  explicit Tally(std::string what, bool is_random = false);
  ~Tally();
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  /// Adds a case; `problem` is empty on success.
  void add(const std::string& problem);
  /// Whether there is time for another case.
  bool has_time() const;
  /// Adds a note to the report, after the description.
  void set_note(std::string note) { note_ = std::move(note); }
  std::int64_t count() const { return count_; }
  /// The first failures, to compare with kNone.
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  double elapsed_seconds() const;
  std::string what_;
  std::string note_;
  bool is_random_;
  std::int64_t count_ = 0;
  std::int64_t failure_count_ = 0;
  std::vector<std::string> failures_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// The expected failures: none.
inline const std::vector<std::string> kNone = {};

}  // namespace octavo::test
