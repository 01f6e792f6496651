// Stages samples that are not resident for single gathers, and reuses the memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "store/staging/staging_slot.hpp"
#include "store/staging/upload.hpp"

namespace octavo::store {

/// Keeps memory for the largest batch so far. Thread-safe: while one thread uses that memory, other threads allocate
/// their own.
class RowStaging {
 public:
  using Use = std::function<void(const kernels::PackedSamples& samples, const kernels::RowSelection& selection)>;

  explicit RowStaging(std::shared_ptr<const StoredSamples> samples) : samples_(std::move(samples)) {}

  /// Reads the samples of `rows` and calls use(), which enqueues the work that needs them on `stream`. Throws
  /// OutOfMemory and the errors of reading.
  void with_rows(std::span<const std::int64_t> rows, StreamRef stream, const Use& use);

 private:
  struct Room {
    Room(const std::shared_ptr<const StoredSamples>& samples, std::int64_t most_rows);
    void with_rows(std::span<const std::int64_t> rows, StreamRef stream, const Use& use);

    std::int64_t most_rows;
    StagingSlot slot;
    std::unique_ptr<Upload> upload;  ///< null on the CPU
  };

  std::shared_ptr<const StoredSamples> samples_;
  std::mutex mutex_;
  std::unique_ptr<Room> room_;
};

}  // namespace octavo::store
