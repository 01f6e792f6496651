// Names of enum values, and the library's tensors as DLPack objects.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <octavo/errors.hpp>
#include <octavo/owned_tensor.hpp>
#include <octavo/tensor.hpp>
#include <string>
#include <utility>
#include <vector>

namespace octavo::python {

namespace nb = nanobind;

/// The row of a table whose name is `name`. Throws InvalidArgument, which names the argument and lists the
/// allowed names.
template <typename Table>
const auto& row_of(const Table& table, const std::string& name, const char* argument) {
  std::string known;
  for (const auto& row : table) {
    if (name == row.name) return row;
    known += (known.empty() ? "'" : ", '") + std::string(row.name) + "'";
  }
  throw InvalidArgument(std::string(argument) + " is '" + name + "'; it must be one of " + known);
}

inline DType dtype_of(const std::string& name, const char* argument) { return row_of(kDTypes, name, argument).type; }

inline nb::dlpack::dtype dlpack_type(DType type) {
  return {static_cast<std::uint8_t>(info_of(type).dlpack_code), static_cast<std::uint8_t>(8 * bytes_of(type)), 1};
}

/// An object with __dlpack__ that owns the tensor; the product of `axes` must be the tensor's number of elements.
inline nb::object to_dlpack(OwnedTensor tensor, const std::vector<std::int64_t>& axes) {
  const std::vector<std::size_t> shape(axes.begin(), axes.end());
  const TensorView view = tensor.view();
  const nb::capsule owner(new OwnedTensor(std::move(tensor)),
                          [](void* pointer) noexcept { delete static_cast<OwnedTensor*>(pointer); });
  const bool on_cpu = view.device.is_cpu();
  return nb::cast(nb::ndarray<nb::array_api>(
      view.data, shape.size(), shape.data(), owner, nullptr, dlpack_type(view.dtype),
      on_cpu ? nb::device::cpu::value : nb::device::cuda::value, on_cpu ? 0 : view.device.ordinal()));
}

}  // namespace octavo::python
