// Provides rows for the residency window: two windows of the split are on the device while the order is inside them.
#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <octavo/errors.hpp>

#include "loader/rows/row_provider.hpp"
#include "loader/rows/staging_ring.hpp"
#include "store/staging/lent_rows.hpp"

namespace octavo::loader {
namespace {

[[noreturn]] void refuse_windows(const std::string& why) { throw InvalidArgument("set up a loader: " + why); }

/// Returns `order`. Throws InvalidArgument unless each of its batches is in one window or in two consecutive ones.
const BatchOrder& checked_order(const BatchOrder& order, std::int64_t window_samples) {
  const LoaderOptions& options = order.options();
  if (options.shuffle != Shuffle(false) && options.shuffle != Shuffle::windows(window_samples)) {
    refuse_windows("the order \"" + to_string(options.shuffle) + "\" leaves the windows of " +
                   std::to_string(window_samples) + " samples that the residency window holds; use the order \"" +
                   to_string(Shuffle::windows(window_samples)) + "\", or choose another residency");
  }
  if (std::min(options.batch_size, order.sample_count()) > window_samples) {
    refuse_windows("batch_size " + std::to_string(options.batch_size) + " is larger than a window of " +
                   std::to_string(window_samples) + " samples; use larger windows or smaller batches");
  }
  return order;
}

/// Uses two slots: a batch may begin in one window and end in the next. When the order leaves a window, the window
/// after the next one is read into its slot.
class WindowRows final : public RowProvider {
 public:
  WindowRows(std::shared_ptr<const store::StoredSamples> samples, const BatchOrder& order)
      : samples_(std::move(samples)),
        order_(checked_order(order, samples_->window_samples)),
        window_samples_(samples_->window_samples),
        ring_(samples_,
              {[windows = (order.sample_count() + window_samples_ - 1) / window_samples_](std::int64_t) {
                 return windows;
               },
               window_samples_, largest_window(samples_->rows_in_source), largest_window(samples_->masks_in_source),
               [this](StagedPart part) {
                 return store::BatchRows{rows_of_window(part), {}, {}};
               }},
              2, 2, order.options().prefetch > 0) {}

  void with_batch(std::int64_t epoch, std::int64_t step, StreamRef stream, const Use& use) override {
    const std::lock_guard lock(mutex_);
    const BatchPart part = order_.part(epoch, step);
    if (part.count() == 0) return;
    // Repeated samples may be any of the batch.
    const BatchPositions positions = part.repeats > 0 ? order_.whole(epoch, step) : part.own;
    const StagedPart first{epoch, positions.first / window_samples_};
    const StagedPart last{epoch, (positions.first + positions.count - 1) / window_samples_};
    leave_windows_but(first, last);
    store::StagingSlot& front = hold(first);
    store::StagingSlot& back = last == first ? front : hold(last);

    const store::BatchRows batch = rows_in_windows(epoch, step, first);
    const std::vector<std::int64_t> numbers = batch.numbers();
    const store::LentRows lent(*samples_->backend, numbers, stream);
    const kernels::PackedSamples samples = joined_samples(front, back);
    const kernels::RowSelection selection = batch.selection(lent.rows(), 2 * window_samples_, epoch);
    const auto gather = [&] { use(samples, selection, part.count()); };
    front.use(stream, [&] {
      if (&back == &front) return gather();
      back.use(stream, gather);
    });
  }
  std::int64_t device_bytes() const override { return ring_.device_bytes(); }
  int depth() const override { return ring_.depth(); }

 private:
  struct Held {
    StagedPart part;
    store::StagingSlot* slot;
  };

  std::vector<std::int64_t> rows_of_window(StagedPart part) const {
    const std::int64_t begin = order_.window_at(part.epoch, part.number, window_samples_) * window_samples_;
    std::vector<std::int64_t> rows;
    for (std::int64_t row = begin; row < std::min(begin + window_samples_, order_.sample_count()); ++row) {
      rows.push_back(row);
    }
    return rows;
  }

  /// Bytes of the rows of a window.
  std::int64_t largest_window(const dataset_file::RowOffsets& rows) const {
    std::int64_t largest = 0;
    for (std::int64_t first = 0; first < order_.sample_count(); first += window_samples_) {
      const std::int64_t count = std::min(window_samples_, order_.sample_count() - first);
      largest = std::max(largest, rows.bytes(first, count));
    }
    return largest;
  }

  void leave_windows_but(StagedPart first, StagedPart last) {
    std::erase_if(held_, [&](const Held& held) {
      if (held.part == first || held.part == last) return false;
      ring_.release(held.part);
      return true;
    });
  }
  store::StagingSlot& hold(StagedPart part) {
    for (const Held& held : held_) {
      if (held.part == part) return *held.slot;
    }
    held_.reserve(held_.size() + 1);  // so that recording an acquired window cannot fail
    held_.push_back({part, &ring_.acquire(part)});
    return *held_.back().slot;
  }

  /// The samples of the first window are rows 0 ... M-1; those of the second, if it is another one, are M ... 2M-1.
  kernels::PackedSamples joined_samples(const store::StagingSlot& first, const store::StagingSlot& second) const {
    const auto join = [&](kernels::PackedRows front, const kernels::PackedRows& back) {
      front.codes = front.staged_codes;
      front.labels = front.staged_labels;
      front.row_offsets = front.staged_offsets;
      front.resident_count = window_samples_;
      front.staged_codes = back.staged_codes;
      front.staged_labels = back.staged_labels;
      front.staged_offsets = back.staged_offsets;
      return front;
    };
    const kernels::PackedSamples front = first.samples(), back = second.samples();
    return {join(front.rows, back.rows), join(front.masks, back.masks)};
  }
  /// A batch, with its rows as numbers of joined_samples().
  store::BatchRows rows_in_windows(std::int64_t epoch, std::int64_t step, StagedPart first) const {
    const std::int64_t first_window = order_.window_at(epoch, first.number, window_samples_);
    store::BatchRows batch = {{}, order_.indices(epoch, step), {}};
    batch.rows.reserve(batch.indices.size());
    for (const std::int64_t index : batch.indices) {
      batch.rows.push_back(index % window_samples_ + (index / window_samples_ == first_window ? 0 : window_samples_));
    }
    return batch;
  }

  std::shared_ptr<const store::StoredSamples> samples_;
  BatchOrder order_;
  std::int64_t window_samples_;
  std::mutex mutex_;
  std::vector<Held> held_;
  StagingRing ring_;  // last: its thread uses the members above
};

}  // namespace

std::unique_ptr<RowProvider> make_window_rows(std::shared_ptr<const store::StoredSamples> samples,
                                              const BatchOrder& order) {
  return std::make_unique<WindowRows>(std::move(samples), order);
}

}  // namespace octavo::loader
