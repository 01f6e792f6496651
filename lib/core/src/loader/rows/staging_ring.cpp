#include "loader/rows/staging_ring.hpp"

#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include <octavo/errors.hpp>

namespace octavo::loader {

namespace {

/// What is requested over a network while a part is filled, and that part: 12.5 GB/s times 5 ms, or 125 MB/s times 0.5
/// s; and enough ranges that some hundred are always on their way.
constexpr std::int64_t kMostStartedBytes = std::int64_t{64} << 20, kMostStartedRanges = 512;
/// More parts at a time would delay the one that is needed first: a source may fetch them in the order of the file.
constexpr std::int64_t kStartedPerPart = 4;
/// Of a split that is nearly all on the device, most parts need nothing.
constexpr std::int64_t kMostStartedParts = 256;

}  // namespace

StagingRing::StagingRing(std::shared_ptr<const store::StoredSamples> samples, Parts parts, int least_slots,
                         int slot_count, bool reads_ahead)
    : samples_(std::move(samples)),
      parts_(std::move(parts)),
      reads_ahead_(reads_ahead),
      process_(::getpid()),
      work_(std::make_unique<Work>()) {
  if (!samples_->backend->is_host()) stream_ = backend::OwnedStream(samples_->backend);
  make_slots(least_slots, slot_count);
  upload_ = slots_.front()->staging.make_upload();
}

StagingRing::~StagingRing() {
  if (process_ == ::getpid()) {
    stop_thread();
  } else {
    // The thread belongs to the parent: do not destroy its handle here, nor a mutex that it may hold.
    static_cast<void>(work_.release());
  }
  if (stream_.get() != nullptr) backend::finish(*samples_->backend, StreamRef(stream_.get()));
}

void StagingRing::make_slots(int least_slots, int slot_count) {
  for (int i = 0; i < slot_count; ++i) {
    try {
      slots_.push_back(std::make_unique<Slot>(samples_, parts_));
    } catch (const OutOfMemory&) {
      if (i < least_slots) throw;
      return;  // read ahead less
    }
  }
}

std::int64_t StagingRing::device_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& slot : slots_) bytes += slot->staging.device_bytes();
  return bytes;
}

store::StagingSlot& StagingRing::acquire(StagedPart part) {
  if (process_ != ::getpid()) restart();
  Slot& slot = depth() > 0 && has_thread() ? wait_for(part) : fill_here(part);
  return slot.staging;
}

void StagingRing::restart() {
  // Held slots keep their contents. The others are in an unknown state, left by the parent's thread.
  for (auto& slot : slots_) {
    if (slot->state != State::held) slot = std::make_unique<Slot>(samples_, parts_);
  }
  static_cast<void>(work_.release());  // its thread and the holder of its mutex are in the parent
  work_ = std::make_unique<Work>();
  process_ = ::getpid();
}

void StagingRing::release(StagedPart part) noexcept {
  const auto give_back = [&] {
    Slot* slot = find(part);
    if (slot != nullptr && slot->state == State::held) slot->state = State::empty;
  };
  if (process_ != ::getpid()) return give_back();  // a child of fork(), which has no thread yet
  const std::lock_guard lock(work_->mutex);
  give_back();
  work_->changed.notify_all();
}

void StagingRing::fill(Slot& slot, StagedPart part, const std::atomic<bool>& cancelled) {
  slot.staging.fill(parts_.rows_of(part), upload_.get(), StreamRef(stream_.get()), cancelled);
}

void StagingRing::start_reads(StagedPart part, std::deque<StartedPart>& started) const {
  if (!samples_->rows->is_remote()) return;
  while (!started.empty() && started.front().part != part) started.pop_front();  // all of them after a jump
  std::int64_t bytes = 0, ranges = 0;
  for (const StartedPart& other : started) {
    bytes += other.bytes;
    ranges += other.ranges;
  }
  StagedPart next = started.empty() ? part : after(started.back().part);
  const std::int64_t most = std::min(kMostStartedParts, std::ssize(started) + kStartedPerPart);
  const auto is_wanted = [&] {
    if (std::ssize(started) <= depth()) return true;
    // The weights of the next epoch may change before it begins.
    return std::ssize(started) < most && ranges < kMostStartedRanges && next.epoch == part.epoch;
  };
  while (bytes <= kMostStartedBytes && is_wanted()) {
    const store::PlacedBatch placed = store::place(parts_.rows_of(next), samples_->resident);
    started.push_back({.part = next,
                       .bytes = std::ssize(placed.staged) * samples_->rows_in_source.mean_bytes(),
                       .ranges = samples_->rows->start(placed.staged)});
    bytes += started.back().bytes;
    ranges += started.back().ranges;
    next = after(next);
  }
}

StagedPart StagingRing::after(StagedPart part) const {
  if (part.number + 1 < parts_.count_in(part.epoch)) return {part.epoch, part.number + 1};
  return {part.epoch + 1, 0};
}

StagingRing::Slot* StagingRing::find(StagedPart part) {
  for (const auto& slot : slots_) {
    if (slot->state != State::empty && slot->part == part) return slot.get();
  }
  return nullptr;
}

StagingRing::Slot* StagingRing::find_empty() {
  for (const auto& slot : slots_) {
    if (slot->state == State::empty) return slot.get();
  }
  return nullptr;
}

StagingRing::Slot& StagingRing::fill_here(StagedPart part) {
  const std::atomic<bool> never = false;
  Slot& slot = *find_empty();
  fill(slot, part, never);
  slot.part = part;
  slot.state = State::held;
  return slot;
}

bool StagingRing::has_thread() {
  if (work_->thread.joinable()) return true;
  try {
    work_->thread = std::thread([this] { work_until_stopped(*work_); });
    return true;
  } catch (const std::system_error&) {
    return false;  // no thread is available: nothing is read ahead
  }
}

StagingRing::Slot& StagingRing::wait_for(StagedPart part) {
  Work& work = *work_;
  std::unique_lock lock(work.mutex);
  for (;;) {
    Slot* slot = find(part);
    // The thread reads this part without a jump only if it is the next one and a slot is free.
    if (slot == nullptr && !(work.active && work.next == part && find_empty() != nullptr)) jump_to(part);
    if (slot != nullptr && slot->state == State::ready) {
      slot->state = State::held;
      return *slot;
    }
    if (slot != nullptr && slot->state == State::failed) {
      slot->state = State::empty;
      std::rethrow_exception(std::exchange(slot->failure, nullptr));
    }
    work.changed.wait(lock);
  }
}

void StagingRing::jump_to(StagedPart part) {
  ++work_->generation;
  work_->cancelled = true;
  for (const auto& slot : slots_) {
    if (slot->state == State::ready || slot->state == State::failed) slot->state = State::empty;
  }
  work_->next = part;
  work_->active = true;
  work_->changed.notify_all();
}

void StagingRing::stop_thread() {
  {
    const std::lock_guard lock(work_->mutex);
    work_->stop = true;
    work_->cancelled = true;
    work_->changed.notify_all();
  }
  if (work_->thread.joinable()) work_->thread.join();
}

void StagingRing::work_until_stopped(Work& work) {
  std::unique_lock lock(work.mutex);
  for (;;) {
    Slot* slot = nullptr;
    work.changed.wait(lock, [&] { return work.stop || (work.active && (slot = find_empty()) != nullptr); });
    if (work.stop) return;
    slot->state = State::filling;
    slot->part = work.next;
    work.next = after(work.next);
    work.cancelled = false;
    const std::uint64_t generation = work.generation;
    std::exception_ptr failure;
    lock.unlock();
    try {
      start_reads(slot->part, work.started);
      fill(*slot, slot->part, work.cancelled);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (generation != work.generation) {
      slot->state = State::empty;
    } else if (failure) {
      slot->state = State::failed;
      slot->failure = failure;
      work.active = false;
    } else {
      slot->state = State::ready;
    }
    work.changed.notify_all();
  }
}

}  // namespace octavo::loader
