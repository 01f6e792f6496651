// The memory plan.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <octavo/plan.hpp>
#include <optional>
#include <utility>

#include "core/module.hpp"
#include "core/tensors.hpp"
#include "support/gil.hpp"

namespace octavo::python {

namespace {

namespace nb = nanobind;
using namespace nb::literals;

void add_plan_options(nb::module_& module) {
  nb::class_<ModelMemory>(module, "ModelMemory", "The memory use of a model.")
      .def(nb::init<>())
      .def_rw("parameter_count", &ModelMemory::parameter_count)
      .def_prop_rw(
          "optimizer", [](const ModelMemory& self) { return to_string(self.optimizer); },
          [](ModelMemory& self, const std::string& name) { self.optimizer = parse_optimizer(name); })
      .def_rw("mixed_precision", &ModelMemory::mixed_precision)
      .def_rw("activation_bytes_per_sample", &ModelMemory::activation_bytes_per_sample);
  nb::class_<PlanOptions>(module, "PlanOptions", "What is planned, and for which device.")
      .def(nb::init<>())
      .def_rw("split", &PlanOptions::split)
      .def_prop_rw(
          "device",
          [](const PlanOptions& self) { return self.device ? std::optional(to_string(*self.device)) : std::nullopt; },
          [](PlanOptions& self, const std::optional<std::string>& name) {
            self.device = name ? std::optional(Device::parse(*name)) : std::nullopt;
          },
          nb::for_setter("name"_a.none()))
      .def_rw("memory_bytes", &PlanOptions::memory_bytes)
      .def_rw("model", &PlanOptions::model)
      .def_prop_rw(
          "dtype", [](const PlanOptions& self) { return to_string(self.dtype); },
          [](PlanOptions& self, const std::string& name) { self.dtype = dtype_of(name, "dtype"); })
      .def_rw("batch_size", &PlanOptions::batch_size)
      .def_rw("estimated_samples", &PlanOptions::estimated_samples)
      .def_rw("world_size", &PlanOptions::world_size)
      .def_rw("prefetch", &PlanOptions::prefetch);
}

}  // namespace

void add_planning(nb::module_& module) {
  add_plan_options(module);
  module.def(
      "plan",
      [](const Dataset& dataset, const PlanOptions& options) {
        const GilRelease released;
        const Plan found = plan(dataset, options);
        return std::pair(to_json(found), to_text(found));
      },
      "dataset"_a, "options"_a, "The plan as JSON and as text.");
}

}  // namespace octavo::python
