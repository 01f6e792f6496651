#include "remote/flight_limit.hpp"

#include <algorithm>

namespace octavo::remote {
namespace {

constexpr int kFirstLimit = 16, kLeastLimit = 4, kMostLimit = 256;
/// A window ends after this time and this many rounds of requests, so that it is longer than one of them takes.
constexpr double kWindowSeconds = 0.1;
constexpr std::int64_t kWindowRounds = 2;
/// Less than this is noise.
constexpr double kNotableGain = 0.05;

}  // namespace

FlightLimit::FlightLimit(int fixed) : is_fixed_(fixed > 0), value_(fixed > 0 ? fixed : kFirstLimit) {}

void FlightLimit::add(std::int64_t bytes, std::int64_t requests, double seconds) {
  if (is_fixed_) return;
  bytes_ += bytes;
  requests_ += requests;
  seconds_ += seconds;
  if (seconds_ < kWindowSeconds || requests_ < kWindowRounds * value_) return;
  judge(static_cast<double>(bytes_) / seconds_);
  begin_window();
}

void FlightLimit::reduce() {
  if (is_fixed_) return;
  value_ = std::max(kLeastLimit, value_ / 2);
  direction_ = 1;
  best_ = 0;
  begin_window();
}

void FlightLimit::judge(double bytes_per_second) {
  const bool is_first = best_ == 0;
  const bool is_better = bytes_per_second > best_ * (1 + kNotableGain);
  const bool is_worse = bytes_per_second < best_ * (1 - kNotableGain);
  // Without a difference, fewer requests are better: they leave the server and the memory to others.
  if (!is_first && direction_ > 0 && !is_better)
    direction_ = -1;
  else if (!is_first && direction_ < 0 && is_worse)
    direction_ = 1;
  best_ = bytes_per_second;
  const int step = std::max(1, direction_ > 0 ? value_ / 4 : value_ / 8);
  value_ = std::clamp(value_ + direction_ * step, kLeastLimit, kMostLimit);
  if (value_ == kMostLimit) direction_ = -1;
  if (value_ == kLeastLimit) direction_ = 1;
}

void FlightLimit::begin_window() {
  bytes_ = requests_ = 0;
  seconds_ = 0;
}

}  // namespace octavo::remote
