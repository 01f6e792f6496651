// Runs the threads of a block as fibers.
#include <ucontext.h>

#include <memory>
#include <vector>

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

struct Fiber {
  ucontext_t context{};
  std::unique_ptr<std::byte[]> stack{new std::byte[kStackBytes]};
  bool ended = false;
};

ucontext_t scheduler;
const void* scheduler_stack = nullptr;
std::size_t scheduler_stack_bytes = 0;
std::vector<Fiber> fibers;
Fiber* running = nullptr;
const std::function<void()>* body = nullptr;
std::vector<std::uint64_t> exchange(kMostThreads);

/// Tells AddressSanitizer which stack comes next; `leaving_for_good` frees what it keeps for the old one.
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

void switch_to_scheduler(bool ends) {
  void* kept = nullptr;
  Fiber* self = running;
  announce_switch(ends ? nullptr : &kept, scheduler_stack, scheduler_stack_bytes);
  swapcontext(&self->context, &scheduler);
  announce_arrival(kept, &scheduler_stack, &scheduler_stack_bytes);
}

void switch_to(Fiber& fiber) {
  void* kept = nullptr;
  running = &fiber;
  announce_switch(&kept, fiber.stack.get(), kStackBytes);
  swapcontext(&scheduler, &fiber.context);
  announce_arrival(kept, nullptr, nullptr);
}

void fiber_main() {
  announce_arrival(nullptr, &scheduler_stack, &scheduler_stack_bytes);
  (*body)();
  running->ended = true;
  switch_to_scheduler(true);
}

void run_block(unsigned thread_count) {
  while (fibers.size() < thread_count) fibers.emplace_back();
  for (unsigned i = 0; i < thread_count; ++i) {
    Fiber& fiber = fibers[i];
    fiber.ended = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStackBytes;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, fiber_main, 0);
  }
  for (bool all_ended = false; !all_ended;) {
    all_ended = true;
    for (unsigned i = 0; i < thread_count; ++i) {
      if (fibers[i].ended) continue;
      thread_index = {i, 0, 0};
      switch_to(fibers[i]);
      all_ended = all_ended && fibers[i].ended;
    }
  }
}

}  // namespace

void barrier() {
  const uint3 self = thread_index;
  switch_to_scheduler(false);
  thread_index = self;
}

std::uint64_t& exchange_slot(unsigned thread) { return exchange.at(thread); }

cudaError_t run_grid(const cudaLaunchConfig_t& config, const std::function<void()>& thread_body) {
  const dim3 grid = config.gridDim, block = config.blockDim;
  // The limits of every device since compute capability 3.0; the shim has blocks of one dimension only.
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7FFFFFFFu || grid.y > 65535 || grid.z > 65535 ||
      block.x == 0 || block.x > kMostThreads || block.y != 1 || block.z != 1) {
    return cudaErrorInvalidConfiguration;
  }
  grid_size = grid;
  block_size = block;
  body = &thread_body;
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
