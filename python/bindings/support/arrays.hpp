// NumPy arrays that own memory allocated in C++.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

namespace octavo::python {

namespace nb = nanobind;

template <typename T>
using NumpyArray = nb::ndarray<nb::numpy, T>;

/// Uninitialized memory for `count` numbers, to be owned by a NumPy array.
template <typename T>
std::unique_ptr<T[]> array_memory(std::size_t count) {
  return std::unique_ptr<T[]>(new T[count]);
}

/// A NumPy array of this shape that owns `memory`.
template <typename T>
NumpyArray<T> to_numpy(std::unique_ptr<T[]> memory, std::initializer_list<std::size_t> shape) {
  T* data = memory.release();
  const nb::capsule owner(data, [](void* pointer) noexcept { delete[] static_cast<T*>(pointer); });
  return NumpyArray<T>(data, shape, owner);
}

/// A copy of `numbers` as a NumPy array.
template <typename T>
NumpyArray<T> to_numpy(const std::vector<T>& numbers, std::initializer_list<std::size_t> shape) {
  auto memory = array_memory<T>(numbers.size());
  std::copy(numbers.begin(), numbers.end(), memory.get());
  return to_numpy(std::move(memory), shape);
}

}  // namespace octavo::python
