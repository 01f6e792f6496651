// What became of many cases of one kind: counted, the failures listed, and noted for the table of tools/soak.sh.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace octavo::test {

/// Counts cases, and failures among them; a run goes on after a failure, to see how many there are. At its end it
/// prints a line, and appends it to the file that OCTAVO_FAULTS_FIGURES names.
class Tally {
 public:
  /// `what` names the cases in a few words, or is empty if nobody is to be told of them; `is_random`: a seed belongs to
  /// them.
  explicit Tally(std::string what, bool is_random = false);
  ~Tally();
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  /// One more case; `problem` is empty if it went well.
  void add(const std::string& problem);
  /// Whether there is time for another one.
  bool has_time() const;
  /// Something else that is to be told beside the name.
  void set_note(std::string note) { note_ = std::move(note); }
  std::int64_t count() const { return count_; }
  /// The first of the failures; to be compared with an empty list.
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

/// What a tally's failures are to be.
inline const std::vector<std::string> kNone = {};

}  // namespace octavo::test
