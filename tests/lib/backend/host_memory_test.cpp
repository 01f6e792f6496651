#include "backend/host_memory.hpp"

#include <cstring>

#include "catch.hpp"

using namespace octavo::backend;

TEST_CASE("mapped memory is aligned to huge pages and zeroed and released", "[unit][backend]") {
  constexpr std::size_t kBytes = (std::size_t{64} << 20) + 1;
  const std::int64_t before = resident_set_bytes();
  void* memory = map_memory(kBytes);
  REQUIRE(memory != nullptr);
  REQUIRE(reinterpret_cast<std::uintptr_t>(memory) % (std::size_t{2} << 20) == 0);
  REQUIRE(static_cast<char*>(memory)[kBytes - 1] == 0);
  std::memset(memory, 1, kBytes);
  REQUIRE(resident_set_bytes() - before > static_cast<std::int64_t>(kBytes) - (4 << 20));
  unmap_memory(memory, kBytes);
  REQUIRE(resident_set_bytes() - before < (8 << 20));
}

TEST_CASE("a size beyond the address space gives no memory", "[unit][backend]") {
  REQUIRE(map_memory(~std::size_t{0}) == nullptr);
  REQUIRE(map_memory(~std::size_t{0} / 2) == nullptr);
}

TEST_CASE("a small mapping does not use a huge page", "[unit][backend]") {
  const std::int64_t before = resident_set_bytes();
  void* blocks[64];
  for (void*& block : blocks) {
    block = map_memory(4);
    *static_cast<int*>(block) = 1;
  }
  REQUIRE(resident_set_bytes() - before < (8 << 20));
  for (void* block : blocks) unmap_memory(block, 4);
}

TEST_CASE("the last-level cache has a plausible size", "[unit][backend]") {
  REQUIRE(last_cache_bytes() >= (1 << 20));
  REQUIRE(last_cache_bytes() <= (std::int64_t{2} << 30));
}
