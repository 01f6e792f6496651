// Host memory: sizes and large allocations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "backend/backend.hpp"

namespace octavo::backend {

/// Returns the physical memory and how much of it an allocation can use now, within the limits of the control group and
/// the address space.
MemoryInfo host_memory();

/// Bytes left by the address space limit (`ulimit -v`); the largest number without a limit.
std::int64_t free_address_space();

/// Size of this process's resident set in bytes.
std::int64_t resident_set_bytes();

/// Size of the last-level cache in bytes; a typical size if the system does not report it.
std::int64_t last_cache_bytes();

/// Maps `bytes` of zeroed memory, on 2 MiB pages where the kernel provides them. Returns null if there is not enough
/// address space.
void* map_memory(std::size_t bytes) noexcept;
void unmap_memory(void* memory, std::size_t bytes) noexcept;
/// The length of the mapping that unmap_memory() expects for `bytes`.
std::size_t mapped_bytes(std::size_t bytes);

/// The processor's name as reported by the kernel.
std::string processor_name();

}  // namespace octavo::backend
