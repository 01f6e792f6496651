#include "sources/lists/row_choice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <octavo/errors.hpp>

#include "sources/lists/glob.hpp"
#include "support/hash.hpp"

namespace octavo::sources {
namespace {

constexpr const char* kTrain = "train";
constexpr const char* kHeldOut = "val";

/// The name of a sample's class, or its number if classes have no names; empty if it has no class.
std::string class_text(const Source& source, std::size_t split, std::int64_t row) {
  const auto label = source.class_index(split, row);
  if (!label) return "";
  const auto& names = source.class_names();
  const bool is_named = *label >= 0 && static_cast<std::size_t>(*label) < names.size();
  return is_named ? names[static_cast<std::size_t>(*label)] : std::to_string(*label);
}

std::string key_of(const Source& source, std::size_t split, std::int64_t row) {
  return source.sample_path(split, row).value_or(std::to_string(row));
}

std::vector<ChosenSplit> select(const Source& source, const SourceOptions& options) {
  std::vector<ChosenSplit> chosen;
  for (std::size_t split = 0; split < source.splits().size(); ++split) {
    ChosenSplit part = {source.splits()[split].name, split, {}};
    for (std::int64_t row = 0; row < source.splits()[split].sample_count; ++row) {
      if (is_selected(source, split, row, options.select)) part.rows.push_back(row);
    }
    chosen.push_back(std::move(part));
  }
  return chosen;
}

struct HashedRow {
  std::uint64_t hash = 0;
  std::int64_t row = 0;
  std::int32_t label = -1;  ///< -1: no class
};

/// The rows of `part`, by the hashes of their keys. A list can name an image several times: its rows are adjacent.
std::vector<HashedRow> hashed_rows(const Source& source, const ChosenSplit& part, std::uint64_t seed) {
  std::vector<HashedRow> rows;
  for (const std::int64_t row : part.rows) {
    rows.push_back({holdout_hash(key_of(source, part.source_split, row), seed), row,
                    source.class_index(part.source_split, row).value_or(-1)});
  }
  std::ranges::sort(rows, {}, [](const HashedRow& row) { return std::pair(row.hash, row.row); });
  return rows;
}

/// The rows of `part` that go to the holdout: from each class, those with the smallest hashes. Rows with one key stay
/// together, so that no image is in both splits; they count as one sample of the class of the first of them.
std::vector<std::int64_t> rows_to_hold_out(const Source& source, const SourceOptions& options,
                                           const ChosenSplit& part) {
  const std::vector<HashedRow> hashed = hashed_rows(source, part, options.seed);
  const auto is_first = [&](std::size_t at) { return at == 0 || hashed[at].hash != hashed[at - 1].hash; };
  std::map<std::int32_t, std::int64_t> left;  // for each class
  for (std::size_t at = 0; at < hashed.size(); ++at) left[hashed[at].label] += is_first(at) ? 1 : 0;
  std::vector<std::int64_t> sizes;
  for (const auto& [label, size] : left) sizes.push_back(size);
  const std::vector<std::int64_t> counts = stratified_counts(sizes, options.holdout);
  auto count = counts.begin();
  for (auto& [label, size] : left) size = *count++;
  std::vector<std::int64_t> rows;
  bool is_held_out = false;
  for (std::size_t at = 0; at < hashed.size(); ++at) {
    if (is_first(at)) is_held_out = left[hashed[at].label]-- > 0;
    if (is_held_out) rows.push_back(hashed[at].row);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

void hold_out(const Source& source, const SourceOptions& options, std::vector<ChosenSplit>& chosen) {
  const auto find = [&](const char* name) {
    return std::find_if(chosen.begin(), chosen.end(), [&](const ChosenSplit& part) { return part.name == name; });
  };
  const auto train = find(kTrain);
  if (train == chosen.end()) throw InvalidArgument("hold out samples: the sources have no split \"train\"");
  if (find(kHeldOut) != chosen.end()) throw InvalidArgument("hold out samples: there is a split \"val\" already");
  ChosenSplit held_out = {kHeldOut, train->source_split, rows_to_hold_out(source, options, *train)};
  std::erase_if(train->rows, [&](std::int64_t row) { return std::ranges::binary_search(held_out.rows, row); });
  chosen.insert(train + 1, std::move(held_out));
}

void check_options(const SourceOptions& options) {
  if (options.limit && *options.limit < 1) {
    throw InvalidArgument("limit the samples to " + std::to_string(*options.limit) + ": the limit must be at least 1");
  }
  if (!(options.holdout >= 0.0 && options.holdout < 1.0)) {
    throw InvalidArgument("hold out a share of " + std::to_string(options.holdout) +
                          ": the share must be at least 0 and below 1");
  }
}

/// A selection may empty a split, which is then dropped, but not all splits.
void check_not_empty(std::vector<ChosenSplit>& chosen, const SourceOptions& options) {
  for (const ChosenSplit& part : chosen) {
    if (!part.rows.empty() || options.holdout == 0.0) continue;
    if (part.name == kTrain || part.name == kHeldOut) {
      throw InvalidArgument("hold out a share of " + std::to_string(options.holdout) + ": the split \"" + part.name +
                            "\" would be empty; choose another share");
    }
  }
  std::erase_if(chosen, [](const ChosenSplit& part) { return part.rows.empty(); });
  if (chosen.empty()) {
    throw InvalidArgument("select \"" + options.select + "\": no class or sample matches");
  }
}

}  // namespace

bool is_selected(const Source& source, std::size_t split, std::int64_t row, const std::string& pattern) {
  if (pattern.empty()) return true;
  const bool is_for_paths = pattern.find('/') != std::string::npos;
  return matches_glob(pattern, is_for_paths ? source.sample_name(split, row) : class_text(source, split, row));
}

bool chooses_rows(const SourceOptions& options) {
  return !options.select.empty() || options.limit.has_value() || options.holdout != 0.0;
}

std::vector<ChosenSplit> choose_rows(const Source& source, const SourceOptions& options) {
  check_options(options);
  std::vector<ChosenSplit> chosen = select(source, options);
  if (options.holdout > 0.0) hold_out(source, options, chosen);
  check_not_empty(chosen, options);
  for (ChosenSplit& part : chosen) {
    const auto most = static_cast<std::size_t>(options.limit.value_or(INT64_MAX));
    if (part.rows.size() > most) part.rows.resize(most);
  }
  return chosen;
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

}  // namespace octavo::sources
