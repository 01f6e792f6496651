// Tracks the work of streams on an object, so that it is not freed or changed too early.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/backend.hpp"

namespace octavo::backend {

/// Tracks the most recent work on each stream. Declare the memory that the work uses before this member, because the
/// destructor of InFlight waits for the work. Thread-safe.
class InFlight {
 public:
  explicit InFlight(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}
  /// Waits for all work.
  ~InFlight();
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  /// Call this after enqueuing work on `stream`. Captured work is not tracked; the user of the graph must wait for it.
  void add(StreamRef stream);
  /// Orders later work on `stream` after the tracked work of all other streams.
  void order_after(StreamRef stream);

 private:
  struct Work {
    std::uint64_t stream_id;
    OwnedEvent done;
  };
  void record(StreamRef stream);
  bool is_immediate(StreamRef stream) const { return backend_->is_host() && stream.handle() == nullptr; }

  std::shared_ptr<Backend> backend_;
  std::mutex mutex_;
  std::vector<Work> work_;
};

}  // namespace octavo::backend
