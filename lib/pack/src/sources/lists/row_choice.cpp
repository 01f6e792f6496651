#include "sources/lists/row_choice.hpp"

#include <algorithm>
#include <cmath>

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

bool is_selected(const Source& source, std::size_t split, std::int64_t row, const std::string& pattern) {
  if (pattern.empty()) return true;
  const bool is_for_paths = pattern.find('/') != std::string::npos;
  return matches_glob(pattern, is_for_paths ? source.sample_name(split, row) : class_text(source, split, row));
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

void hold_out(const Source& source, const SourceOptions& options, std::vector<ChosenSplit>& chosen) {
  const auto find = [&](const char* name) {
    return std::find_if(chosen.begin(), chosen.end(), [&](const ChosenSplit& part) { return part.name == name; });
  };
  const auto train = find(kTrain);
  if (train == chosen.end()) throw InvalidArgument("hold out samples: the sources have no split \"train\"");
  if (find(kHeldOut) != chosen.end()) throw InvalidArgument("hold out samples: there is a split \"val\" already");
  ChosenSplit held_out = {kHeldOut, train->source_split, {}};
  const auto first_held_out = std::stable_partition(train->rows.begin(), train->rows.end(), [&](std::int64_t row) {
    return !is_held_out(key_of(source, train->source_split, row), options.seed, options.holdout);
  });
  held_out.rows.assign(first_held_out, train->rows.end());
  train->rows.erase(first_held_out, train->rows.end());
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

bool is_held_out(std::string_view key, std::uint64_t seed, double share) {
  const double threshold = std::ldexp(share, 64);
  return static_cast<double>(XXH3_64bits_withSeed(key.data(), key.size(), seed)) < threshold;
}

}  // namespace octavo::sources
