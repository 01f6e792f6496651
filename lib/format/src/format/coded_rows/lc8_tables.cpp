#include "format/coded_rows/lc8_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <octavo/errors.hpp>

#include "format/coded_rows/lc8_default_tables.hpp"

namespace octavo::dataset_file {
namespace {

using kernels::kLc8Classes;
using kernels::kLc8PrefixBits;
using kernels::kLc8TableEntries;
using kernels::Lc8Entry;

constexpr int kLeastResidual = -128, kEndOfResiduals = 128;
constexpr int kMostExtraBits = 7;

/// Residuals [base, base + 2^extra_bits) have a common prefix.
struct Bin {
  int base = 0;
  int extra_bits = 0;
  int prefix_bits = 0;

  int end() const { return base + (1 << extra_bits); }
};
/// The bins of a class, in order. They have all residuals.
using Bins = std::vector<Bin>;

// ---- Stored tables: a byte per bin ------------------------------------------

std::byte stored_bin(const Bin& bin) { return static_cast<std::byte>(bin.prefix_bits | bin.extra_bits << 4); }

/// Takes the bins of a class off the front of `stored`.
Bins read_bins(std::span<const std::byte>& stored) {
  const auto check = [](bool is_right) {
    if (!is_right) throw FormatError("its codes are not prefix codes of 256 residuals in each of 16 classes");
  };
  Bins bins;
  std::uint32_t used_entries = 0;
  for (int base = kLeastResidual; base < kEndOfResiduals; base = bins.back().end()) {
    check(!stored.empty());
    const int byte = std::to_integer<int>(stored.front());
    const Bin bin = {base, byte >> 4, byte & 15};
    check(bin.extra_bits <= kMostExtraBits && bin.prefix_bits <= static_cast<int>(kLc8PrefixBits) &&
          (base - kLeastResidual) % (1 << bin.extra_bits) == 0);
    used_entries += kLc8TableEntries >> bin.prefix_bits;
    check(used_entries <= kLc8TableEntries);
    bins.push_back(bin);
    stored = stored.subspan(1);
  }
  check(used_entries == kLc8TableEntries);
  return bins;
}

/// Calls visit(bin, prefix), with the bits of the prefix in the order in which they are read.
template <typename Visit>
void for_prefixes(Bins bins, const Visit& visit) {
  std::ranges::stable_sort(bins, {}, &Bin::prefix_bits);
  std::uint32_t next = 0;  // of kLc8PrefixBits bits, the first one highest
  for (const Bin& bin : bins) {
    std::uint32_t prefix = 0;
    for (int bit = 0; bit < bin.prefix_bits; ++bit) prefix |= (next >> (kLc8PrefixBits - 1 - bit) & 1) << bit;
    visit(bin, prefix);
    next += kLc8TableEntries >> bin.prefix_bits;
  }
}

std::shared_ptr<const RowTables> tables_of(std::span<const std::byte> stored) {
  auto tables = std::make_shared<RowTables>();
  tables->stored.assign(stored.begin(), stored.end());
  tables->entries.resize(kernels::kLc8AllEntries);
  for (std::size_t class_number = 0; class_number < kLc8Classes; ++class_number) {
    std::uint32_t* const entries = tables->entries.data() + class_number * kLc8TableEntries;
    for_prefixes(read_bins(stored), [&](const Bin& bin, std::uint32_t prefix) {
      const Lc8Entry entry = Lc8Entry::of(static_cast<std::uint32_t>(bin.prefix_bits),
                                          static_cast<std::uint32_t>(bin.extra_bits), bin.base);
      for (std::uint32_t i = prefix; i < kLc8TableEntries; i += 1u << bin.prefix_bits) entries[i] = entry.word;
    });
  }
  if (!stored.empty()) throw FormatError("it has codes of more than 16 classes");
  return tables;
}

// ---- Making tables ----------------------------------------------------------

/// The lengths of prefixes that need the fewest bits together, if none may have more than kLc8PrefixBits: the
/// package-merge algorithm (Larmore and Hirschberg, 1990).
void choose_lengths(const std::vector<double>& weights, Bins& bins) {
  struct Package {
    double weight;
    std::vector<std::uint8_t> counts;  ///< of each bin
  };
  if (bins.size() == 1) return;
  std::vector<std::size_t> order(bins.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return weights[i]; });
  std::vector<Package> packages;
  for (std::uint32_t level = 0; level < kLc8PrefixBits; ++level) {
    std::vector<Package> merged;
    std::size_t bin = 0, pair = 0;
    while (bin < order.size() || pair + 1 < packages.size()) {
      const bool has_pair = pair + 1 < packages.size();
      const double of_pair =
          has_pair ? packages[pair].weight + packages[pair + 1].weight : std::numeric_limits<double>::infinity();
      if (bin < order.size() && weights[order[bin]] <= of_pair) {
        merged.push_back({weights[order[bin]], std::vector<std::uint8_t>(bins.size())});
        ++merged.back().counts[order[bin++]];
      } else {
        merged.push_back(packages[pair]);
        merged.back().weight = of_pair;
        for (std::size_t i = 0; i < bins.size(); ++i) merged.back().counts[i] += packages[pair + 1].counts[i];
        pair += 2;
      }
    }
    packages = std::move(merged);
  }
  for (std::size_t i = 0; i < 2 * bins.size() - 2; ++i) {
    for (std::size_t k = 0; k < bins.size(); ++k) bins[k].prefix_bits += packages[i].counts[k];
  }
}

/// Joins neighboring bins that are rarer than `least_share` of all together, or about as frequent as each other.
std::vector<double> join_bins(const std::vector<double>& residuals, double least_share, double most_ratio, Bins& bins) {
  const double all = std::accumulate(residuals.begin(), residuals.end(), 0.0);
  bins.clear();
  for (int base = kLeastResidual; base < kEndOfResiduals; ++base) bins.push_back({base, 0, 0});
  std::vector<double> weights = residuals;
  for (int bits = 0; bits < kMostExtraBits; ++bits) {
    Bins joined;
    std::vector<double> joined_weights;
    for (std::size_t i = 0; i < bins.size(); ++i) {
      const bool may_join = i + 1 < bins.size() && bins[i].extra_bits == bits && bins[i + 1].extra_bits == bits &&
                            ((bins[i].base - kLeastResidual) >> bits) % 2 == 0;
      joined.push_back(bins[i]);
      joined_weights.push_back(weights[i]);
      if (!may_join) continue;
      const auto [less, more] = std::minmax(weights[i], weights[i + 1]);
      if (less + more >= least_share * all && more >= most_ratio * less) continue;
      ++joined.back().extra_bits;
      joined_weights.back() += weights[++i];
    }
    bins = std::move(joined);
    weights = std::move(joined_weights);
  }
  return weights;
}

/// The best of several ways to join residuals.
Bins make_bins(const std::array<std::int64_t, 256>& counts) {
  constexpr double kLeastShares[] = {0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.03};
  constexpr double kMostRatios[] = {1.05, 1.12, 1.25, 1.5};
  // A residual that did not come may come; small ones are more likely.
  const auto all = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  std::vector<double> residuals;
  for (int residual = kLeastResidual; residual < kEndOfResiduals; ++residual) {
    const double expected = (1 + all * 1e-4) / (16.0 * (1 + std::abs(residual)));
    residuals.push_back(static_cast<double>(counts[static_cast<std::uint8_t>(residual)]) + expected / 16);
  }
  Bins best;
  double best_bits = std::numeric_limits<double>::infinity();
  for (const double share : kLeastShares) {
    for (const double ratio : kMostRatios) {
      Bins bins;
      const std::vector<double> weights = join_bins(residuals, share, ratio, bins);
      choose_lengths(weights, bins);
      double bits = 0;
      for (std::size_t i = 0; i < bins.size(); ++i) bits += weights[i] * (bins[i].prefix_bits + bins[i].extra_bits);
      if (bits < best_bits) {
        best_bits = bits;
        best = std::move(bins);
      }
    }
  }
  return best;
}

std::int64_t bit_count(const Lc8Counts& counts, const Lc8Codes& codes) {
  std::int64_t bits = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    for (std::size_t residual = 0; residual < counts[k].size(); ++residual) {
      bits += counts[k][residual] * codes[k][residual].bit_count;
    }
  }
  return bits;
}

}  // namespace

std::shared_ptr<const RowTables> make_lc8_tables(const Lc8Counts& counts) {
  std::vector<std::byte> stored;
  for (const auto& of_class : counts) {
    for (const Bin& bin : make_bins(of_class)) stored.push_back(stored_bin(bin));
  }
  return tables_of(stored);
}

std::shared_ptr<const RowTables> fit_lc8_tables(const Lc8Counts& counts, std::shared_ptr<const RowTables> general) {
  // Residuals that each class has in addition, distributed as the lengths of their codes expect.
  constexpr double kExpected = 1000;
  const Lc8Codes general_codes = lc8_codes(*general);
  Lc8Counts all = counts;
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (std::size_t residual = 0; residual < all[k].size(); ++residual) {
      all[k][residual] += std::lround(std::ldexp(kExpected, -general_codes[k][residual].bit_count));
    }
  }
  auto fitted = make_lc8_tables(all);
  return bit_count(counts, lc8_codes(*fitted)) < bit_count(counts, general_codes) ? fitted : general;
}

std::shared_ptr<const RowTables> read_lc8_tables(std::span<const std::byte> stored) { return tables_of(stored); }

std::shared_ptr<const RowTables> default_lc8_tables(const SampleShape& shape) {
  static const std::shared_ptr<const RowTables> color = tables_of(std::as_bytes(std::span(kLc8ColorTables)));
  static const std::shared_ptr<const RowTables> gray = tables_of(std::as_bytes(std::span(kLc8GrayTables)));
  return shape.channels == kernels::kLc8ColorChannels ? color : gray;
}

Lc8Codes lc8_codes(const RowTables& tables) {
  Lc8Codes codes;
  std::span<const std::byte> stored = tables.stored;
  for (auto& of_class : codes) {
    for_prefixes(read_bins(stored), [&](const Bin& bin, std::uint32_t prefix) {
      for (int residual = bin.base; residual < bin.end(); ++residual) {
        of_class[static_cast<std::uint8_t>(residual)] = {
            static_cast<std::uint16_t>(prefix | static_cast<std::uint32_t>(residual - bin.base) << bin.prefix_bits),
            static_cast<std::uint8_t>(bin.prefix_bits + bin.extra_bits)};
      }
    });
  }
  return codes;
}

}  // namespace octavo::dataset_file
