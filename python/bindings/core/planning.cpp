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

namespace nb = nanobind;
using namespace nb::literals;

void add_planning(nb::module_& module) {
  module.def(
      "plan",
      [](const Dataset& dataset, const std::string& split, const std::optional<std::string>& device,
         std::int64_t memory_bytes, std::int64_t parameters, const std::string& optimizer, bool mixed_precision,
         std::int64_t activations, const std::string& dtype, std::int64_t batch_size, int prefetch) {
        const GilRelease released;
        PlanOptions options{split, {}, memory_bytes, {}, dtype_of(dtype, "dtype"), batch_size, prefetch};
        if (device) options.device = Device::parse(*device);
        options.model = {parameters, parse_optimizer(optimizer), mixed_precision, activations};
        const Plan found = plan(dataset, options);
        return std::pair(to_json(found), to_text(found));
      },
      "dataset"_a, "split"_a, "device"_a.none(), "memory_bytes"_a, "parameters"_a, "optimizer"_a, "mixed_precision"_a,
      "activations"_a, "dtype"_a, "batch_size"_a, "prefetch"_a, "The plan as JSON and as text.");
}

}  // namespace octavo::python
