// Powers and logarithms from additions, multiplications and divisions alone, each rounded once, so that every machine
// computes the same bits. The functions of the standard libraries differ in their last bits.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/host_device.hpp"

namespace octavo::kernels {

inline constexpr double kLn2 = 0x1.62e42fefa39efp-1;

/// 2^n, for n in [-1022, 1023].
OCTAVO_HOST_DEVICE inline double power_of_two(int n) {
  double power = 1.0;
  for (int i = 0; i < n; ++i) power *= 2.0;
  for (int i = 0; i > n; --i) power *= 0.5;
  return power;
}

/// 2^x to about 15 digits, for x in [-1000, 1000]: with n = floor(x + 1/2) and t = (x - n) * kLn2, the Taylor series of
/// e^t, r = 1 + r * t / k for k from 14 down to 1, times 2^n.
OCTAVO_HOST_DEVICE inline double exact_exp2(double x) {
  const double n = ::floor(x + 0.5);
  const double t = (x - n) * kLn2;
  double r = 1.0;
  for (int k = 14; k >= 1; --k) r = 1.0 + r * t / static_cast<double>(k);
  return r * power_of_two(static_cast<int>(n));
}

/// The logarithm to base 2 of x > 0, to about 15 digits: with x = m * 2^e, m in [3/4, 3/2), and z = (m - 1) / (m + 1),
/// the series s = 1 / k + s * (z * z) for k = 31, 29, ... 1 gives e + 2 * z * s / kLn2.
inline double exact_log2(double x) {
  int e = 0;
  double m = std::frexp(x, &e);  // in [1/2, 1)
  if (m < 0.75) {
    m *= 2.0;
    --e;
  }
  const double z = (m - 1.0) / (m + 1.0);
  double s = 0.0;
  for (int k = 31; k >= 1; k -= 2) s = 1.0 / static_cast<double>(k) + s * (z * z);
  return static_cast<double>(e) + 2.0 * z * s / kLn2;
}

}  // namespace octavo::kernels
