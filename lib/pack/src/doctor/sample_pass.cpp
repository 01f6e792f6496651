#include "doctor/sample_pass.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "format/statistics/codes.hpp"
#include "support/threads.hpp"

namespace octavo::doctor {
namespace {

constexpr std::int64_t kVisitedBlockBytes = std::int64_t{1} << 20;

}  // namespace

SampleSet::SampleSet(const Dataset& dataset) {
  for (const std::string& name : dataset.split_names()) {
    splits_.push_back(dataset.split(name));
    first_numbers_.push_back(sample_count_);
    sample_count_ += splits_.back().sample_count();
  }
}

std::size_t SampleSet::split_of(std::int64_t number) const {
  const auto after = std::upper_bound(first_numbers_.begin(), first_numbers_.end(), number);
  return static_cast<std::size_t>(after - first_numbers_.begin()) - 1;
}

SamplePlace SampleSet::place_of(std::int64_t number) const {
  const Split& split = splits_[split_of(number)];
  const std::int64_t row = row_of(number);
  return {split.name(), row, split.sample_name(row).value_or("")};
}

std::vector<std::byte> SampleSet::label_of(std::int64_t number) const {
  const Split& split = splits_[split_of(number)];
  std::vector<std::byte> label(static_cast<std::size_t>(split.labels().bytes_per_sample()));
  if (!label.empty()) split.read_labels(row_of(number), 1, label);
  return label;
}

void visit_samples(const SampleSet& samples, std::span<SampleVisitor* const> visitors, int thread_count,
                   const std::string& stage, const ProgressFunction& on_progress) {
  for (std::size_t number = 0; number < samples.splits().size(); ++number) {
    const Split& split = samples.splits()[number];
    const SampleShape shape = split.shape();
    const std::int64_t rows = std::max<std::int64_t>(1, kVisitedBlockBytes / shape.values());
    std::atomic<std::int64_t> next = 0;
    std::mutex mutex;
    std::int64_t done = 0;
    run_on_threads(resolve_thread_count(thread_count), [&](int) {
      std::vector<std::uint8_t> values;
      std::vector<std::byte> labels;
      for (std::int64_t first; (first = next.fetch_add(rows)) < split.sample_count();) {
        const std::int64_t count = std::min(rows, split.sample_count() - first);
        values.resize(static_cast<std::size_t>(count * shape.values()));
        labels.resize(static_cast<std::size_t>(count * split.labels().bytes_per_sample()));
        split.read_checked(first, count, {reinterpret_cast<std::int8_t*>(values.data()), values.size()}, labels);
        statistics::flip_top_bits(values);
        const SampleBlock block = {number, shape, samples.first_number(number) + first, first, count, values, labels};
        for (SampleVisitor* visitor : visitors) visitor->visit(block);
        if (!on_progress) continue;
        const std::lock_guard lock(mutex);
        done += count;
        on_progress(
            {stage + " " + split.name(), done, split.sample_count(), done * shape.values(), split.packed_bytes()});
      }
    });
  }
}

}  // namespace octavo::doctor
