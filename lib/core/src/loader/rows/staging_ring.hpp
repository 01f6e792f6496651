// Stages parts of a split on a device, one after another, before they are needed.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "store/staging/staging_slot.hpp"

namespace octavo::loader {

/// The contents of a slot: part `number` of `epoch`. A part is a batch or a window.
struct StagedPart {
  std::int64_t epoch = 0;
  std::int64_t number = 0;
  bool operator==(const StagedPart&) const = default;
};

/// A ring of slots and a thread that fills them with the parts after the last requested one, in epoch order and across
/// epochs. A request for any other part discards the parts read so far, and the thread continues from there.
///
/// An error in reading a part is thrown when that part is requested. Reading ahead then stops until the next request,
/// which reads its part again. Only one thread at a time may call acquire() and release().
class StagingRing {
 public:
  /// How a split is divided into parts.
  struct Parts {
    std::function<std::int64_t(std::int64_t epoch)> count_in;  ///< parts of an epoch, at least 1
    std::int64_t most_rows;                                    ///< largest number of rows in a part
    std::int64_t most_row_bytes, most_mask_bytes;              ///< of a part
    std::function<store::BatchRows(StagedPart)> rows_of;
  };

  /// Allocates `slot_count` slots, or fewer if memory is short, but at least `least_slots`: that many may be held at
  /// the same time. Without `reads_ahead`, or with a single slot, acquire() reads on its own thread. Throws OutOfMemory
  /// if `least_slots` do not fit.
  StagingRing(std::shared_ptr<const store::StoredSamples> samples, Parts parts, int least_slots, int slot_count,
              bool reads_ahead);
  /// Stops the thread, in the middle of a part if necessary.
  ~StagingRing();
  StagingRing(const StagingRing&) = delete;
  StagingRing& operator=(const StagingRing&) = delete;

  /// Returns the slot with this part. It is held until release(). Throws like RowSource::read().
  store::StagingSlot& acquire(StagedPart part);
  /// Allows the slot to be refilled. All uses of it must have been enqueued with StagingSlot::use().
  void release(StagedPart part) noexcept;

  /// Number of parts that are read ahead.
  int depth() const { return reads_ahead_ ? static_cast<int>(slots_.size()) - 1 : 0; }
  std::int64_t device_bytes() const;

 private:
  enum class State { empty, filling, ready, failed, held };
  struct Slot {
    Slot(std::shared_ptr<const store::StoredSamples> samples, const Parts& parts)
        : staging(std::move(samples), parts.most_rows, parts.most_row_bytes, parts.most_mask_bytes) {}
    store::StagingSlot staging;
    State state = State::empty;
    StagedPart part;
    std::exception_ptr failure;
  };
  /// A part whose samples were requested.
  struct StartedPart {
    StagedPart part;
    std::int64_t bytes, ranges;
  };
  /// State shared by the thread and its callers. A child of fork(), which lacks the thread, creates a new one.
  struct Work {
    std::mutex mutex;
    std::condition_variable changed;
    bool stop = false;
    bool active = false;  ///< whether there is a next part to read
    StagedPart next;
    std::uint64_t generation = 0;  ///< counts jumps; a part begun before the last jump is discarded
    std::atomic<bool> cancelled = false;
    std::deque<StartedPart> started;  ///< of the thread alone
    std::thread thread;
  };

  void make_slots(int least_slots, int slot_count);
  void restart();
  void fill(Slot& slot, StagedPart part, const std::atomic<bool>& cancelled);
  /// Requests the samples of this part and those after it, if they come over a network. `started` are those that were
  /// requested before, in order.
  void start_reads(StagedPart part, std::deque<StartedPart>& started) const;
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
  backend::OwnedStream stream_;  ///< stream of the copies; null on the CPU
  std::vector<std::unique_ptr<Slot>> slots_;
  std::unique_ptr<store::Upload> upload_;  ///< shared by all slots, which are filled one after another
  pid_t process_;
  std::unique_ptr<Work> work_;
};

}  // namespace octavo::loader
