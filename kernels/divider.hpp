// Division: rounded up, or exact by a shared divisor, as a multiplication.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/intrinsics.hpp"

namespace octavo::kernels {

/// Divides numbers below 2^31 exactly by `divisor`, 1 to 2^31 - 1. Let s be the least number with divisor <= 2^s, and
/// m = ceil(2^(31+s) / divisor) < 2^32. Then m * divisor exceeds 2^(31+s) by less than 2^s, so n * m / 2^(31+s) exceeds
/// n / divisor by less than 1 / divisor.
class Divider {
 public:
  Divider() = default;
  explicit Divider(std::int64_t divisor) : divisor_(static_cast<std::uint32_t>(divisor)) {
    while ((std::uint64_t{1} << (shift_ - 31)) < divisor_) ++shift_;
    factor_ = static_cast<std::uint32_t>(((std::uint64_t{1} << shift_) + divisor_ - 1) / divisor_);
  }

  OCTAVO_HOST_DEVICE std::uint32_t quotient(std::uint32_t n) const {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(n) * factor_) >> shift_);
  }
  OCTAVO_HOST_DEVICE std::uint32_t remainder(std::uint32_t n) const { return n - quotient(n) * divisor_; }
  OCTAVO_HOST_DEVICE std::uint32_t divisor() const { return divisor_; }

 private:
  std::uint32_t divisor_ = 1;
  std::uint32_t factor_ = 1u << 31;
  unsigned shift_ = 31;
};

/// The same for numbers and divisors below 2^15, without a constructor, so that it can be in shared memory. The factor
/// is ceil(2^31 / divisor), so factor * divisor exceeds 2^31 by less than 2^15.
struct SmallDivider {
  std::uint32_t divisor, factor;

  OCTAVO_HOST_DEVICE std::uint32_t quotient(std::uint32_t n) const { return multiply_high(2 * n, factor); }
};
OCTAVO_HOST_DEVICE inline SmallDivider small_divider(std::uint32_t divisor) {
  return {divisor, ((1u << 31) + divisor - 1) / divisor};
}

/// ceil(a / b), for a >= 0 and b > 0, on the host.
constexpr std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace octavo::kernels
