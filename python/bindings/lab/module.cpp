// The extension module octavo._lab: the reference training, as far as the memory report needs it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <octavo/train.hpp>
#include <string>

#include "support/gil.hpp"

NB_MODULE(_lab, module) {
  namespace nb = nanobind;
  using namespace nb::literals;
  module.doc() = "The reference training; import octavo instead.";
  nb::module_::import_("octavo._core");  // defines Dataset, and translates exceptions
  octavo::python::add_gil(module);
  module.def(
      "default_model_bytes",
      [](const octavo::Dataset& dataset, const std::string& split, const std::string& device, std::int64_t batch_size) {
        return octavo::default_model_bytes(dataset, split, octavo::Device::parse(device), batch_size);
      },
      "dataset"_a, "split"_a, "device"_a, "batch_size"_a, nb::call_guard<octavo::python::GilRelease>(),
      "The bytes that the default model needs for training on the split; None if its labels are not class numbers.");
}
