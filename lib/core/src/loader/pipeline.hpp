// Prefetches the batches of an epoch into a ring of buffers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <octavo/loader.hpp>

#include "loader/batch_server.hpp"

namespace octavo::loader {

/// Implements Loader. Batch k of an epoch goes to slot k modulo the ring's size.
///
/// With prefetch, batches are enqueued on the pipeline's own stream. The event `filled` completes when a slot's batch
/// is ready; the consumer's stream waits for it. The event `free` completes when the consumer's stream no longer uses
/// the slot; the pipeline's stream waits for it before it fills the slot again. Without prefetch, everything is
/// enqueued on the consumer's stream, and stream order is enough.
class Pipeline {
 public:
  explicit Pipeline(std::shared_ptr<BatchServer> server);
  ~Pipeline();

  const LoaderOptions& options() const { return options_; }
  std::int64_t batches_per_epoch(std::int64_t epoch) const { return server_->order().batches_per_epoch(epoch); }
  std::int64_t device_bytes() const;

  /// Begins an epoch at its first batch, or at the restored one, and prepares the first batches.
  void begin(std::int64_t epoch, StreamRef consumer);
  /// Whether the epoch has no batch left.
  bool is_done() const { return step_ >= epoch_batches_; }
  /// The current batch. Must not be called when the epoch is done.
  const Batch& current() const { return current_; }
  /// Advances to the next batch. After a call that threw, retries the batch that failed.
  void advance();

  LoaderState state() const;
  void restore(const LoaderState& state);

 private:
  struct Slot {
    backend::DeviceBuffer images;
    backend::DeviceBuffer labels;
    backend::DeviceBuffer masks;
    backend::OwnedEvent filled;
    backend::OwnedEvent free;
  };

  Slot& slot_of(std::int64_t step) { return slots_[static_cast<std::size_t>(step) % slots_.size()]; }
  /// Batches enqueued ahead; 0 if the server prefetches on its own.
  int depth() const { return static_cast<int>(slots_.size()) - 1; }
  void make_slots(int depth);
  void prepare_until(std::int64_t end_step);
  void prepare(std::int64_t step);
  void show_current();

  std::shared_ptr<BatchServer> server_;
  LoaderOptions options_;
  bool prefetches_ = false;
  backend::OwnedStream stream_;  ///< the pipeline's own stream, with prefetch
  std::vector<Slot> slots_;

  std::int64_t epoch_ = 0;
  std::int64_t epoch_batches_;      ///< batches of epoch_
  std::int64_t step_ = 0;           ///< step of the current batch
  std::int64_t prepared_end_ = 0;   ///< batches before this step have been enqueued
  std::int64_t restored_step_ = 0;  ///< where the epoch `epoch_` begins after restore(), else 0
  bool is_running_ = false;         ///< whether an epoch has begun
  bool is_shown_ = false;           ///< whether batch step_ is ready; false if making it failed
  StreamRef consumer_;
  Batch current_;
};

}  // namespace octavo::loader
