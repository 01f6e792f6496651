// Devices and backends.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <octavo/byte_count.hpp>
#include <octavo/device.hpp>
#include <octavo/memory_size.hpp>

#include "core/module.hpp"

namespace octavo::python {

namespace nb = nanobind;
using namespace nb::literals;

void add_devices(nb::module_& module) {
  module.def("parse_byte_count", &parse_byte_count, "text"_a, "The number of bytes in a text such as '24GiB'.");
  module.def("parse_memory_size", &parse_memory_size, "text"_a, "usual_unit"_a = "GiB",
             "The same for the memory of a device, which needs a unit if the number is small.");
  nb::class_<DeviceInfo>(module, "DeviceInfo", "A device of this machine.")
      .def_prop_ro(
          "device", [](const DeviceInfo& info) { return to_string(info.device); }, "\"cpu\" or \"cuda:0\".")
      .def_ro("name", &DeviceInfo::name, "The name of the processor.")
      .def_ro("total_bytes", &DeviceInfo::total_bytes, "The size of its memory.")
      .def_ro("free_bytes", &DeviceInfo::free_bytes,
              "Memory that is available now. None for a CUDA device that this process does not use yet.")
      .def_ro("details", &DeviceInfo::details, "Instruction set and threads, or compute capability.")
      .def_ro("problem", &DeviceInfo::problem, "What is wrong with the device, and what to do; None if it works.")
      .def("__repr__", [](const DeviceInfo& info) {
        return "DeviceInfo(device='" + to_string(info.device) + "', name='" + info.name + "')";
      });
  module.def("devices", &list_devices,
             "The devices of this machine that this build can use, the CPU first. Does not initialize any of them.");
  module.def("cuda_problem", &cuda_problem,
             "Why no CUDA device is usable, for example an outdated driver; None if one is usable.");
  module.def("cpu_fallback_reason", &cpu_fallback_reason,
             "Why 'auto' selects the CPU, if CUDA is broken or too old; None if 'auto' is a GPU or there is no GPU.");
  module.def("backends", &list_backends, "The backends in this build, such as ['cpu', 'cuda (toolkit 13.0)'].");
  module.def(
      "parse_device", [](const std::string& text) { return to_string(Device::parse(text)); }, "text"_a,
      "The device with this name: 'auto' (cuda:0 if available, else cpu), 'cpu', 'cuda' or 'cuda:N'.\n\n"
      "Raises ValueError for any other name.");
}

}  // namespace octavo::python
