#include "doctor/copies/equal_samples.hpp"

#include <algorithm>

#include "support/hash.hpp"

namespace octavo::doctor {
namespace {

constexpr std::size_t kMostGroups = 1000;

}  // namespace

bool EqualSamples::Fingerprint::operator<(const Fingerprint& other) const {
  if (high != other.high) return high < other.high;
  if (low != other.low) return low < other.low;
  return number < other.number;
}

bool EqualSamples::Found::operator<(const Found& other) const {
  if (is_in_one_split != other.is_in_one_split) return other.is_in_one_split;
  return first_number < other.first_number;
}

EqualSamples::EqualSamples(const SampleSet& samples)
    : samples_(samples), fingerprints_(static_cast<std::size_t>(samples.sample_count())) {}

void EqualSamples::visit(const SampleBlock& block) {
  // Equal bytes in another shape are a different image.
  const auto seed =
      static_cast<std::uint64_t>(block.shape.height) << 32 | static_cast<std::uint64_t>(block.shape.width);
  for (std::int64_t i = 0; i < block.count; ++i) {
    const auto sample = block.sample(i);
    const XXH128_hash_t hash = XXH3_128bits_withSeed(sample.data(), sample.size(), seed);
    const std::int64_t number = block.first_number + i;
    fingerprints_[static_cast<std::size_t>(number)] = {hash.low64, hash.high64, number};
  }
}

DuplicateReport EqualSamples::find() {
  std::sort(fingerprints_.begin(), fingerprints_.end());
  DuplicateReport report;
  report.sample_count = samples_.sample_count();
  for (std::size_t begin = 0; begin < fingerprints_.size();) {
    std::size_t end = begin + 1;
    while (end < fingerprints_.size() && fingerprints_[begin].has_same_pixels(fingerprints_[end])) ++end;
    if (end - begin > 1) add_group(begin, end, report);
    begin = end;
  }
  keep_first();
  for (Found& found : found_) report.groups.push_back(std::move(found.group));
  found_.clear();
  return report;
}

std::vector<std::int64_t> EqualSamples::first_numbers() const {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < fingerprints_.size(); ++i) {
    if (i > 0 && fingerprints_[i].has_same_pixels(fingerprints_[i - 1])) continue;
    numbers.push_back(fingerprints_[i].number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void EqualSamples::add_group(std::size_t begin, std::size_t end, DuplicateReport& report) {
  DuplicateGroup group;
  bool is_between_splits = false;
  std::vector<std::byte> first_label;
  for (std::size_t at = begin; at < end; ++at) {
    const std::int64_t number = fingerprints_[at].number;
    const auto label = samples_.label_of(number);
    if (at == begin) first_label = label;
    // Labels of different kinds cannot be compared.
    group.labels_differ |= label.size() == first_label.size() && label != first_label;
    group.samples.push_back({samples_.splits()[samples_.split_of(number)].name(), samples_.row_of(number)});
    is_between_splits |= group.samples.back().split != group.samples.front().split;
  }
  report.duplicate_count += static_cast<std::int64_t>(end - begin) - 1;
  ++report.group_count;
  report.between_splits_count += is_between_splits ? 1 : 0;
  report.labels_differ_count += group.labels_differ ? 1 : 0;
  report.plain_count += is_between_splits || group.labels_differ ? 0 : 1;
  found_.push_back({!is_between_splits, fingerprints_[begin].number, std::move(group)});
  if (found_.size() >= 2 * kMostGroups) keep_first();
}

void EqualSamples::keep_first() {
  std::sort(found_.begin(), found_.end());
  if (found_.size() > kMostGroups) found_.resize(kMostGroups);
}

}  // namespace octavo::doctor

namespace octavo {

DuplicateReport find_duplicates(const Dataset& dataset, int thread_count, const ProgressFunction& on_progress) {
  const doctor::SampleSet samples(dataset);
  doctor::EqualSamples equal(samples);
  doctor::SampleVisitor* const visitor = &equal;
  doctor::visit_samples(samples, {&visitor, 1}, thread_count, "looking for duplicates in", on_progress);
  DuplicateReport report = equal.find();
  for (DuplicateGroup& group : report.groups) {
    for (SamplePlace& place : group.samples) {
      place.name = dataset.split(place.split).sample_name(place.row).value_or("");
    }
  }
  return report;
}

}  // namespace octavo
