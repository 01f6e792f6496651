#include "launch/heap.hpp"

#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

namespace device_code {
namespace {

/// Memory that operator new does not see.
template <typename T>
struct PlainAllocator {
  using value_type = T;
  PlainAllocator() = default;
  template <typename Other>
  explicit PlainAllocator(const PlainAllocator<Other>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(std::malloc(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  bool operator==(const PlainAllocator&) const { return true; }
};

/// The objects by their first address. Never destroyed: objects are freed until the program ends.
struct Objects {
  std::recursive_mutex mutex;
  std::map<u64, MemoryObject, std::less<>, PlainAllocator<std::pair<const u64, MemoryObject>>> by_address;
};
Objects& objects() {
  static Objects* const made = new (std::malloc(sizeof(Objects))) Objects;
  return *made;
}

u64 address_of(const void* pointer) { return reinterpret_cast<u64>(pointer); }

/// The object of `by_address` that contains `address`, or null.
MemoryObject* find_on_heap(u64 address) {
  auto& by_address = objects().by_address;
  const auto after = by_address.upper_bound(address);
  if (after == by_address.begin()) return nullptr;
  MemoryObject& object = std::prev(after)->second;
  return address < object.end ? &object : nullptr;
}

MemoryObject inexact_object(u64 begin, u64 bytes) {
  MemoryObject object;
  object.begin = begin;
  object.end = begin + bytes;
  object.is_exact = false;
  return object;
}

MemoryObject stack_object() {
  pthread_attr_t attributes;
  void* stack = nullptr;
  std::size_t bytes = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &stack, &bytes);
  pthread_attr_destroy(&attributes);
  return inexact_object(address_of(stack), bytes);
}

/// The stack of the calling thread, and the segments of the program and its libraries.
std::vector<MemoryObject> inexact_objects() {
  std::vector<MemoryObject> found;
  found.push_back(stack_object());
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* list) {
        for (int k = 0; k < info->dlpi_phnum; ++k) {
          const auto& segment = info->dlpi_phdr[k];
          if (segment.p_type != PT_LOAD) continue;
          static_cast<std::vector<MemoryObject>*>(list)->push_back(
              inexact_object(info->dlpi_addr + segment.p_vaddr, segment.p_memsz));
        }
        return 0;
      },
      &found);
  return found;
}

MemoryObject& exact_object(const void* begin, std::size_t bytes) {
  MemoryObject* const object = find_on_heap(address_of(begin));
  if (object == nullptr || object->end - address_of(begin) < bytes) {
    throw std::invalid_argument("the bytes are not in one object of the heap");
  }
  return *object;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  constexpr std::size_t kGap = 16;
  void* memory = nullptr;
  if (posix_memalign(&memory, std::max(alignment, kGap), bytes + kGap) != 0) throw std::bad_alloc();
  const std::lock_guard lock(objects().mutex);
  MemoryObject object;
  object.begin = address_of(memory);
  object.end = object.begin + bytes;
  objects().by_address.insert_or_assign(object.begin, std::move(object));
  return memory;
}

void release(void* memory) {
  if (memory == nullptr) return;
  {
    const std::lock_guard lock(objects().mutex);
    // The entry's own memory is on the heap, too, so the map must be consistent when it is freed.
    const auto object = objects().by_address.extract(address_of(memory));
  }
  std::free(memory);
}

}  // namespace

MemoryObject* Heap::find(u64 address) {
  const std::lock_guard lock(objects().mutex);
  if (MemoryObject* const object = find_on_heap(address)) return object;
  static std::vector<MemoryObject> others = inexact_objects();
  const auto found = std::find_if(others.begin(), others.end(), [&](const MemoryObject& object) {
    return address >= object.begin && address < object.end;
  });
  return found == others.end() ? nullptr : &*found;
}

void mark_undefined(void* begin, std::size_t bytes) {
  const std::lock_guard lock(objects().mutex);
  MemoryObject& object = exact_object(begin, bytes);
  object.undefined.resize(object.end - object.begin);
  std::fill_n(object.undefined.begin() + static_cast<std::ptrdiff_t>(address_of(begin) - object.begin), bytes,
              u8{0xFF});
}

std::size_t undefined_bytes(const void* begin, std::size_t bytes) {
  const std::lock_guard lock(objects().mutex);
  const MemoryObject& object = exact_object(begin, bytes);
  if (object.undefined.empty()) return 0;
  const auto first = object.undefined.begin() + static_cast<std::ptrdiff_t>(address_of(begin) - object.begin);
  return bytes - static_cast<std::size_t>(std::count(first, first + static_cast<std::ptrdiff_t>(bytes), u8{0}));
}

}  // namespace device_code

void* operator new(std::size_t bytes) { return device_code::allocate(bytes, 1); }
void* operator new[](std::size_t bytes) { return device_code::allocate(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return device_code::allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return device_code::allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { device_code::release(memory); }
void operator delete[](void* memory) noexcept { device_code::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { device_code::release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { device_code::release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { device_code::release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { device_code::release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { device_code::release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { device_code::release(memory); }
