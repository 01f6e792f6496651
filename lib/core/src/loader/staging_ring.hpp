// Parts of a split brought to a device one after another, ahead of when they are needed.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "store/staging_slot.hpp"

namespace octavo::loader {

/// What a slot holds: part `number` of `epoch`, be it a batch or a window.
struct StagedPart {
  std::int64_t epoch = 0;
  std::int64_t number = 0;
  bool operator==(const StagedPart&) const = default;
};

/// Slots, and a thread that fills them in the order of an epoch, and on into the next one: the parts after the one that
/// was asked for last. Asking for another one lets it drop what it has and go on from there.
///
/// What goes wrong while a part is read is thrown when that part is asked for. Then nothing is read ahead until a part
/// is asked for again, which is read anew. acquire() and release() may be called by one thread at a time.
class StagingRing {
 public:
  /// How the parts of a split are numbered, and what is in them.
  struct Parts {
    std::int64_t per_epoch;
    std::int64_t most_rows;  ///< of a part
    std::function<std::vector<std::int64_t>(StagedPart)> rows_of;
  };

  /// Takes `slot_count` slots, or fewer if memory does not suffice, but `least_slots`, which is how many may be held at
  /// the same time. Unless it `reads_ahead` and has more than one, acquire() reads by itself. Throws OutOfMemory if the
  /// least do not fit.
  StagingRing(std::shared_ptr<const store::StoredSamples> samples, Parts parts, int least_slots, int slot_count,
              bool reads_ahead);
  /// Ends the thread, in the middle of a part if need be.
  ~StagingRing();
  StagingRing(const StagingRing&) = delete;
  StagingRing& operator=(const StagingRing&) = delete;

  /// The slot with that part. It is held until release(). Throws what RowSource::read() throws.
  store::StagingSlot& acquire(StagedPart part);
  /// The slot may be filled with another part; those who use it have told it.
  void release(StagedPart part) noexcept;

  /// Parts that are read ahead.
  int depth() const { return reads_ahead_ ? static_cast<int>(slots_.size()) - 1 : 0; }
  std::int64_t device_bytes() const;

 private:
  enum class State { empty, filling, ready, failed, held };
  struct Slot {
    Slot(std::shared_ptr<const store::StoredSamples> samples, std::int64_t most_rows)
        : staging(std::move(samples), most_rows) {}
    store::StagingSlot staging;
    State state = State::empty;
    StagedPart part;
    std::exception_ptr failure;
  };
  /// What the thread and its callers share. In a child process of fork(), where the thread is gone, there is another.
  struct Work {
    std::mutex mutex;
    std::condition_variable changed;
    bool stop = false;
    bool active = false;  ///< there is a next part to read
    StagedPart next;
    std::uint64_t generation = 0;  ///< counts jumps: a part that was begun before the last one is dropped
    std::atomic<bool> cancelled = false;
    std::thread thread;
  };

  void make_slots(int least_slots, int slot_count);
  void begin_anew();
  void fill(Slot& slot, StagedPart part, const std::atomic<bool>& cancelled);
  StagedPart after(StagedPart part) const;
  Slot* find(StagedPart part);
  Slot* find_empty();
  Slot& fill_here(StagedPart part);
  bool has_thread();
  Slot& wait_for(StagedPart part);
  void jump_to(StagedPart part);
  void stop_thread();
  void work_until_stopped(Work& work);

  std::shared_ptr<const store::StoredSamples> samples_;
  Parts parts_;
  bool reads_ahead_;
  backend::OwnedStream stream_;  ///< of the copies; null on the CPU
  std::vector<std::unique_ptr<Slot>> slots_;
  std::unique_ptr<store::Upload> upload_;  ///< serves all slots, which are filled one after another
  pid_t process_;
  std::unique_ptr<Work> work_;
};

}  // namespace octavo::loader
