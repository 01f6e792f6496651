// Runs the threads of a block as fibers.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "context_switch.hpp"
#include "cuda_runtime.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace cuda_shim {

uint3 block_index{}, thread_index{};
dim3 grid_size, block_size;

namespace {

constexpr std::size_t kStackBytes = std::size_t{128} << 10;
constexpr unsigned kMostThreads = 1024;
constexpr unsigned kWarp = 32;

/// A point where fibers wait for each other. `generation` counts how often all of them have arrived.
struct Barrier {
  unsigned live = 0;  ///< fibers that have not ended
  unsigned arrived = 0;
  unsigned generation = 0;

  void open_if_complete() {
    if (arrived < live) return;
    arrived = 0;
    ++generation;
  }
};

struct Fiber {
  Context context;
  std::unique_ptr<std::byte[]> stack{new std::byte[kStackBytes]};
  const Barrier* waits_at = nullptr;
  unsigned generation = 0;  ///< the generation whose end it waits for
  bool ended = false;

  bool can_run() const { return !ended && (waits_at == nullptr || waits_at->generation != generation); }
};

Context scheduler;
const void* scheduler_stack = nullptr;
std::size_t scheduler_stack_bytes = 0;
std::deque<Fiber> fibers;
Fiber* running = nullptr;
const KernelCall* running_call = nullptr;
std::vector<std::uint64_t> exchange(kMostThreads);
Barrier whole_block;
Barrier warps[kMostThreads / kWarp];

/// Tells AddressSanitizer which stack comes next, and where to save the state of the old one.
void announce_switch([[maybe_unused]] void** keep, [[maybe_unused]] const void* stack,
                     [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(keep, stack, bytes);
#endif
}
void announce_arrival([[maybe_unused]] void* kept, [[maybe_unused]] const void** from,
                      [[maybe_unused]] std::size_t* bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(kept, from, bytes);
#endif
}

void switch_to_scheduler() {
  void* kept = nullptr;
  announce_switch(&kept, scheduler_stack, scheduler_stack_bytes);
  switch_context(running->context, scheduler);
  announce_arrival(kept, &scheduler_stack, &scheduler_stack_bytes);
}

void switch_to(Fiber& fiber) {
  void* kept = nullptr;
  running = &fiber;
  announce_switch(&kept, fiber.stack.get(), kStackBytes);
  switch_context(scheduler, fiber.context);
  announce_arrival(kept, nullptr, nullptr);
}

void leave(Barrier& barrier) {
  --barrier.live;
  if (barrier.live > 0) barrier.open_if_complete();
}

/// A fiber runs one thread after another, because setting up a new fiber is slow with AddressSanitizer.
void fiber_main() {
  announce_arrival(nullptr, &scheduler_stack, &scheduler_stack_bytes);
  while (true) {
    running_call->run_thread();
    running->ended = true;
    leave(whole_block);
    leave(warps[thread_index.x / kWarp]);
    switch_to_scheduler();
  }
}

void wait_at(Barrier& barrier) {
  running->waits_at = &barrier;
  running->generation = barrier.generation;
  ++barrier.arrived;
  barrier.open_if_complete();
  if (!running->can_run()) switch_to_scheduler();
}

void prepare_block(unsigned thread_count) {
  while (fibers.size() < thread_count) {
    fibers.emplace_back();
    make_context(fibers.back().context, fibers.back().stack.get(), kStackBytes, fiber_main);
  }
  whole_block = {.live = thread_count};
  for (unsigned first = 0; first < thread_count; first += kWarp) {
    warps[first / kWarp] = {.live = thread_count - first < kWarp ? thread_count - first : kWarp};
  }
  for (unsigned i = 0; i < thread_count; ++i) {
    fibers[i].ended = false;
    fibers[i].waits_at = nullptr;
  }
}

void run_block(unsigned thread_count) {
  prepare_block(thread_count);
  while (whole_block.live > 0) {
    bool any_ran = false;
    for (unsigned i = 0; i < thread_count; ++i) {
      if (!fibers[i].can_run()) continue;
      any_ran = true;
      thread_index = {i, 0, 0};
      switch_to(fibers[i]);
    }
    if (any_ran) continue;
    std::fputs("cuda_shim: the threads of a block wait at different barriers\n", stderr);
    std::abort();
  }
}

}  // namespace

void block_barrier() { wait_at(whole_block); }
void warp_barrier() { wait_at(warps[thread_index.x / kWarp]); }

std::uint64_t& exchange_slot(unsigned thread) { return exchange.at(thread); }

/// The limits of every device since compute capability 3.0.
bool is_possible(const cudaLaunchConfig_t& config) {
  const dim3 grid = config.gridDim, block = config.blockDim;
  return grid.x > 0 && grid.y > 0 && grid.z > 0 && grid.x <= 0x7FFFFFFFu && grid.y <= 65535 && grid.z <= 65535 &&
         block.x > 0 && block.x <= kMostThreads && block.y == 1 && block.z == 1;
}

cudaError_t run_grid(const cudaLaunchConfig_t& config, const KernelCall& call) {
  if (!is_possible(config)) return cudaErrorInvalidConfiguration;
  const dim3 grid = config.gridDim, block = config.blockDim;
  static std::mutex one_grid;
  const std::lock_guard lock(one_grid);
  grid_size = grid;
  block_size = block;
  running_call = &call;
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        block_index = {x, y, z};
        run_block(block.x);
      }
    }
  }
  return cudaSuccess;
}

}  // namespace cuda_shim
