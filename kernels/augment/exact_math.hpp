// Powers and logarithms from additions, multiplications and divisions alone, each rounded once, so that every machine
// computes the same bits. The functions of the standard libraries differ in their last bits.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/host_device.hpp"

namespace octavo::kernels {

inline constexpr double kLn2 = 0x1.62e42fefa39efp-1;
inline constexpr double kRadiansPerDegree = 0x1.1df46a2529d39p-6;

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
OCTAVO_HOST_DEVICE inline double exact_log2(double x) {
  int e = 0;
  double m = x;
  for (; m < 0.75; m *= 2.0) --e;
  for (; m >= 1.5; m *= 0.5) ++e;
  const double z = (m - 1.0) / (m + 1.0);
  double s = 0.0;
  for (int k = 31; k >= 1; k -= 2) s = 1.0 / static_cast<double>(k) + s * (z * z);
  return static_cast<double>(e) + 2.0 * z * s / kLn2;
}

/// Sine and cosine of an angle.
struct SinCos {
  double sin, cos;
};

/// Sine and cosine to about 15 digits: with the nearest multiple q of a quarter turn, and t the rest in radians, the
/// Taylor series s = 1 - s * (t * t) / (k * (k + 1)) for k = 18, 16, ... 2 gives sin(t) = t * s, and for k = 17, 15,
/// ... 1 cos(t) = s.
OCTAVO_HOST_DEVICE inline SinCos exact_sin_cos(double degrees) {
  const double q = ::floor(degrees / 90.0 + 0.5);
  const double t = (degrees - 90.0 * q) * kRadiansPerDegree;
  double sine = 1.0, cosine = 1.0;
  for (int k = 18; k >= 2; k -= 2) sine = 1.0 - sine * (t * t) / static_cast<double>(k * (k + 1));
  for (int k = 17; k >= 1; k -= 2) cosine = 1.0 - cosine * (t * t) / static_cast<double>(k * (k + 1));
  sine = t * sine;
  const auto quarter = static_cast<std::int64_t>(q) & 3;
  if (quarter == 0) return {sine, cosine};
  if (quarter == 1) return {cosine, -sine};
  if (quarter == 2) return {-sine, -cosine};
  return {-cosine, sine};
}

}  // namespace octavo::kernels
