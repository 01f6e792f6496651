#include "backend/thread_pool.hpp"

#include <unistd.h>

#include <system_error>
#include <utility>

namespace octavo::backend {

ThreadPool::ThreadPool(int thread_count) : thread_count_(thread_count), process_(::getpid()) { start_workers(); }

ThreadPool::~ThreadPool() {
  if (::getpid() != process_) leave_parents_workers();
  stop_ = true;
  ++generation_;
  generation_.notify_all();
}

void ThreadPool::start_workers() {
  try {
    for (int i = 1; i < thread_count_; ++i) workers_.emplace_back([this] { work_until_stopped(); });
  } catch (const std::system_error&) {
    // No more threads are available (`ulimit`, a control group): the existing ones do the work.
  }
}

void ThreadPool::restart() {
  // One thread of the child does this; the others wait briefly.
  while (beginning_anew_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  if (::getpid() != process_) {
    // A run() in the parent may have held the mutex during fork(). Leak it, like the parent's threads.
    static_cast<void>(owner_.release());
    owner_ = std::make_unique<std::mutex>();
    leave_parents_workers();
    gate_ = 0;
    start_workers();
    process_ = ::getpid();
  }
  beginning_anew_.clear(std::memory_order_release);
}

void ThreadPool::leave_parents_workers() {
  // They do not run in this process and cannot be joined. Leak their handles: a few bytes, once per process.
  static_cast<void>(new std::vector<std::jthread>(std::move(workers_)));
  workers_.clear();
}

void ThreadPool::run(std::int64_t piece_count, void (*work)(void*, std::int64_t), void* context) {
  if (::getpid() != process_) restart();
  const std::unique_lock lock(*owner_, std::try_to_lock);
  if (!lock.owns_lock() || workers_.empty() || piece_count <= 1) {
    for (std::int64_t piece = 0; piece < piece_count; ++piece) work(context, piece);
    return;
  }
  piece_count_ = piece_count;
  work_ = work;
  context_ = context;
  next_piece_.store(0, std::memory_order_relaxed);
  gate_.store(kOpen, std::memory_order_release);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  do_pieces();
  // Wait for workers that have entered. Workers that have not woken yet find the gate closed.
  std::uint32_t inside = gate_.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
  for (; inside != 0; inside = gate_.load(std::memory_order_acquire)) gate_.wait(inside, std::memory_order_acquire);
}

void ThreadPool::work_until_stopped() {
  std::uint32_t seen = 0;
  while (true) {
    generation_.wait(seen, std::memory_order_acquire);
    seen = generation_.load(std::memory_order_acquire);
    if (stop_) return;
    if (!enter()) continue;
    do_pieces();
    leave();
  }
}

bool ThreadPool::enter() {
  std::uint32_t gate = gate_.load(std::memory_order_relaxed);
  do {
    if ((gate & kOpen) == 0) return false;
  } while (!gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel));
  return true;
}

void ThreadPool::leave() {
  if (gate_.fetch_sub(1, std::memory_order_acq_rel) == 1) gate_.notify_all();
}

void ThreadPool::do_pieces() {
  for (std::int64_t piece; (piece = next_piece_.fetch_add(1, std::memory_order_relaxed)) < piece_count_;) {
    work_(context_, piece);
  }
}

}  // namespace octavo::backend
