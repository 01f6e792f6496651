// Contact sheets: pictures of samples and batches.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <octavo/view.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pack/module.hpp"
#include "support/gil.hpp"

namespace octavo::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// The samples of a split as a PNG.
nb::bytes draw_stored(const Split& split, std::vector<std::int64_t> indices, std::vector<std::int32_t> classes,
                      std::int64_t first, std::int64_t count, std::int64_t columns, std::int64_t scale, bool captions,
                      bool masks) {
  std::vector<std::byte> png;
  {
    const GilRelease released;
    png = draw_samples(split, {.count = count,
                               .first = first,
                               .classes = std::move(classes),
                               .indices = std::move(indices),
                               .columns = columns,
                               .scale = scale,
                               .captions = captions,
                               .masks = masks});
  }
  return nb::bytes(png.data(), png.size());
}

/// Batch `step` of `epoch` as a PNG.
nb::bytes draw(const Store& store, const LoaderOptions& options, std::int64_t epoch, std::int64_t step,
               std::int64_t count, std::int64_t columns, std::int64_t scale, bool captions, bool masks,
               const std::map<int, std::string>& mask_names) {
  std::vector<std::byte> png;
  {
    const GilRelease released;
    png = draw_batch(store,
                     {.count = count,
                      .columns = columns,
                      .scale = scale,
                      .batch = step,
                      .epoch = epoch,
                      .loader = options,
                      .captions = captions,
                      .masks = masks},
                     mask_names);
  }
  return nb::bytes(png.data(), png.size());
}

}  // namespace

void add_contact_sheets(nb::module_& module) {
  module.def("find_class", &find_class, "split"_a, "text"_a, nb::call_guard<GilRelease>(),
             "The number of a class, by its name or number.");
  module.def("draw_samples", &draw_stored, "split"_a, "indices"_a, "classes"_a, "first"_a, "count"_a, "columns"_a,
             "scale"_a, "captions"_a, "masks"_a, "Draws samples as they are stored as a PNG.");
  module.def("draw_batch", &draw, "store"_a, "options"_a, "epoch"_a, "step"_a, "count"_a, "columns"_a, "scale"_a,
             "captions"_a, "masks"_a, "mask_names"_a, "Draws a batch as a PNG.");
}

}  // namespace octavo::python
