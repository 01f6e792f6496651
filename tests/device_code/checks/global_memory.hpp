// The objects in global memory that kernels may access, with what the checks know about their bytes.
#pragma once

#include <memory>
#include <vector>

#include "checks/access_history.hpp"
#include "ptx/instruction.hpp"

namespace device_code {

/// An object, such as a device allocation or a vector of a test.
struct MemoryObject {
  u64 begin = 0, end = 0;
  bool is_exact = true;       ///< whether the bounds are those of one object, not of many
  AccessHistory history;      ///< of the current launch
  std::vector<u8> undefined;  ///< a bit for each bit; empty: all bits are defined
};

/// Finds objects. The runtime that kernels run on implements it.
class GlobalMemory {
 public:
  virtual ~GlobalMemory() = default;
  /// The object that contains `address`, or null. The object stays until the launch ends.
  virtual MemoryObject* find(u64 address) = 0;
};

}  // namespace device_code
