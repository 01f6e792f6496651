#include "sources/choice/class_holdout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>

#include "support/hash.hpp"

namespace octavo::sources {
namespace {

struct HashedRow {
  std::uint64_t hash = 0;
  std::size_t at = 0;       ///< in the rows of the split
  std::int32_t label = -1;  ///< -1: no class
};

/// The rows of `part`, by the hashes of their keys. A list can name an image several times: its rows are adjacent.
std::vector<HashedRow> hashed_rows(const Source& source, const ChosenSplit& part, std::uint64_t seed) {
  std::vector<HashedRow> rows;
  for (const std::int64_t row : part.rows) {
    rows.push_back({holdout_hash(holdout_key(source, part.source_split, row), seed), rows.size(),
                    source.class_index(part.source_split, row).value_or(-1)});
  }
  std::ranges::sort(rows, {}, [](const HashedRow& row) { return std::pair(row.hash, row.at); });
  return rows;
}

bool is_first_of_key(const std::vector<HashedRow>& hashed, std::size_t at) {
  return at == 0 || hashed[at].hash != hashed[at - 1].hash;
}

/// How many samples of each class the fraction takes.
std::map<std::int32_t, std::int64_t> counts_of_classes(const std::vector<HashedRow>& hashed, double fraction) {
  std::map<std::int32_t, std::int64_t> counts;
  for (std::size_t at = 0; at < hashed.size(); ++at) counts[hashed[at].label] += is_first_of_key(hashed, at) ? 1 : 0;
  std::vector<std::int64_t> sizes;
  for (const auto& [label, size] : counts) sizes.push_back(size);
  const std::vector<std::int64_t> taken = stratified_counts(sizes, fraction);
  auto next = taken.begin();
  for (auto& [label, count] : counts) count = *next++;
  return counts;
}

std::vector<bool> hold_out_fraction(const std::vector<HashedRow>& hashed, double fraction) {
  std::map<std::int32_t, std::int64_t> left = counts_of_classes(hashed, fraction);
  std::vector<bool> is_held_out(hashed.size());
  bool is_key_held_out = false;
  for (std::size_t at = 0; at < hashed.size(); ++at) {
    if (is_first_of_key(hashed, at)) is_key_held_out = left[hashed[at].label]-- > 0;
    is_held_out[hashed[at].at] = is_key_held_out;
  }
  return is_held_out;
}

/// The first rows of all keys, ordered by class and hash, are dealt out to the folds in turn.
std::vector<bool> hold_out_fold(const std::vector<HashedRow>& hashed, const Holdout& holdout) {
  std::vector<std::size_t> firsts;
  for (std::size_t at = 0; at < hashed.size(); ++at) {
    if (is_first_of_key(hashed, at)) firsts.push_back(at);
  }
  if (std::ssize(firsts) < holdout.fold_count) {
    throw DataError("hold out fold " + format_holdout(holdout) + ": train has only " +
                    counted(std::ssize(firsts), "sample") + "; choose fewer folds");
  }
  std::ranges::stable_sort(firsts, {}, [&](std::size_t at) { return hashed[at].label; });
  std::vector<bool> is_held_out(hashed.size());
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    if (static_cast<std::int64_t>(i) % holdout.fold_count != holdout.fold) continue;
    std::size_t at = firsts[i];
    do is_held_out[hashed[at].at] = true;
    while (++at < hashed.size() && !is_first_of_key(hashed, at));
  }
  return is_held_out;
}

}  // namespace

std::vector<bool> hold_out_of_classes(const Source& source, const ChosenSplit& part, const SourceOptions& options) {
  const std::vector<HashedRow> hashed = hashed_rows(source, part, options.seed);
  return options.holdout.kind == Holdout::Kind::fold ? hold_out_fold(hashed, options.holdout)
                                                     : hold_out_fraction(hashed, options.holdout.fraction);
}

std::vector<std::int64_t> stratified_counts(const std::vector<std::int64_t>& sizes, double share) {
  std::vector<std::int64_t> counts;
  std::vector<std::pair<double, std::size_t>> remainders;
  std::int64_t all = 0, counted = 0;
  for (const std::int64_t size : sizes) {
    const double exact = share * static_cast<double>(size);
    remainders.push_back({std::floor(exact) - exact, counts.size()});
    counts.push_back(static_cast<std::int64_t>(exact));
    all += size;
    counted += counts.back();
  }
  std::sort(remainders.begin(), remainders.end());  // the largest first, then the first class
  std::int64_t missing = std::llround(share * static_cast<double>(all)) - counted;
  for (const auto& [remainder, at] : remainders) {
    if (missing <= 0) break;
    if (counts[at] + 1 >= sizes[at]) continue;
    ++counts[at];
    --missing;
  }
  return counts;
}

std::uint64_t holdout_hash(std::string_view key, std::uint64_t seed) {
  return XXH3_64bits_withSeed(key.data(), key.size(), seed);
}

std::string holdout_key(const Source& source, std::size_t split, std::int64_t row) {
  return source.sample_path(split, row).value_or(std::to_string(row));
}

}  // namespace octavo::sources
