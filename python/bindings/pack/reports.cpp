// The memory report.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <octavo/report.hpp>
#include <optional>
#include <utility>

#include "pack/module.hpp"
#include "support/interruptible.hpp"

namespace octavo::python {

namespace nb = nanobind;
using namespace nb::literals;

void add_reports(nb::module_& module) {
  module.def(
      "report",
      [](const Dataset& dataset, const std::string& split, const std::string& device, std::int64_t batch_size,
         std::optional<std::int64_t> model_bytes, const nb::object& on_progress) {
        return interruptibly(on_progress, [&](const ProgressFunction& progress) {
          const MemoryReport report =
              measure_report(dataset, {split, Device::parse(device), batch_size, model_bytes, progress});
          return std::pair(to_json(report), to_text(report));
        });
      },
      "dataset"_a, "split"_a, "device"_a, "batch_size"_a, "model_bytes"_a.none(), "on_progress"_a.none(),
      "The report as JSON and as text.");
}

}  // namespace octavo::python
