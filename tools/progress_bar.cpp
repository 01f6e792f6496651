#include "progress_bar.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "interruption.hpp"
#include "text/human_units.hpp"

namespace octavo::tools {
namespace {

/// A stage that ends sooner writes no lines.
constexpr auto kFirstLineAfter = std::chrono::seconds(1);
constexpr auto kDrawingInterval = std::chrono::milliseconds(100);
constexpr std::size_t kWidestBar = 30;

/// The fraction of the stage that is done, 0 ... 1: by samples, or by bytes if samples are not counted.
double done_share(const Progress& progress) {
  const bool by_samples = progress.total_samples > 0;
  const std::int64_t total = by_samples ? progress.total_samples : progress.total_bytes;
  const std::int64_t done = by_samples ? progress.done_samples : progress.done_bytes;
  return total > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0) : 0.0;
}

std::size_t terminal_columns() {
  winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string percent(double share) { return std::to_string(static_cast<int>(share * 100.0)) + " %"; }

}  // namespace

ProgressBar::ProgressBar(bool is_quiet, std::function<Clock::time_point()> now) : now_(std::move(now)) {
  style_ = is_quiet ? Style::none : ::isatty(STDERR_FILENO) != 0 ? Style::bar : Style::lines;
}

ProgressBar::~ProgressBar() { erase_bar(); }

ProgressFunction ProgressBar::function() {
  return [this](const Progress& progress) {
    throw_if_interrupted();
    if (style_ != Style::none) show(progress);
  };
}

void ProgressBar::show(const Progress& progress) {
  if (progress.stage != stage_) begin(progress);
  if (style_ == Style::lines) {
    print_line(progress);
  } else {
    draw_bar(progress);
  }
}

void ProgressBar::begin(const Progress& progress) {
  stage_ = progress.stage;
  stage_start_ = now_();
  start_share_ = done_share(progress);
  start_bytes_ = progress.done_bytes;
  next_drawing_ = stage_start_;
  shown_tenths_ = 0;
}

void ProgressBar::print_line(const Progress& progress) {
  const double share = done_share(progress);
  const auto tenths = static_cast<std::int64_t>(share * 10.0);
  if (tenths <= shown_tenths_ || now_() < stage_start_ + kFirstLineAfter) return;
  shown_tenths_ = tenths;
  const std::string rest = rate_and_rest(progress);
  std::fprintf(stderr, "octavo: %s: %s%s%s\n", stage_.c_str(), percent(share).c_str(), rest.empty() ? "" : ", ",
               rest.c_str());
}

void ProgressBar::draw_bar(const Progress& progress) {
  const auto now = now_();
  if (now < next_drawing_) return;
  next_drawing_ = now + kDrawingInterval;

  const double share = done_share(progress);
  std::string line = stage_ + " " + percent(share) + " ";
  const std::string rest = " " + rate_and_rest(progress);
  const std::size_t columns = terminal_columns();
  if (line.size() + rest.size() + 12 < columns) {
    const std::size_t width = std::min(kWidestBar, columns - line.size() - rest.size() - 3);
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
    line += "[" + std::string(filled, '#') + std::string(width - filled, ' ') + "]";
  }
  line = (line + rest).substr(0, columns - 1);
  // Return to the beginning of the line and erase it.
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
  has_bar_ = true;
}

std::string ProgressBar::rate_and_rest(const Progress& progress) const {
  const double elapsed = std::chrono::duration<double>(now_() - stage_start_).count();
  const double share = done_share(progress);
  const std::int64_t bytes = progress.done_bytes - start_bytes_;
  std::string text;
  if (bytes > 0 && elapsed > 0.05) text = format_rate(static_cast<double>(bytes) / elapsed);
  if (share > start_share_ && share < 1 && elapsed > 0.5) {
    text += (text.empty() ? "" : ", ") + format_seconds(elapsed * (1.0 - share) / (share - start_share_)) + " left";
  }
  return text;
}

void ProgressBar::erase_bar() {
  if (!has_bar_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  has_bar_ = false;
}

}  // namespace octavo::tools
