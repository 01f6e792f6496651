// The batches of an epoch, prepared ahead in a ring of buffers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <octavo/loader.hpp>

#include "loader/batch_server.hpp"

namespace octavo::loader {

/// What a Loader does. Batch k of an epoch goes to slot k modulo the ring's size.
///
/// With prefetch, batches are enqueued on a stream of the pipeline's own: `filled` says that a slot's batch is there,
/// which the consumer's stream waits for; `free` says that the consumer's stream has passed everything that used the
/// slot's last batch, which the pipeline's stream waits for before it fills the slot again. Without, everything is
/// enqueued on the consumer's stream, whose order is enough.
class Pipeline {
 public:
  explicit Pipeline(std::shared_ptr<BatchServer> server);
  ~Pipeline();

  const LoaderOptions& options() const { return options_; }
  std::int64_t batches_per_epoch() const { return batches_per_epoch_; }
  std::int64_t device_bytes() const;

  /// Begins an epoch at the batch where it is to begin, and prepares the first batches.
  void begin(std::int64_t epoch, StreamRef consumer);
  /// Whether the epoch has no batch left.
  bool is_done() const { return step_ >= batches_per_epoch_; }
  /// The current batch. Not to be called when the epoch is done.
  const Batch& current() const { return current_; }
  /// Goes on to the next batch; after a call that threw, to the batch that could not be made.
  void advance();

  LoaderState state() const;
  void restore(const LoaderState& state);

 private:
  struct Slot {
    backend::DeviceBuffer images;
    backend::DeviceBuffer labels;
    backend::OwnedEvent filled;
    backend::OwnedEvent free;
  };

  Slot& slot_of(std::int64_t step) { return slots_[static_cast<std::size_t>(step) % slots_.size()]; }
  /// Batches enqueued ahead; 0 if the server prepares them ahead by itself.
  int depth() const { return static_cast<int>(slots_.size()) - 1; }
  void make_slots(int depth);
  void prepare_until(std::int64_t end_step);
  void prepare(std::int64_t step);
  void show_current();

  std::shared_ptr<BatchServer> server_;
  LoaderOptions options_;
  std::int64_t batches_per_epoch_;
  bool prefetches_ = false;
  backend::OwnedStream stream_;  ///< of the pipeline, with prefetch
  std::vector<Slot> slots_;

  std::int64_t epoch_ = 0;
  std::int64_t step_ = 0;           ///< of the current batch
  std::int64_t prepared_end_ = 0;   ///< batches below it have been enqueued
  std::int64_t restored_step_ = 0;  ///< where the epoch `epoch_` begins after restore(), else 0
  bool is_running_ = false;         ///< an epoch has begun
  bool is_shown_ = false;           ///< batch step_ is there; false if making it has failed
  StreamRef consumer_;
  Batch current_;
};

}  // namespace octavo::loader
