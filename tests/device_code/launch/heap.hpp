// The memory of a test program as global memory: each object from operator new has exact bounds.
#pragma once

#include <cstddef>

#include "checks/global_memory.hpp"

namespace device_code {

/// Objects of the heap, with at least 16 bytes between them. The stack is one object without exact bounds, and so are
/// the variables of the program.
class Heap : public GlobalMemory {
 public:
  MemoryObject* find(u64 address) override;
};

/// Marks bytes of an object of the heap as undefined until a kernel writes them. Throws std::invalid_argument if they
/// are not in one.
void mark_undefined(void* begin, std::size_t bytes);
/// The number of bytes with undefined bits.
std::size_t undefined_bytes(const void* begin, std::size_t bytes);

}  // namespace device_code
