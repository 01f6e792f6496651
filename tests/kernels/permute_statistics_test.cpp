// Compares the order with uniformly random permutations over thousands of seeds, and Fisher-Yates as a control.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "catch.hpp"
#include "kernels/cpu/permute.hpp"

using namespace octavo::kernels;

namespace {

using Permutation = std::vector<std::int64_t>;
using Generator = std::function<void(std::uint64_t seed, Permutation&)>;

void order(std::uint64_t seed, Permutation& out) {
  const auto n = static_cast<std::int64_t>(out.size());
  cpu::permute_range(make_order_key(n, seed, 0, true), 0, n, out.data());
}

/// The same cipher with too few rounds.
void two_round_order(std::uint64_t seed, Permutation& out) {
  const OrderKey key = make_order_key(static_cast<std::int64_t>(out.size()), seed, 0, true);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = permute(key, static_cast<std::int64_t>(i), 2);
}

void fisher_yates(std::uint64_t seed, Permutation& out) {
  std::mt19937_64 random(seed);
  std::iota(out.begin(), out.end(), 0);
  for (std::size_t i = out.size() - 1; i > 0; --i) {
    std::swap(out[i], out[std::uniform_int_distribution<std::size_t>(0, i)(random)]);
  }
}

/// P(chi-square with `degrees` degrees of freedom >= x): the regularized upper incomplete gamma function by its series
/// or continued fraction (Numerical Recipes, 6.2).
double chi_square_tail(double x, double degrees) {
  const double a = degrees / 2, z = x / 2;
  const double front = std::exp(-z + a * std::log(z) - std::lgamma(a));
  if (z < a + 1) {
    double term = 1 / a, sum = term;
    for (double n = a + 1; term > sum * 1e-15; ++n) sum += term *= z / n;
    return 1 - front * sum;
  }
  double b = z + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int i = 1; i < 100000; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return front * h;
}

/// The p-value of counts against expected counts. Cells with fewer than 8 expected are pooled with the next cell.
double p_value(const std::vector<double>& counts, const std::vector<double>& expected) {
  double statistic = 0, pooled_count = 0, pooled_expected = 0;
  int cells = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    pooled_count += counts[i];
    pooled_expected += expected[i];
    if (pooled_expected < 8 && i + 1 < counts.size()) continue;
    if (pooled_expected < 1e-9) continue;
    statistic += (pooled_count - pooled_expected) * (pooled_count - pooled_expected) / pooled_expected;
    ++cells;
    pooled_count = pooled_expected = 0;
  }
  return chi_square_tail(statistic, cells - 1);
}

/// Distribution of the number of fixed points of n values. Exact: counts permutations without fixed points, D(n)/n!.
/// Also approximates the number of pairs where a successor follows its predecessor: Poisson(1) to within 1/n.
std::vector<double> fixed_point_distribution(int n, int most) {
  std::vector<double> none(static_cast<std::size_t>(n) + 1);  // probability that a permutation of k has none
  double sum = 0, factorial = 1;
  for (int k = 0; k <= n; ++k) {
    if (k > 0) factorial *= -k;
    sum += k <= 170 ? 1 / factorial : 0;
    none[static_cast<std::size_t>(k)] = sum;
  }
  std::vector<double> distribution;
  double inverse_factorial = 1;
  for (int k = 0; k <= most && k <= n; ++k) {
    if (k > 0) inverse_factorial /= k;
    distribution.push_back(inverse_factorial * none[static_cast<std::size_t>(n - k)]);
  }
  return distribution;
}

/// Distribution of the number of positions i with p[i] + 1 == p[i + 1]. Of n! permutations, (n-k)! have all of k chosen
/// positions; the rest is inclusion-exclusion.
std::vector<double> adjacent_pair_distribution(int n, int most) {
  // S[k] = C(n-1, k) (n-k)!/n!: the expected number of k-subsets of such places.
  std::vector<double> S;
  double value = 1;
  for (int k = 0; k <= std::min(n - 1, 60); ++k) {
    S.push_back(value);
    value *= static_cast<double>(n - 1 - k) / ((k + 1) * static_cast<double>(n - k));
  }
  std::vector<double> distribution;
  for (int m = 0; m <= most && m < static_cast<int>(S.size()); ++m) {
    double sum = 0, binomial = 1;  // C(k, m)
    for (int k = m; k < static_cast<int>(S.size()); ++k) {
      sum += ((k - m) % 2 ? -1 : 1) * binomial * S[static_cast<std::size_t>(k)];
      binomial *= static_cast<double>(k + 1) / (k + 1 - m);
    }
    distribution.push_back(std::max(0.0, sum));
  }
  return distribution;
}

/// Distribution of the number of cycles: unsigned Stirling numbers of the first kind over n!.
std::vector<double> cycle_distribution(int n, int most) {
  std::vector<double> distribution(static_cast<std::size_t>(most) + 1, 0.0);
  distribution[0] = 1;
  for (int k = 1; k <= n; ++k) {
    for (int j = most; j >= 1; --j) {
      distribution[static_cast<std::size_t>(j)] =
          (distribution[static_cast<std::size_t>(j)] * (k - 1) + distribution[static_cast<std::size_t>(j - 1)]) / k;
    }
    distribution[0] = 0;
  }
  return distribution;
}

int cycle_count(const Permutation& p) {
  std::vector<bool> seen(p.size(), false);
  int cycles = 0;
  for (std::size_t start = 0; start < p.size(); ++start) {
    if (seen[start]) continue;
    ++cycles;
    for (std::size_t i = start; !seen[i]; i = static_cast<std::size_t>(p[i])) seen[i] = true;
  }
  return cycles;
}

void count_into(std::vector<double>& counts, int value) {
  counts[std::min(counts.size() - 1, static_cast<std::size_t>(value))] += 1;
}

/// The distribution scaled to `trials`; its last cell includes the tail.
std::vector<double> expected_counts(std::vector<double> distribution, int trials) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < distribution.size(); ++i) sum += distribution[i];
  distribution.back() = std::max(0.0, 1 - sum);
  for (double& cell : distribution) cell *= trials;
  return distribution;
}

struct Verdict {
  double position_value, fixed_points, adjacent_pairs, cycles;
  double least() const { return std::min({position_value, fixed_points, adjacent_pairs, cycles}); }
};

Verdict judge(const Generator& generate, int n, int trials) {
  const std::size_t bins = static_cast<std::size_t>(std::min(n, 32));
  const auto bin = [&](std::size_t i) { return i * bins / static_cast<std::size_t>(n); };
  std::vector<double> bin_width(bins, 0.0), table(bins * bins, 0.0), expected(bins * bins);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) bin_width[bin(i)] += 1;
  const std::vector<double> fixed_distribution = fixed_point_distribution(n, std::min(n, 12));
  const std::vector<double> pair_distribution = adjacent_pair_distribution(n, std::min(n - 1, 12));
  const std::vector<double> cycles_distribution = cycle_distribution(n, std::min(n, 40));
  std::vector<double> fixed(fixed_distribution.size(), 0.0), pairs(pair_distribution.size(), 0.0),
      cycles(cycles_distribution.size(), 0.0);
  Permutation p(static_cast<std::size_t>(n));
  for (int trial = 0; trial < trials; ++trial) {
    generate(static_cast<std::uint64_t>(trial), p);
    int fixed_here = 0, pairs_here = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      table[bin(i) * bins + bin(static_cast<std::size_t>(p[i]))] += 1;
      fixed_here += p[i] == static_cast<std::int64_t>(i);
      pairs_here += i > 0 && p[i] == p[i - 1] + 1;
    }
    count_into(fixed, fixed_here);
    count_into(pairs, pairs_here);
    count_into(cycles, cycle_count(p));
  }
  double statistic = 0;
  for (std::size_t i = 0; i < bins; ++i) {
    for (std::size_t j = 0; j < bins; ++j) {
      const double e = trials * bin_width[i] * bin_width[j] / n;
      statistic += (table[i * bins + j] - e) * (table[i * bins + j] - e) / e;
    }
  }
  const double degrees = static_cast<double>((bins - 1) * (bins - 1));
  // The counts of a permutation are not independent: each row and column of the table sums to a constant, which
  // scales the statistic by n/(n-1) (the variance of a permutation matrix against that of independent draws).
  statistic *= static_cast<double>(n - 1) / n;
  return {chi_square_tail(statistic, degrees), p_value(fixed, expected_counts(fixed_distribution, trials)),
          p_value(pairs, expected_counts(pair_distribution, trials)),
          p_value(cycles, expected_counts(cycles_distribution, trials))};
}

constexpr int kTrialsOfLargeOrders = 4000;

}  // namespace

TEST_CASE("over 10^4 seeds the order is as random as Fisher-Yates and two rounds are not",
          "[unit][order][plain-only]") {
  for (const int n : {10, 1000}) {
    INFO("N " << n);
    REQUIRE(judge(fisher_yates, n, 10000).least() > 1e-4);
    REQUIRE(judge(order, n, 10000).least() > 1e-4);
    REQUIRE(judge(two_round_order, n, 10000).least() < 1e-4);
  }
}

TEST_CASE("over many seeds the order of 60000 samples is as random as Fisher-Yates", "[unit][order][plain-only]") {
  REQUIRE(judge(fisher_yates, 60000, kTrialsOfLargeOrders / 10).least() > 1e-4);
  REQUIRE(judge(order, 60000, kTrialsOfLargeOrders).least() > 1e-4);
  REQUIRE(judge(two_round_order, 60000, kTrialsOfLargeOrders / 10).least() < 1e-4);
}
