#include "loader/batch_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <octavo/order.hpp>

#include "kernels/cpu/permute.hpp"
#include "loader/loader_identity.hpp"

namespace octavo::loader {
namespace {

kernels::OrderKey key(std::int64_t count, std::uint64_t seed, std::int64_t epoch, bool shuffled) {
  return kernels::make_order_key(count, seed, static_cast<std::uint64_t>(epoch), shuffled);
}

}  // namespace

BatchOrder::BatchOrder(LoaderOptions options, std::int64_t sample_count)
    : options_(std::make_shared<LoaderOptions>(std::move(options))), sample_count_(sample_count) {
  if (is_default(options_->sampling)) return;
  const std::shared_ptr<const Sampling> sampling(options_, &options_->sampling);
  sampler_ =
      std::make_shared<const Sampler>(sampling, sample_count, options_->seed, options_->shuffle == Shuffle(true));
  sample_count_ = sampler_->order().position_count;
}

kernels::EpochBatches BatchOrder::batches() const {
  using kernels::LastBatch;
  const LastBatch last = options_->carry_over  ? LastBatch::carry
                         : options_->drop_last ? LastBatch::drop
                                               : LastBatch::keep;
  return {sample_count_, options_->batch_size, last};
}

std::int64_t BatchOrder::largest_count() const {
  return std::min(sample_count_, (options_->batch_size + options_->world_size - 1) / options_->world_size);
}

BatchPositions BatchOrder::whole(std::int64_t epoch, std::int64_t step) const {
  const EpochDivision division = this->division();
  const std::int64_t first = division.first(epoch, step);
  return {first, division.end(epoch, step) - first};
}

BatchPart BatchOrder::part(std::int64_t epoch, std::int64_t step, std::int64_t rank) const {
  const BatchPositions whole = this->whole(epoch, step);
  const std::int64_t R = options_->world_size;
  if (!options_->equal_shares || whole.count % R == 0) {
    const kernels::BatchShare share = kernels::batch_share(whole.count, rank, R);
    return {{whole.first + share.first, share.count()}, 0};
  }
  const std::int64_t size = (whole.count + R - 1) / R;
  const std::int64_t begin = std::min(rank * size, whole.count);
  const std::int64_t own = std::min(size, whole.count - begin);
  return {{whole.first + begin, own}, size - own};
}

std::optional<kernels::BatchNumber> BatchOrder::batch_at(LoaderPlace place) const {
  const std::int64_t B = options_->batch_size;
  if (options_->carry_over && place.samples <= -B) place = {place.epoch - 1, place.samples + sample_count_};
  if (place.epoch < 0 || place.samples > sample_count_) return std::nullopt;
  const EpochDivision division = this->division();
  const std::int64_t count = division.count(place.epoch);
  if (place.samples == sample_count_ && !options_->carry_over) return kernels::BatchNumber{place.epoch, count};
  if (place.samples == division.first(place.epoch, 0)) return kernels::BatchNumber{place.epoch, 0};
  const std::int64_t from_lead = place.samples + division.lead(place.epoch);
  if (from_lead < 0 || from_lead % B != 0 || from_lead / B > count) return std::nullopt;
  return kernels::BatchNumber{place.epoch, from_lead / B};
}

std::optional<kernels::RowSelection> BatchOrder::selection(std::int64_t epoch, std::int64_t step,
                                                           const BatchPart& part) const {
  const BatchPositions& positions = part.own;
  if (sampler_ || positions.first < 0 || part.repeats > 0) return std::nullopt;
  switch (options_->shuffle.kind()) {
    case Shuffle::Kind::none:
    case Shuffle::Kind::global:
      return kernels::rows_in_order(key(sample_count_, options_->seed, epoch, options_->shuffle == Shuffle(true)),
                                    positions.first, static_cast<std::uint64_t>(epoch));
    case Shuffle::Kind::blocks: {
      // Full blocks are shuffled; a short one stays at the end.
      const std::int64_t B = options_->batch_size, whole = sample_count_ / B;
      const std::int64_t block = step < whole ? kernels::permute(key(whole, options_->seed, epoch, true), step) : step;
      return kernels::rows_from(positions.first + (block - step) * B, sample_count_, static_cast<std::uint64_t>(epoch));
    }
    case Shuffle::Kind::windows:
      return std::nullopt;
  }
  return std::nullopt;
}

store::BatchRows BatchOrder::rows(std::int64_t epoch, std::int64_t step, std::int64_t rank) const {
  const BatchPart part = this->part(epoch, step, rank);
  store::BatchRows batch;
  if (const auto selection = this->selection(epoch, step, part)) {
    batch.rows.resize(static_cast<std::size_t>(part.own.count));
    kernels::cpu::permute_range(selection->order, selection->first_position, part.own.count, batch.rows.data());
    return batch;
  }
  append(epoch, part.own, batch);
  const BatchPositions whole = this->whole(epoch, step);
  // The ranks' parts in sequence repeat the batch.
  std::int64_t next = (rank * part.count() + part.own.count) % whole.count;
  for (std::int64_t left = part.repeats; left > 0; next = 0) {
    const std::int64_t run = std::min(left, whole.count - next);
    append(epoch, {whole.first + next, run}, batch);
    left -= run;
  }
  return batch;
}

void BatchOrder::append(std::int64_t epoch, BatchPositions positions, store::BatchRows& batch) const {
  const std::int64_t carried = std::min(positions.count, std::max<std::int64_t>(0, -positions.first));
  const std::size_t before = batch.rows.size();
  append_of_epoch(epoch - 1, {sample_count_ + positions.first, carried}, batch);
  append_of_epoch(epoch, {positions.first + carried, positions.count - carried}, batch);
  if (carried == 0 && batch.epochs.empty()) return;  // all are of the batch's epoch
  batch.epochs.resize(before, epoch);
  batch.epochs.resize(before + static_cast<std::size_t>(carried), epoch - 1);
  batch.epochs.resize(batch.rows.size(), epoch);
}

void BatchOrder::append_of_epoch(std::int64_t epoch, BatchPositions positions, store::BatchRows& batch) const {
  if (positions.count == 0) return;
  const std::size_t before = batch.rows.size(), after = before + static_cast<std::size_t>(positions.count);
  if (sampler_) {
    sampler_->append_rows(epoch, positions.first, positions.count, batch.rows);
    if (!sampler_->order().draws_by_position) return;
    batch.indices.resize(after);
    std::iota(batch.indices.begin() + static_cast<std::ptrdiff_t>(before), batch.indices.end(), positions.first);
  } else if (options_->shuffle.kind() == Shuffle::Kind::windows) {
    append_window_rows(epoch, positions, batch.rows);
  } else {
    batch.rows.resize(after);
    kernels::cpu::permute_range(key(sample_count_, options_->seed, epoch, options_->shuffle == Shuffle(true)),
                                positions.first, positions.count, batch.rows.data() + before);
  }
}

LoaderState BatchOrder::state(std::int64_t epoch, std::int64_t step) const {
  const EpochDivision division = this->division();
  std::optional<std::int64_t> samples;
  if (division.is_shifted(epoch)) samples = std::min(sample_count_, division.first(epoch, step));
  return {.order_version = kOrderVersion,
          .epoch = epoch,
          .step = step,
          .samples = samples,
          .seed = options_->seed,
          .batch_size = options_->batch_size,
          .sample_count = sample_count_,
          .shuffle = options_->shuffle,
          .drop_last = options_->drop_last,
          .carry_over = options_->carry_over,
          .sampling = digest(options_->sampling),
          .split = {},
          .data = {},
          .normalization = {},
          .augmentation = {}};
}

std::int64_t BatchOrder::window_at(std::int64_t epoch, std::int64_t number, std::int64_t window_samples) const {
  const std::int64_t whole = sample_count_ / window_samples;
  if (options_->shuffle.kind() != Shuffle::Kind::windows || number >= whole) return number;
  return kernels::permute(key(whole, options_->seed, epoch, true), number);
}

void BatchOrder::append_window_rows(std::int64_t epoch, BatchPositions positions,
                                    std::vector<std::int64_t>& rows) const {
  const std::int64_t M = options_->shuffle.window_samples();
  for (std::int64_t position = positions.first; position < positions.first + positions.count;) {
    const std::int64_t number = position / M, inside = position % M;
    const std::int64_t window = window_at(epoch, number, M);
    const std::int64_t length = std::min(M, sample_count_ - number * M);  // a short window stays last
    const std::int64_t count = std::min(length - inside, positions.first + positions.count - position);
    const std::size_t before = rows.size();
    rows.resize(before + static_cast<std::size_t>(count));
    kernels::cpu::permute_range(key(length, kernels::seed_of_part(options_->seed, window), epoch, true), inside, count,
                                rows.data() + before);
    for (std::size_t i = before; i < rows.size(); ++i) rows[i] += window * M;
    position += count;
  }
}

}  // namespace octavo::loader
