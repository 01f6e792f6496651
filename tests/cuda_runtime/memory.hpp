// Device memory of the fake devices, and pinned host memory. Only device operations may touch device memory, every
// access of theirs is tracked, and freed addresses are never reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "clock.hpp"
#include "site.hpp"

namespace fake_cuda {

/// A device operation, as needed to track its memory accesses.
struct OperationInfo {
  std::string what;        ///< "kernel", "copy to the device"
  Site site;               ///< where it was enqueued
  int device = 0;          ///< the device that runs it
  bool is_kernel = false;  ///< a kernel may only touch memory of its own device
  std::size_t stream = 0;
  std::uint64_t number = 0;  ///< its number in its stream
  VectorClock clock;         ///< the operations before it
};
using Operation = std::shared_ptr<const OperationInfo>;

enum class MemoryKind { device, pinned };

/// The last accesses of one stream to one allocation: pages for kernels, exact byte ranges for copies.
struct StreamAccess {
  std::size_t stream;
  bool is_write;
  struct Range {
    std::size_t begin, end;
    Operation by;
  };
  std::vector<Range> ranges;
  std::vector<Operation> pages;
};

struct Allocation {
  MemoryKind kind;
  int device;
  std::byte* map;         ///< includes a protected page before and after
  std::size_t map_bytes;  ///< size of the whole map
  std::byte* begin;       ///< the allocation ends at the end of a page, up to its alignment
  std::size_t bytes;
  Site allocated, freed;
  bool is_freed = false;
  std::vector<bool> is_poisoned;  ///< per page: was touched, and held poison before
  enum class Opened : std::uint8_t { no, for_reads, for_writes };
  std::vector<Opened> opened;  ///< per page, by the running operation
  int fault_count = 0;         ///< of the running operation
  std::vector<StreamAccess> accesses;
};

/// Device memory is mapped without access rights. An operation that touches a page faults; the fault handler records
/// the access and opens the page until the operation ends.
class Memory {
 public:
  /// Returns null if the system has no memory left.
  Allocation* allocate(MemoryKind kind, int device, std::size_t bytes, Site site);
  /// Reports accesses that the host does not know to be finished, and makes the memory unusable.
  void free(Allocation& allocation, Site site, const VectorClock& host);

  /// The allocation whose bytes or margins contain `address`, even if it is freed. Null if it is not our memory.
  Allocation* find(const void* address);
  /// The live allocation of that kind that begins at `begin`, or null.
  Allocation* find_live(const void* begin, MemoryKind kind);

  /// Runs `work`, and attributes each of its accesses to device memory to `operation`.
  void run_as(const Operation& operation, const VectorClock& host, const std::function<void()>& work);
  /// The running operation. Call it from its work only.
  const OperationInfo& running() const;
  /// Opens a range of memory for the running operation, if it is our memory. If the range leaves its allocation or is
  /// freed, reports that and returns false; the range must not be touched then.
  bool open(const void* begin, std::size_t bytes, bool is_write);

  /// Forgets all accesses. Call it when all operations are done and the host knows.
  void forget_accesses();

  /// Bytes of live allocations of a kind on a device.
  std::size_t live_bytes(MemoryKind kind, int device) const;
  std::int64_t live_count(MemoryKind kind) const;
  /// The call sites of live allocations, for a leak report.
  std::string describe_live() const;

 private:
  struct Running;
  static void handle_fault(int signal, void* info, void* context);
  static void install_handler();
  bool open_page(std::byte* address, bool is_certainly_write);
  void open_stray_page(std::byte* address);
  void open_pages(Allocation& allocation, std::size_t first, std::size_t end, bool is_write);
  void close_pages();
  void note(Allocation& allocation, std::size_t begin, std::size_t end, bool is_write, bool whole_pages);
  void check_order(const Allocation& allocation, std::size_t begin, std::size_t end, bool is_write) const;
  void poison(Allocation& allocation, std::size_t page);

  void check_margins(const Allocation& allocation) const;

  std::map<const std::byte*, std::unique_ptr<Allocation>> allocations_;  ///< by the start of the map
  std::map<std::pair<MemoryKind, int>, std::size_t> live_bytes_;         ///< pinned memory belongs to device 0
  std::map<MemoryKind, std::int64_t> live_count_;
  Running* running_ = nullptr;
};

/// The only instance in the process.
Memory& memory();

/// Whether the calling thread is inside the runtime, and so holds its lock.
bool& is_in_runtime();

}  // namespace fake_cuda
