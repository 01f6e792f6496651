// Names of enum values, and the library's tensors as DLPack objects.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <octavo/errors.hpp>
#include <octavo/owned_tensor.hpp>
#include <octavo/tensor.hpp>
#include <string>
#include <utility>

namespace octavo::python {

namespace nb = nanobind;

template <typename Value>
using Names = std::initializer_list<std::pair<const char*, Value>>;

/// The value with this name. Throws InvalidArgument, which names the argument and lists the allowed names.
template <typename Value>
Value value_of(const std::string& name, const char* argument, Names<Value> names) {
  std::string known;
  for (const auto& [text, value] : names) {
    if (name == text) return value;
    known += (known.empty() ? "'" : ", '") + std::string(text) + "'";
  }
  throw InvalidArgument(std::string(argument) + " is '" + name + "'; it must be one of " + known);
}

inline DType dtype_of(const std::string& name, const char* argument) {
  return value_of<DType>(name, argument,
                         {{"float32", DType::float32},
                          {"float16", DType::float16},
                          {"bfloat16", DType::bfloat16},
                          {"int32", DType::int32},
                          {"int64", DType::int64}});
}

inline nb::dlpack::dtype dlpack_type(DType type) {
  using Code = nb::dlpack::dtype_code;
  const bool is_integer = type == DType::int32 || type == DType::int64;
  const Code code = type == DType::bfloat16 ? Code::Bfloat : is_integer ? Code::Int : Code::Float;
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * bytes_of(type)), 1};
}

/// An object with __dlpack__ that owns the tensor; `shape` must have as many elements as the tensor.
inline nb::object to_dlpack(OwnedTensor tensor, std::initializer_list<std::size_t> shape) {
  const TensorView view = tensor.view();
  const nb::capsule owner(new OwnedTensor(std::move(tensor)),
                          [](void* pointer) noexcept { delete static_cast<OwnedTensor*>(pointer); });
  const bool on_cpu = view.device.is_cpu();
  return nb::cast(nb::ndarray<nb::array_api>(
      view.data, shape.size(), shape.begin(), owner, nullptr, dlpack_type(view.dtype),
      on_cpu ? nb::device::cpu::value : nb::device::cuda::value, on_cpu ? 0 : view.device.ordinal()));
}

}  // namespace octavo::python
