#include "backend/host_memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

namespace octavo::backend {
namespace {

constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

/// Returns the number after `key` in a file of "key: number kB" lines, in bytes, or -1 if there is none.
std::int64_t kilobytes_after(const char* file_name, const std::string& key) {
  std::ifstream file(file_name);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    std::istringstream rest(line.substr(key.size()));
    std::int64_t kilobytes = -1;
    if (rest >> kilobytes) return kilobytes * 1024;
  }
  return -1;
}

/// Returns the number after `key` in a file of "key number" lines, or 0 if there is none.
std::int64_t number_after(const std::string& file_name, const std::string& key) {
  std::ifstream file(file_name);
  std::string word;
  std::int64_t number = 0;
  while (file >> word >> number) {
    if (word == key) return number;
  }
  return 0;
}

std::int64_t number_in(const std::string& file_name) {
  std::ifstream file(file_name);
  std::int64_t number = -1;
  return file >> number ? number : -1;
}

/// Memory that the control group (version 2) still allows; a large number without a limit.
std::int64_t free_bytes_by_cgroup() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::")) continue;
    for (const std::string& folder : {"/sys/fs/cgroup" + line.substr(3), std::string("/sys/fs/cgroup")}) {
      const std::int64_t most = number_in(folder + "/memory.max");
      const std::int64_t used = number_in(folder + "/memory.current");
      // Cached files count as used, but an allocation can evict them.
      const std::int64_t cached =
          number_after(folder + "/memory.stat", "inactive_file") + number_after(folder + "/memory.stat", "active_file");
      if (most >= 0 && used >= 0) return std::clamp<std::int64_t>(most - used + cached, 0, most);
    }
  }
  return std::numeric_limits<std::int64_t>::max();
}

}  // namespace

std::size_t mapped_bytes(std::size_t bytes) { return (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes; }

std::int64_t free_address_space() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<std::int64_t>::max();
  }
  const std::int64_t used = std::max<std::int64_t>(0, kilobytes_after("/proc/self/status", "VmSize:"));
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(limit.rlim_cur) - used);
}

MemoryInfo host_memory() {
  // Half of it, because thread stacks and allocator pools reserve far more address space than they use.
  const std::int64_t by_limit = free_address_space() / 2;
  const std::int64_t total = kilobytes_after("/proc/meminfo", "MemTotal:");
  const std::int64_t available = kilobytes_after("/proc/meminfo", "MemAvailable:");
  // If that cannot be read (no descriptors are left), a system call gives the free memory, without caches.
  const std::int64_t page_bytes = ::sysconf(_SC_PAGESIZE);
  return {total >= 0 ? total : ::sysconf(_SC_PHYS_PAGES) * page_bytes,
          std::min({available >= 0 ? available : ::sysconf(_SC_AVPHYS_PAGES) * page_bytes, free_bytes_by_cgroup(),
                    by_limit})};
}

std::int64_t resident_set_bytes() { return std::max<std::int64_t>(0, kilobytes_after("/proc/self/status", "VmRSS:")); }

std::int64_t last_cache_bytes() {
  // Prefer the kernel's value: the C library's was ten times too large on one virtual machine.
  std::int64_t most_kilobytes = 0;
  for (int index = 0; index < 8; ++index) {
    // "32768K"
    most_kilobytes = std::max(most_kilobytes,
                              number_in("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size"));
  }
  if (most_kilobytes > 0) return most_kilobytes * 1024;
  const long bytes = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? bytes : std::int64_t{32} << 20;
}

void* map_memory(std::size_t bytes) noexcept {
  // Map more than needed, then trim to whole huge pages.
  const std::size_t wanted = mapped_bytes(bytes);
  if (wanted < bytes || wanted > std::numeric_limits<std::size_t>::max() - kHugePageBytes) return nullptr;
  void* mapped = ::mmap(nullptr, wanted + kHugePageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(mapped);
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(begin) % kHugePageBytes;
  std::byte* aligned = misaligned == 0 ? begin : begin + (kHugePageBytes - misaligned);
  if (aligned != begin) ::munmap(begin, static_cast<std::size_t>(aligned - begin));
  const auto behind = static_cast<std::size_t>(begin + wanted + kHugePageBytes - (aligned + wanted));
  if (behind != 0) ::munmap(aligned + wanted, behind);
  // Only a hint: plain pages work too. Excludes the last, partly used page, which would cost 2 MiB of memory.
  ::madvise(aligned, bytes / kHugePageBytes * kHugePageBytes, MADV_HUGEPAGE);
  return aligned;
}

void unmap_memory(void* memory, std::size_t bytes) noexcept { ::munmap(memory, mapped_bytes(bytes)); }

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

}  // namespace octavo::backend
