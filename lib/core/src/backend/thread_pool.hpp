// A thread pool that spreads a batch over the cores within a few microseconds.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace octavo::backend {

/// A fixed set of threads, or fewer if the system provides no more. run() is thread-safe: while one call has the
/// workers, other calls work on their own thread instead of waiting. A child of fork() has none of its parent's
/// threads, so its first run() starts new ones.
class ThreadPool {
 public:
  explicit ThreadPool(int thread_count);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Number of threads that work on a run(), including the caller's.
  int thread_count() const { return thread_count_; }

  /// Calls work(context, piece) for every piece in [0, piece_count), in any order and on any thread. Returns when all
  /// are done. `work` must not throw.
  void run(std::int64_t piece_count, void (*work)(void* context, std::int64_t piece), void* context);

  /// The same for a function object.
  template <typename Work>
  void run(std::int64_t piece_count, Work&& work) {
    run(
        piece_count,
        [](void* context, std::int64_t piece) { (*static_cast<std::remove_reference_t<Work>*>(context))(piece); },
        const_cast<void*>(static_cast<const void*>(&work)));
  }

 private:
  void start_workers();
  void restart();
  void leave_parents_workers();
  void work_until_stopped();
  void do_pieces();
  bool enter();
  void leave();

  /// Flag in gate_: the run accepts workers. The other bits count the workers inside.
  static constexpr std::uint32_t kOpen = std::uint32_t{1} << 31;

  int thread_count_;
  std::atomic<pid_t> process_;  ///< owner of the workers
  std::atomic_flag beginning_anew_;
  std::vector<std::jthread> workers_;
  std::unique_ptr<std::mutex> owner_ = std::make_unique<std::mutex>();  ///< held by the run() that has the workers
  std::atomic<std::uint32_t> generation_{0};                            ///< counts runs; workers sleep on it
  std::atomic<std::uint32_t> gate_{0};
  std::atomic<std::int64_t> next_piece_{0};
  std::atomic<bool> stop_{false};
  // The current run. Written only while the gate is closed and no worker is inside; read only by workers inside.
  std::int64_t piece_count_ = 0;
  void (*work_)(void*, std::int64_t) = nullptr;
  void* context_ = nullptr;
};

}  // namespace octavo::backend
