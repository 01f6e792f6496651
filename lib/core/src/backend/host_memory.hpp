// Memory of the host: how much there is, and large blocks of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "backend/backend.hpp"

namespace octavo::backend {

/// Physical memory, and what an allocation could have of it now, also by the limits of the control group and
/// of address space.
MemoryInfo host_memory();

/// Bytes that the limit of address space (`ulimit -v`) leaves; the largest number without a limit.
std::int64_t free_address_space();

/// Bytes of physical memory that this process holds: its resident set.
std::int64_t resident_set_bytes();

/// Bytes of the last level of the cache; a usual size if the system does not tell.
std::int64_t last_cache_bytes();

/// `bytes` of zeroed memory, on 2 MiB pages where the kernel gives them; null if there is not enough address space.
void* map_memory(std::size_t bytes) noexcept;
void unmap_memory(void* memory, std::size_t bytes) noexcept;

/// The processor's name, as the kernel gives it.
std::string processor_name();

}  // namespace octavo::backend
