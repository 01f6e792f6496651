#include "memory.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <utility>

#include "runtime.hpp"

namespace fake_cuda {
namespace {

constexpr std::size_t kPageBytes = 4096;
/// Alignment of the addresses that cudaMalloc returns; sizes are rounded up to it.
constexpr std::size_t kAlignment = 256;
/// Faults of one operation in one allocation: the first kFaultsOfOnePage open a page each, and later ones
/// kPagesOfOneFault pages, so that a large batch does not fault on every page.
constexpr int kFaultsOfOnePage = 16;
constexpr std::size_t kPagesOfOneFault = 64;
/// The unit in which memory is allocated.
constexpr std::size_t kGranularity = 512;
/// The byte that fills fresh device memory: about -1.2e-12 as a float, -85 as a code.
constexpr int kPoison = 0xAB;

std::size_t rounded_up(std::size_t bytes, std::size_t step) { return (bytes + step - 1) / step * step; }

struct sigaction previous_action;

/// The call site of the faulting instruction. Other frames hold the address after a call.
Site place_of_fault([[maybe_unused]] void* context) {
  Site site = here("an instruction");
#if defined(__x86_64__)
  const auto fault = static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  std::replace(site.frames.begin(), site.frames.end(), reinterpret_cast<void*>(fault),
               reinterpret_cast<void*>(fault + 1));
#endif
  return site;
}

std::string size_of(const Allocation& allocation) {
  return std::to_string(allocation.bytes) + " bytes allocated by " + describe(allocation.allocated);
}

}  // namespace

/// Pages that the running operation has opened.
struct Memory::Running {
  struct Page {
    Allocation* allocation;
    std::size_t index;
  };
  Operation operation;
  const VectorClock* host;
  std::vector<Page> pages;
  std::vector<std::byte*> stray_pages;  ///< used by the operation although it must not
};

Memory& memory() {
  static Memory one;
  return one;
}

bool& is_in_runtime() {
  thread_local bool value = false;
  return value;
}

Allocation* Memory::allocate(MemoryKind kind, int device, std::size_t bytes, Site site) {
  install_handler();
  const std::size_t body = rounded_up(bytes, kPageBytes), whole = body + 2 * kPageBytes;
  const int rights = kind == MemoryKind::device ? PROT_NONE : PROT_READ | PROT_WRITE;
  void* map = ::mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) return nullptr;
  auto allocation = std::make_unique<Allocation>();
  allocation->kind = kind;
  allocation->device = device;
  allocation->map = static_cast<std::byte*>(map);
  allocation->map_bytes = whole;
  allocation->begin = allocation->map + kPageBytes + (body - rounded_up(bytes, kAlignment));
  allocation->bytes = bytes;
  allocation->allocated = std::move(site);
  allocation->is_poisoned.resize(body / kPageBytes);
  allocation->opened.resize(body / kPageBytes);
  if (rights != PROT_NONE && body != 0) ::mprotect(allocation->map + kPageBytes, body, rights);
  Allocation* result = allocation.get();
  live_bytes_[{kind, kind == MemoryKind::pinned ? 0 : device}] += rounded_up(bytes, kGranularity);
  ++live_count_[kind];
  allocations_[allocation->map] = std::move(allocation);
  return result;
}

void Memory::free(Allocation& allocation, Site site, const VectorClock& host) {
  for (const StreamAccess& past : allocation.accesses) {
    const auto check = [&](const Operation& by) {
      if (by == nullptr || host.at(past.stream) >= by->number) return;
      violation("memory is freed while work may still use it: " + size_of(allocation) + "\n    used by " + by->what +
                " of " + describe(by->site) + "\n    freed by " + describe(site) +
                "\n    nothing has waited for that work");
    };
    for (const StreamAccess::Range& range : past.ranges) check(range.by);
    for (const Operation& by : past.pages) check(by);
  }
  check_margins(allocation);
  allocation.is_freed = true;
  allocation.freed = std::move(site);
  allocation.accesses = {};
  allocation.is_poisoned = {};
  allocation.opened = {};
  live_bytes_[{allocation.kind, allocation.kind == MemoryKind::pinned ? 0 : allocation.device}] -=
      rounded_up(allocation.bytes, kGranularity);
  --live_count_[allocation.kind];
  ::mprotect(allocation.map, allocation.map_bytes, PROT_NONE);
  ::madvise(allocation.map, allocation.map_bytes, MADV_DONTNEED);
}

Allocation* Memory::find(const void* address) {
  const auto* place = static_cast<const std::byte*>(address);
  auto after = allocations_.upper_bound(place);
  if (after == allocations_.begin()) return nullptr;
  Allocation& candidate = *std::prev(after)->second;
  return place < candidate.map + candidate.map_bytes ? &candidate : nullptr;
}

Allocation* Memory::find_live(const void* begin, MemoryKind kind) {
  Allocation* allocation = find(begin);
  return allocation != nullptr && !allocation->is_freed && allocation->begin == begin && allocation->kind == kind
             ? allocation
             : nullptr;
}

void Memory::run_as(const Operation& operation, const VectorClock& host, const std::function<void()>& work) {
  Running running{operation, &host, {}, {}};
  running_ = &running;
  work();
  close_pages();
  running_ = nullptr;
}

const OperationInfo& Memory::running() const { return *running_->operation; }

bool Memory::open(const void* begin, std::size_t bytes, bool is_write) {
  Allocation* allocation = find(begin);
  if (allocation == nullptr || bytes == 0) return true;
  const auto* first = static_cast<const std::byte*>(begin);
  const Operation& by = running_->operation;
  if (allocation->is_freed) {
    violation(by->what + " uses memory that is freed: " + size_of(*allocation) + "\n    enqueued by " +
              describe(by->site) + "\n    freed by " + describe(allocation->freed));
    return false;
  }
  if (first < allocation->begin || first + bytes > allocation->begin + allocation->bytes) {
    violation(by->what + " leaves its memory: bytes " + std::to_string(first - allocation->begin) + " to " +
              std::to_string(first - allocation->begin + static_cast<std::ptrdiff_t>(bytes)) + " of " +
              size_of(*allocation) + "\n    enqueued by " + describe(by->site));
    return false;
  }
  const auto offset = static_cast<std::size_t>(first - allocation->begin);
  if (allocation->kind == MemoryKind::device) {
    auto* page = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(first) / kPageBytes * kPageBytes);
    const auto pages = static_cast<std::size_t>(first + bytes - page + kPageBytes - 1) / kPageBytes;
    ::mprotect(page, pages * kPageBytes, PROT_READ | PROT_WRITE);
    const auto base = static_cast<std::size_t>(page - allocation->map) / kPageBytes - 1;
    for (std::size_t i = 0; i < pages; ++i) {
      poison(*allocation, base + i);
      if (allocation->opened[base + i] == Allocation::Opened::no) running_->pages.push_back({allocation, base + i});
      allocation->opened[base + i] = Allocation::Opened::for_writes;
    }
  }
  note(*allocation, offset, offset + bytes, is_write, false);
  return true;
}

void Memory::poison(Allocation& allocation, std::size_t page) {
  if (allocation.is_poisoned[page]) return;
  allocation.is_poisoned[page] = true;
  std::memset(allocation.map + (page + 1) * kPageBytes, kPoison, kPageBytes);
}

bool Memory::open_page(std::byte* address, bool is_certainly_write) {
  Allocation* allocation = find(address);
  if (allocation == nullptr) return false;
  const Operation& by = running_->operation;
  const std::ptrdiff_t offset = address - allocation->begin;
  if (allocation->is_freed) {
    violation(by->what + " uses memory that is freed: " + size_of(*allocation) + "\n    enqueued by " +
              describe(by->site) + "\n    freed by " + describe(allocation->freed));
    open_stray_page(address);
    return true;
  }
  if (offset < -static_cast<std::ptrdiff_t>(kPageBytes - 1) ||
      offset >= static_cast<std::ptrdiff_t>(allocation->bytes + kAlignment) || address < allocation->map + kPageBytes ||
      address >= allocation->map + allocation->map_bytes - kPageBytes) {
    violation(by->what + " leaves its memory: byte " + std::to_string(offset) + " of " + size_of(*allocation) +
              "\n    enqueued by " + describe(by->site));
    open_stray_page(address);
    return true;
  }
  if (by->is_kernel && allocation->device != by->device) {
    violation(by->what + " on device " + std::to_string(by->device) + " uses memory of device " +
              std::to_string(allocation->device) + ": " + size_of(*allocation) + "\n    enqueued by " +
              describe(by->site));
  }
  const auto page = static_cast<std::size_t>(address - allocation->map) / kPageBytes - 1;
  // If the processor does not report the kind of access, a fault on a page that is open for reads is a write.
  const bool is_write = is_certainly_write || allocation->opened[page] != Allocation::Opened::no;
  std::size_t first = page, end = page + 1;
  if (++allocation->fault_count > kFaultsOfOnePage) {
    first = page / kPagesOfOneFault * kPagesOfOneFault;
    end = std::min(first + kPagesOfOneFault, allocation->opened.size());
  }
  open_pages(*allocation, first, end, is_write);
  return true;
}

/// Reached only with a violation handler: the operation continues.
void Memory::open_stray_page(std::byte* address) {
  auto* page = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(address) / kPageBytes * kPageBytes);
  ::mprotect(page, kPageBytes, PROT_READ | PROT_WRITE);
  running_->stray_pages.push_back(page);
}

void Memory::open_pages(Allocation& allocation, std::size_t first, std::size_t end, bool is_write) {
  std::byte* begin = allocation.map + (first + 1) * kPageBytes;
  const std::size_t bytes = (end - first) * kPageBytes;
  bool is_fresh = false;
  for (std::size_t page = first; page < end; ++page) is_fresh = is_fresh || !allocation.is_poisoned[page];
  if (is_fresh) ::mprotect(begin, bytes, PROT_READ | PROT_WRITE);
  const auto now = is_write ? Allocation::Opened::for_writes : Allocation::Opened::for_reads;
  bool has_writable = is_write;
  for (std::size_t page = first; page < end; ++page) {
    if (is_fresh) poison(allocation, page);
    if (allocation.opened[page] == Allocation::Opened::no) running_->pages.push_back({&allocation, page});
    has_writable = has_writable || allocation.opened[page] == Allocation::Opened::for_writes;
    allocation.opened[page] = std::max(allocation.opened[page], now);
  }
  ::mprotect(begin, bytes, has_writable ? PROT_READ | PROT_WRITE : PROT_READ);
  const auto margin = static_cast<std::size_t>(allocation.begin - allocation.map) - kPageBytes;
  for (std::size_t page = first; page < end; ++page) {
    const std::size_t page_offset = page * kPageBytes;
    note(allocation, page_offset < margin ? 0 : page_offset - margin,
         std::min(allocation.bytes, page_offset + kPageBytes - margin), is_write, true);
  }
}

void Memory::close_pages() {
  for (std::byte* page : running_->stray_pages) ::mprotect(page, kPageBytes, PROT_NONE);
  auto& pages = running_->pages;
  std::sort(pages.begin(), pages.end(), [](const Running::Page& a, const Running::Page& b) {
    return std::pair(a.allocation->map, a.index) < std::pair(b.allocation->map, b.index);
  });
  for (std::size_t i = 0; i < pages.size();) {
    std::size_t end = i + 1;
    while (end < pages.size() && pages[end].allocation == pages[i].allocation &&
           pages[end].index <= pages[end - 1].index + 1) {
      ++end;
    }
    ::mprotect(pages[i].allocation->map + (pages[i].index + 1) * kPageBytes,
               (pages[end - 1].index - pages[i].index + 1) * kPageBytes, PROT_NONE);
    pages[i].allocation->fault_count = 0;
    for (; i < end; ++i) pages[i].allocation->opened[pages[i].index] = Allocation::Opened::no;
  }
}

void Memory::check_order(const Allocation& allocation, std::size_t begin, std::size_t end, bool is_write) const {
  const Operation& now = running_->operation;
  const auto check = [&](const StreamAccess& past, const Operation& by) {
    if (by == nullptr || by == now || now->clock.at(past.stream) >= by->number) return;
    violation(std::string("race: ") + now->what + (is_write ? " writes" : " reads") + " what " + by->what +
              (past.is_write ? " writes" : " reads") + ", and neither waits for the other: bytes " +
              std::to_string(begin) + " to " + std::to_string(end) + " of " + size_of(allocation) +
              "\n    one enqueued by " + describe(now->site) + "\n    the other enqueued by " + describe(by->site));
  };
  for (const StreamAccess& past : allocation.accesses) {
    if (past.stream == now->stream || (!past.is_write && !is_write)) continue;
    for (const StreamAccess::Range& range : past.ranges) {
      if (range.begin < end && begin < range.end) check(past, range.by);
    }
    const auto margin = static_cast<std::size_t>(allocation.begin - allocation.map) - kPageBytes;
    for (std::size_t page = (margin + begin) / kPageBytes; page < past.pages.size() && page * kPageBytes < margin + end;
         ++page) {
      check(past, past.pages[page]);
    }
  }
}

void Memory::note(Allocation& allocation, std::size_t begin, std::size_t end, bool is_write, bool whole_pages) {
  check_order(allocation, begin, end, is_write);
  const Operation& by = running_->operation;
  auto mine = std::find_if(allocation.accesses.begin(), allocation.accesses.end(), [&](const StreamAccess& access) {
    return access.stream == by->stream && access.is_write == is_write;
  });
  if (mine == allocation.accesses.end()) {
    allocation.accesses.push_back({by->stream, is_write, {}, {}});
    mine = std::prev(allocation.accesses.end());
  }
  if (whole_pages) {
    mine->pages.resize(allocation.is_poisoned.size());
    const auto margin = static_cast<std::size_t>(allocation.begin - allocation.map) - kPageBytes;
    mine->pages[(margin + begin) / kPageBytes] = by;
    return;
  }
  // Work that the host knows to be done precedes everything that comes now.
  std::erase_if(mine->ranges, [&](const StreamAccess::Range& range) {
    return (range.begin >= begin && range.end <= end) || running_->host->at(by->stream) >= range.by->number;
  });
  mine->ranges.push_back({begin, end, by});
}

void Memory::forget_accesses() {
  for (auto& [map, allocation] : allocations_) allocation->accesses.clear();
}

std::size_t Memory::live_bytes(MemoryKind kind, int device) const {
  const auto found = live_bytes_.find({kind, kind == MemoryKind::pinned ? 0 : device});
  return found == live_bytes_.end() ? 0 : found->second;
}

std::int64_t Memory::live_count(MemoryKind kind) const {
  const auto found = live_count_.find(kind);
  return found == live_count_.end() ? 0 : found->second;
}

void Memory::check_margins(const Allocation& allocation) const {
  if (allocation.kind != MemoryKind::device || allocation.is_poisoned.empty()) return;
  const auto is_changed = [](const std::byte* begin, const std::byte* end) {
    return std::any_of(begin, end, [](std::byte value) { return value != std::byte{kPoison}; });
  };
  const std::byte* first = allocation.map + kPageBytes;
  const std::byte* last = allocation.map + allocation.map_bytes - kPageBytes;
  ::mprotect(allocation.map + kPageBytes, allocation.map_bytes - 2 * kPageBytes, PROT_READ);
  if ((allocation.is_poisoned.front() && is_changed(first, allocation.begin)) ||
      (allocation.is_poisoned.back() && is_changed(allocation.begin + allocation.bytes, last))) {
    violation("something was written just outside of " + size_of(allocation));
  }
}

std::string Memory::describe_live() const {
  std::string text;
  for (const auto& [map, allocation] : allocations_) {
    if (!allocation->is_freed) text += "\n    " + size_of(*allocation);
  }
  return text;
}

void Memory::install_handler() {
  struct sigaction action {};
  action.sa_sigaction = [](int signal, siginfo_t* info, void* context) { handle_fault(signal, info, context); };
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  struct sigaction now {};
  ::sigaction(SIGSEGV, nullptr, &now);
  // Others, such as Python's faulthandler, may have replaced our handler.
  if (now.sa_sigaction == action.sa_sigaction) return;
  ::sigaction(SIGSEGV, &action, &previous_action);
}

void Memory::handle_fault(int signal, void* info, void* context) {
  auto* address = static_cast<std::byte*>(static_cast<siginfo_t*>(info)->si_addr);
  Memory& self = memory();
  if (is_in_runtime() && self.running_ != nullptr) {
    bool is_write = false;
#if defined(__x86_64__)
    is_write = (static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    static_cast<void>(context);
#endif
    if (self.open_page(address, is_write)) return;
  } else {
    Allocation* allocation = nullptr;
    {
      const auto lock = is_in_runtime() ? std::unique_lock<std::recursive_mutex>() : Runtime::lock();
      allocation = self.find(address);
    }
    if (allocation != nullptr) {
      violation(std::string("the host touches ") +
                (allocation->is_freed ? "memory that is freed: " : "memory of a device: ") + size_of(*allocation) +
                "\n    at " + describe(place_of_fault(context)) +
                (allocation->is_freed ? "\n    freed by " + describe(allocation->freed) : std::string()));
      // Reached only with a violation handler: the instruction continues.
      auto* page = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(address) / kPageBytes * kPageBytes);
      ::mprotect(page, kPageBytes, PROT_READ | PROT_WRITE);
      return;
    }
  }
  // Not our memory: behave as if our handler were not installed.
  ::sigaction(signal, &previous_action, nullptr);
}

}  // namespace fake_cuda
