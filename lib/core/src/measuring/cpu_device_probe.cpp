// Probes the CPU: its cache, and copies of host memory on all threads.
#include <cstring>

#include "backend/host_memory.hpp"
#include "backend/thread_pool.hpp"
#include "kernels/cpu/streaming_copy.hpp"
#include "measuring/device_probe.hpp"
#include "support/threads.hpp"

namespace octavo::measuring {
namespace {

using PieceCopy = void (*)(void*, const void*, std::size_t);

void copy_piece(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

CopyMethod on_all_threads(const std::string& name, std::shared_ptr<backend::ThreadPool> pool, PieceCopy copy) {
  return {name, [pool = std::move(pool), copy](void* to, const void* from, std::size_t bytes) {
            const auto pieces = static_cast<std::size_t>(pool->thread_count());
            pool->run(static_cast<std::int64_t>(pieces), [&](std::int64_t piece) {
              // Whole pages, so that no two threads share a cache line.
              const auto place = [&](std::size_t number) {
                return number == pieces ? bytes : bytes / pieces * number / 4096 * 4096;
              };
              const std::size_t first = place(static_cast<std::size_t>(piece)),
                                last = place(static_cast<std::size_t>(piece) + 1);
              copy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first, last - first);
            });
          }};
}

}  // namespace

DeviceProbe probe_cpu() {
  const auto pool = std::make_shared<backend::ThreadPool>(available_threads());
  return {backend::last_cache_bytes(),
          {on_all_threads("memcpy", pool, &copy_piece),
           on_all_threads("a copy past the cache", pool, &kernels::cpu::streaming_copy)}};
}

std::int64_t taken_bytes(const backend::Backend& backend) {
  if (backend.is_host()) return backend::resident_set_bytes();
  const backend::MemoryInfo memory = backend.memory();
  return memory.total_bytes - memory.free_bytes;
}

}  // namespace octavo::measuring
