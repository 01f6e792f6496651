// Shows the progress of a long-running call: a bar on a terminal, elsewhere a line every 10 %
// after the first second.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <octavo/progress.hpp>
#include <string>

namespace octavo::tools {

/// Shows progress on stderr during its lifetime, and leaves no bar behind. It also interrupts the work: its function
/// throws Interrupted after a signal.
class ProgressBar {
 public:
  using Clock = std::chrono::steady_clock;

  /// `now` is the clock; tests pass their own.
  explicit ProgressBar(bool is_quiet, std::function<Clock::time_point()> now = &Clock::now);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// For the options of a library call. Valid during the lifetime of this object.
  ProgressFunction function();

 private:
  enum class Style { none, lines, bar };

  void show(const Progress& progress);
  void begin(const Progress& progress);
  void print_line(const Progress& progress);
  void draw_bar(const Progress& progress);
  /// "310.2 MiB/s, 5 s left"; parts that are not known yet are left out.
  std::string rate_and_rest(const Progress& progress) const;
  void erase_bar();

  std::function<Clock::time_point()> now_;
  Style style_;
  std::string stage_;
  Clock::time_point stage_start_;
  double start_share_ = 0.0;      ///< already done when the stage began, for example of a resumed download
  std::int64_t start_bytes_ = 0;  ///< the same in bytes
  Clock::time_point next_drawing_;
  std::int64_t shown_tenths_ = 0;  ///< of the stage, as lines
  bool has_bar_ = false;           ///< on the terminal's last line
};

}  // namespace octavo::tools
