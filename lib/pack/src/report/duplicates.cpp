#include <octavo/duplicates.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "support/hash.hpp"
#include "support/threads.hpp"

namespace octavo {
namespace {

constexpr std::int64_t kHashedBlockBytes = std::int64_t{1} << 20;
constexpr std::size_t kMostGroups = 1000;

/// A sample's hash and number.
struct Fingerprint {
  std::uint64_t low = 0, high = 0;
  std::int64_t number = 0;  ///< among the samples of all splits

  bool has_same_pixels(const Fingerprint& other) const { return low == other.low && high == other.high; }
  bool operator<(const Fingerprint& other) const {
    if (high != other.high) return high < other.high;
    if (low != other.low) return low < other.low;
    return number < other.number;
  }
};

class DuplicateSearch {
 public:
  DuplicateSearch(const Dataset& dataset, const ProgressFunction& on_progress) : on_progress_(on_progress) {
    for (const std::string& name : dataset.split_names()) {
      splits_.push_back(dataset.split(name));
      first_numbers_.push_back(sample_count_);
      sample_count_ += splits_.back().sample_count();
    }
    fingerprints_.resize(static_cast<std::size_t>(sample_count_));
  }

  DuplicateReport run(int thread_count) {
    for (std::size_t split = 0; split < splits_.size(); ++split) hash_split(split, thread_count);
    std::sort(fingerprints_.begin(), fingerprints_.end());
    DuplicateReport report;
    report.sample_count = sample_count_;
    for (std::size_t begin = 0; begin < fingerprints_.size();) {
      std::size_t end = begin + 1;
      while (end < fingerprints_.size() && fingerprints_[begin].has_same_pixels(fingerprints_[end])) ++end;
      if (end - begin > 1) add_group(begin, end, report);
      begin = end;
    }
    choose_groups(report);
    return report;
  }

 private:
  void hash_split(std::size_t number, int thread_count) {
    const Split& split = splits_[number];
    const std::int64_t rows = std::max<std::int64_t>(1, kHashedBlockBytes / split.shape().values());
    std::atomic<std::int64_t> next = 0;
    std::mutex mutex;
    std::int64_t done = 0;
    run_on_threads(resolve_thread_count(thread_count), [&](int) {
      std::vector<std::int8_t> codes;
      std::vector<std::byte> labels;
      for (std::int64_t first; (first = next.fetch_add(rows)) < split.sample_count();) {
        const std::int64_t count = std::min(rows, split.sample_count() - first);
        codes.resize(static_cast<std::size_t>(count * split.shape().values()));
        labels.resize(static_cast<std::size_t>(count * split.labels().bytes_per_sample()));
        split.read_checked(first, count, codes, labels);
        hash_rows(number, first, codes);
        if (!on_progress_) continue;
        const std::lock_guard lock(mutex);
        done += count;
        on_progress_({"looking for duplicates in " + split.name(), done, split.sample_count(),
                      done * split.shape().values(), split.packed_bytes()});
      }
    });
  }

  void hash_rows(std::size_t split, std::int64_t first, const std::vector<std::int8_t>& codes) {
    const SampleShape shape = splits_[split].shape();
    const auto width = static_cast<std::size_t>(shape.values());
    // Equal bytes in another shape are a different image.
    const auto seed = static_cast<std::uint64_t>(shape.height) << 32 | static_cast<std::uint64_t>(shape.width);
    for (std::size_t i = 0; i * width < codes.size(); ++i) {
      const XXH128_hash_t hash = XXH3_128bits_withSeed(codes.data() + i * width, width, seed);
      const std::int64_t number = first_numbers_[split] + first + static_cast<std::int64_t>(i);
      fingerprints_[static_cast<std::size_t>(number)] = {hash.low64, hash.high64, number};
    }
  }

  std::size_t split_of(std::int64_t number) const {
    const auto after = std::upper_bound(first_numbers_.begin(), first_numbers_.end(), number);
    return static_cast<std::size_t>(after - first_numbers_.begin()) - 1;
  }

  std::vector<std::byte> label_of(std::size_t split, std::int64_t row) const {
    std::vector<std::byte> label(static_cast<std::size_t>(splits_[split].labels().bytes_per_sample()));
    if (!label.empty()) splits_[split].read_labels(row, 1, label);
    return label;
  }

  void add_group(std::size_t begin, std::size_t end, DuplicateReport& report) {
    DuplicateGroup group;
    bool is_between_splits = false;
    std::vector<std::byte> first_label;
    for (std::size_t at = begin; at < end; ++at) {
      const std::size_t split = split_of(fingerprints_[at].number);
      const std::int64_t row = fingerprints_[at].number - first_numbers_[split];
      const auto label = label_of(split, row);
      if (at == begin) first_label = label;
      // Labels of different kinds cannot be compared.
      group.labels_differ |= label.size() == first_label.size() && label != first_label;
      group.samples.push_back({splits_[split].name(), row});
      is_between_splits |= group.samples.back().split != group.samples.front().split;
    }
    report.duplicate_count += static_cast<std::int64_t>(end - begin) - 1;
    ++report.group_count;
    report.between_splits_count += is_between_splits ? 1 : 0;
    report.labels_differ_count += group.labels_differ ? 1 : 0;
    found_.push_back({!is_between_splits, fingerprints_[begin].number, std::move(group)});
    if (found_.size() >= 2 * kMostGroups) keep_first();
  }

  struct Found {
    bool is_in_one_split;
    std::int64_t first_number;
    DuplicateGroup group;

    bool operator<(const Found& other) const {
      if (is_in_one_split != other.is_in_one_split) return other.is_in_one_split;
      return first_number < other.first_number;
    }
  };

  void keep_first() {
    std::sort(found_.begin(), found_.end());
    if (found_.size() > kMostGroups) found_.resize(kMostGroups);
  }

  void choose_groups(DuplicateReport& report) {
    keep_first();
    for (Found& found : found_) report.groups.push_back(std::move(found.group));
  }

  const ProgressFunction& on_progress_;
  std::vector<Split> splits_;
  std::vector<std::int64_t> first_numbers_;  ///< of each split
  std::int64_t sample_count_ = 0;
  std::vector<Fingerprint> fingerprints_;
  std::vector<Found> found_;
};

}  // namespace

DuplicateReport find_duplicates(const Dataset& dataset, int thread_count, const ProgressFunction& on_progress) {
  DuplicateReport report = DuplicateSearch(dataset, on_progress).run(thread_count);
  for (DuplicateGroup& group : report.groups) {
    for (SamplePlace& place : group.samples) {
      place.name = dataset.split(place.split).sample_name(place.row).value_or("");
    }
  }
  return report;
}

}  // namespace octavo
