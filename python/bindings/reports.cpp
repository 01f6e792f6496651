// The memory savings report and the benchmark of a file.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <octavo/report.hpp>
#include <utility>

#include "interruptible.hpp"
#include "module.hpp"

namespace octavo::python {

namespace nb = nanobind;
using namespace nb::literals;

void add_reports(nb::module_& module) {
  module.def(
      "report",
      [](const Dataset& dataset, const std::string& split, const std::string& device, std::int64_t batch_size,
         const nb::object& on_progress) {
        return interruptibly(on_progress, [&](const ProgressFunction& progress) {
          const MemoryReport report = measure_report(dataset, {split, Device::parse(device), batch_size, progress});
          return std::pair(to_json(report), to_text(report));
        });
      },
      "dataset"_a, "split"_a, "device"_a, "batch_size"_a, "on_progress"_a.none(), "The report as JSON and as text.");
}

}  // namespace octavo::python
