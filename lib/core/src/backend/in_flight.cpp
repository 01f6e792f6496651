#include "backend/in_flight.hpp"

#include <algorithm>
#include <utility>

#include <octavo/errors.hpp>

namespace octavo::backend {
namespace {

/// The largest number of streams expected to use one object at a time.
constexpr std::size_t kMostStreams = 32;

/// Waits. Returns if the device has failed, because then nothing runs on it any more.
template <typename Wait>
void wait_or_give_up(const Wait& wait) noexcept {
  // Twice: the first call may throw an error of other work.
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      return wait();
    } catch (const Error&) {
      // Another call has reported this error or will do so.
    }
  }
}

}  // namespace

void finish(Backend& backend, void* event) noexcept {
  wait_or_give_up([&] { backend.synchronize_event(event); });
}
void finish(Backend& backend, StreamRef stream) noexcept {
  wait_or_give_up([&] { backend.synchronize(stream); });
}

void record_or_finish(Backend& backend, void* event, StreamRef stream) {
  try {
    backend.record(event, stream);
  } catch (...) {
    finish(backend, stream);
    throw;
  }
}

InFlight::~InFlight() {
  for (const Work& work : work_) finish(*backend_, work.done.get());
}

void InFlight::add(StreamRef stream) {
  if (is_immediate(stream)) return;
  try {
    if (!backend_->is_capturing(stream)) record(stream);
  } catch (...) {
    // The work is not recorded, so wait for it here.
    finish(*backend_, stream);
    throw;
  }
}

void InFlight::record(StreamRef stream) {
  const std::uint64_t id = backend_->stream_id(stream);
  const std::lock_guard lock(mutex_);
  auto known = std::find_if(work_.begin(), work_.end(), [&](const Work& work) { return work.stream_id == id; });
  if (known == work_.end()) {
    if (work_.size() == kMostStreams) {
      finish(*backend_, work_.front().done.get());
      work_.erase(work_.begin());
    }
    work_.push_back({id, OwnedEvent(backend_)});
    known = std::prev(work_.end());
  }
  backend_->record(known->done.get(), stream);
}

void InFlight::order_after(StreamRef stream) {
  if (is_immediate(stream) || backend_->is_capturing(stream)) return;
  const std::uint64_t id = backend_->stream_id(stream);
  const std::lock_guard lock(mutex_);
  for (const Work& work : work_) {
    if (work.stream_id != id) backend_->wait(stream, work.done.get());
  }
}

}  // namespace octavo::backend
