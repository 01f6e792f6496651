// What streams still have to do with something, so that it is not freed or changed too early.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/backend.hpp"

namespace octavo::backend {

/// Remembers, for each stream, the work that was enqueued last. Memory that the work uses is a member declared before
/// this one: the destructor of InFlight waits first. Safe to use from several threads.
class InFlight {
 public:
  explicit InFlight(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}
  /// Waits for all of the work.
  ~InFlight();
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  /// Work was enqueued on `stream`. What is captured there is the concern of whoever replays the graph.
  void add(StreamRef stream);
  /// What is enqueued on `stream` from now on comes after the work of all other streams.
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
