// Devices and back ends.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <octavo/byte_count.hpp>
#include <octavo/device.hpp>

#include "module.hpp"

namespace octavo::python {

namespace nb = nanobind;
using namespace nb::literals;

void add_devices(nb::module_& module) {
  module.def("parse_byte_count", &parse_byte_count, "text"_a, "The bytes of '24GiB'.");
  nb::class_<DeviceInfo>(module, "DeviceInfo", "A device of this machine.")
      .def_prop_ro(
          "device", [](const DeviceInfo& info) { return to_string(info.device); }, "\"cpu\" or \"cuda:0\".")
      .def_ro("name", &DeviceInfo::name, "Of the processor.")
      .def_ro("total_bytes", &DeviceInfo::total_bytes, "Of its memory.")
      .def_ro("free_bytes", &DeviceInfo::free_bytes, "That an allocation could have now.")
      .def_ro("details", &DeviceInfo::details, "Instruction set and threads, or compute capability.")
      .def("__repr__", [](const DeviceInfo& info) {
        return "DeviceInfo(device='" + to_string(info.device) + "', name='" + info.name + "')";
      });
  module.def("devices", &list_devices, "The devices of this machine that this build can use; the CPU first.");
  module.def("backends", &list_backends, "The back ends in this build, such as ['cpu', 'cuda (toolkit 13.0)'].");
  module.def(
      "parse_device", [](const std::string& text) { return to_string(Device::parse(text)); }, "text"_a,
      "The device of that name: 'auto' (cuda:0 where there is one, else cpu), 'cpu', 'cuda' or 'cuda:N'.\n\n"
      "Raises ValueError for anything else.");
}

}  // namespace octavo::python
