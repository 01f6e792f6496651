#include "backend/thread_pool.hpp"

namespace octavo::backend {

ThreadPool::ThreadPool(int thread_count) {
  for (int i = 1; i < thread_count; ++i) workers_.emplace_back([this] { work_until_stopped(); });
}

ThreadPool::~ThreadPool() {
  stop_ = true;
  ++generation_;
  generation_.notify_all();
}

void ThreadPool::run(std::int64_t piece_count, void (*work)(void*, std::int64_t), void* context) {
  const std::unique_lock lock(owner_, std::try_to_lock);
  if (!lock.owns_lock() || workers_.empty() || piece_count <= 1) {
    for (std::int64_t piece = 0; piece < piece_count; ++piece) work(context, piece);
    return;
  }
  piece_count_ = piece_count;
  work_ = work;
  context_ = context;
  next_piece_.store(0, std::memory_order_relaxed);
  busy_workers_.store(static_cast<std::int32_t>(workers_.size()), std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  do_pieces();
  // Every worker has to leave this run before the next one may change what it reads.
  for (std::int32_t busy; (busy = busy_workers_.load(std::memory_order_acquire)) != 0;) busy_workers_.wait(busy);
}

void ThreadPool::work_until_stopped() {
  std::uint32_t seen = 0;
  while (true) {
    generation_.wait(seen, std::memory_order_acquire);
    seen = generation_.load(std::memory_order_acquire);
    if (stop_) return;
    do_pieces();
    if (busy_workers_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_workers_.notify_all();
  }
}

void ThreadPool::do_pieces() {
  for (std::int64_t piece; (piece = next_piece_.fetch_add(1, std::memory_order_relaxed)) < piece_count_;) {
    work_(context_, piece);
  }
}

}  // namespace octavo::backend
