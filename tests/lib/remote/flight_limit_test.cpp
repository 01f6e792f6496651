// The number of requests in flight.
#include <algorithm>

#include "catch.hpp"
#include "remote/flight_limit.hpp"

using namespace octavo::remote;

namespace {

/// Runs 200 windows of a server with this throughput, and returns the mean limit of the last 100.
template <typename BytesPerSecond>
double mean_limit(const BytesPerSecond& bytes_per_second) {
  FlightLimit limit(0);
  double sum = 0;
  for (int window = 0; window < 200; ++window) {
    REQUIRE(limit.value() >= 4);
    REQUIRE(limit.value() <= 256);
    if (window >= 100) sum += limit.value();
    limit.add(static_cast<std::int64_t>(bytes_per_second(limit.value())), 2 * limit.value(), 1.0);
  }
  return sum / 100;
}

}  // namespace

TEST_CASE("more requests are sent while that helps", "[unit][remote]") {
  CHECK(mean_limit([](int requests) { return 1e6 * requests; }) > 48);  // only latency counts
}

TEST_CASE("a network that is full gets no more requests", "[unit][remote]") {
  CHECK(mean_limit([](int requests) { return 1e6 * std::min(requests, 12); }) < 24);
  // One that gets slower with more than 20.
  CHECK(mean_limit([](int requests) { return 1e6 * std::min(requests, 40 - requests); }) < 28);
}

TEST_CASE("a server that asks for fewer requests gets fewer", "[unit][remote]") {
  FlightLimit limit(0);
  CHECK(limit.value() == 16);
  limit.reduce();
  CHECK(limit.value() == 8);
  for (int i = 0; i < 5; ++i) limit.reduce();
  CHECK(limit.value() == 4);
}

TEST_CASE("a chosen number of requests stays", "[unit][remote]") {
  FlightLimit limit(3);
  limit.add(1'000'000, 1000, 10);
  limit.reduce();
  CHECK(limit.value() == 3);
}
