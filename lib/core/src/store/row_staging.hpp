// Batches of chosen samples that are not resident: read for one gather, in memory that serves the next one too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "store/staging_slot.hpp"
#include "store/upload.hpp"

namespace octavo::store {

/// Keeps room for the largest batch so far. Safe to use from several threads: those that come while another one has the
/// room take some of their own.
class RowStaging {
 public:
  using Use = std::function<void(const kernels::PackedRows& packed, const kernels::RowSelection& selection)>;

  explicit RowStaging(std::shared_ptr<const StoredSamples> samples) : samples_(std::move(samples)) {}

  /// Reads the samples of `rows` and calls use(), which enqueues on `stream` what needs them. Throws OutOfMemory, and
  /// what reading them throws.
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
