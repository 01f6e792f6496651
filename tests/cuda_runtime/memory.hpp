// Memory of the fake devices, and pinned host memory: only operations of a device may touch the one, each access of
// theirs is seen, and nothing that was freed is ever used again for something else.
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

/// An operation of a device, as far as its accesses to memory are concerned.
struct OperationInfo {
  std::string what;        ///< "kernel", "copy to the device"
  Site site;               ///< where it was enqueued
  int device = 0;          ///< that does it
  bool is_kernel = false;  ///< and so may only touch memory of that device
  std::size_t stream = 0;
  std::uint64_t number = 0;  ///< in its stream
  VectorClock clock;         ///< what comes before it
};
using Operation = std::shared_ptr<const OperationInfo>;

enum class MemoryKind { device, pinned };

/// The last accesses of one stream to one allocation. Of kernels only the page is known, of copies the bytes.
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
  std::byte* map;         ///< with a page before and after that nobody may touch
  std::size_t map_bytes;  ///< of all of it
  std::byte* begin;       ///< it ends where a page ends, up to the alignment of an allocation
  std::size_t bytes;
  Site allocated, freed;
  bool is_freed = false;
  std::vector<bool> is_poisoned;  ///< of each page: it has been touched, and held poison before
  enum class Opened : std::uint8_t { no, for_reads, for_writes };
  std::vector<Opened> opened;  ///< of each page, by the operation that runs
  int fault_count = 0;         ///< of the operation that runs
  std::vector<StreamAccess> accesses;
};

/// Device memory is mapped without any right. An operation that touches a page has a fault, which notes the access and
/// opens the page until the operation ends.
class Memory {
 public:
  /// Null if the system gives none.
  Allocation* allocate(MemoryKind kind, int device, std::size_t bytes, Site site);
  /// Reports accesses that are not ordered before by what the host knows, and makes the memory unusable.
  void free(Allocation& allocation, Site site, const VectorClock& host);

  /// The allocation that holds `address`, or whose margin does; also if it is freed. Null: none of ours.
  Allocation* find(const void* address);
  /// The live allocation of that kind that begins there, or null.
  Allocation* find_live(const void* begin, MemoryKind kind);

  /// Runs `work`, in which every access to device memory is `operation`'s.
  void run_as(const Operation& operation, const VectorClock& host, const std::function<void()>& work);
  /// Opens a range of memory for the operation that runs, if it is ours. Reports what leaves its allocation or is freed,
  /// and returns false: nothing must touch it then.
  bool open(const void* begin, std::size_t bytes, bool is_write);

  /// All operations are done, and the host knows.
  void forget_accesses();

  /// Bytes of live allocations of a kind on a device.
  std::size_t live_bytes(MemoryKind kind, int device) const;
  std::int64_t live_count(MemoryKind kind) const;
  /// The places of live allocations, for a report of leaks.
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

  std::map<const std::byte*, std::unique_ptr<Allocation>> allocations_;  ///< by the begin of the map
  std::map<std::pair<MemoryKind, int>, std::size_t> live_bytes_;         ///< pinned memory belongs to device 0
  std::map<MemoryKind, std::int64_t> live_count_;
  Running* running_ = nullptr;
};

/// The one memory of the process.
Memory& memory();

/// Whether the calling thread is inside the runtime, whose lock it holds then.
bool& is_in_runtime();

}  // namespace fake_cuda
