#include "backend/host_queue.hpp"

#include <utility>

namespace octavo::backend {

HostQueue::HostQueue() : thread_([this] { work_until_stopped(); }) {}

HostQueue::~HostQueue() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void HostQueue::push(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    ++pushed_count_;
  }
  changed_.notify_all();
}

void HostQueue::drain() {
  std::unique_lock lock(mutex_);
  const std::uint64_t goal = pushed_count_;
  changed_.wait(lock, [&] { return done_count_ >= goal; });
}

void HostQueue::work_until_stopped() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
    ++done_count_;
    changed_.notify_all();
  }
}

void HostEvent::expect() {
  const std::lock_guard lock(mutex_);
  ++expected_;
}

void HostEvent::happen() {
  {
    const std::lock_guard lock(mutex_);
    ++happened_;
  }
  changed_.notify_all();
}

std::uint64_t HostEvent::expected() {
  const std::lock_guard lock(mutex_);
  return expected_;
}

void HostEvent::wait_for(std::uint64_t times) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return happened_ >= times; });
}

}  // namespace octavo::backend
