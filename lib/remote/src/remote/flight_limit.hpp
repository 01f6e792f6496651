// How many requests are sent at a time.
#pragma once

#include <cstdint>

namespace octavo::remote {

/// Climbs to the number of requests in flight with the most bytes per second: it changes the number a little, and goes
/// on in this direction while that helps. Halves it when the server asks for fewer requests.
class FlightLimit {
 public:
  /// `fixed` > 0: always that many.
  explicit FlightLimit(int fixed);

  int value() const { return value_; }
  /// Adds what was measured while all `value()` requests were in flight and others waited.
  void add(std::int64_t bytes, std::int64_t requests, double seconds);
  /// The server answered that there are too many requests, or it failed.
  void reduce();

 private:
  void judge(double bytes_per_second);
  void begin_window();

  bool is_fixed_;
  int value_;
  int direction_ = 1;
  double best_ = 0;  ///< bytes per second of the window before; 0: none
  std::int64_t bytes_ = 0, requests_ = 0;
  double seconds_ = 0;
};

}  // namespace octavo::remote
