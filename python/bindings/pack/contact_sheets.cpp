// Contact sheets: pictures of samples and batches.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <octavo/view.hpp>
#include <string>
#include <vector>

#include "pack/module.hpp"
#include "support/gil.hpp"

namespace octavo::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

template <typename Draw>
nb::bytes drawn(const Draw& draw) {
  std::vector<std::byte> png;
  {
    const GilRelease released;
    png = draw();
  }
  return nb::bytes(png.data(), png.size());
}

void add_sheet_options(nb::module_& module) {
  nb::class_<ContactSheetOptions>(module, "ContactSheetOptions", "What a picture shows, and how.")
      .def(nb::init<>())
      .def_rw("count", &ContactSheetOptions::count)
      .def_rw("first", &ContactSheetOptions::first)
      .def_rw("classes", &ContactSheetOptions::classes)
      .def_rw("indices", &ContactSheetOptions::indices)
      .def_rw("columns", &ContactSheetOptions::columns)
      .def_rw("scale", &ContactSheetOptions::scale)
      .def_rw("batch", &ContactSheetOptions::batch, nb::arg().none())
      .def_rw("epoch", &ContactSheetOptions::epoch)
      .def_rw("loader", &ContactSheetOptions::loader)
      .def_rw("captions", &ContactSheetOptions::captions)
      .def_rw("masks", &ContactSheetOptions::masks);
}

}  // namespace

void add_contact_sheets(nb::module_& module) {
  add_sheet_options(module);
  module.def("find_class", &find_class, "split"_a, "text"_a, nb::call_guard<GilRelease>(),
             "The number of a class, by its name or number.");
  module.def(
      "draw_samples",
      [](const Split& split, const ContactSheetOptions& options) {
        return drawn([&] { return draw_samples(split, options); });
      },
      "split"_a, "options"_a, "Draws samples as they are stored as a PNG.");
  module.def(
      "draw_batch",
      [](const Store& store, const ContactSheetOptions& options, const std::map<int, std::string>& mask_names) {
        return drawn([&] { return draw_batch(store, options, mask_names); });
      },
      "store"_a, "options"_a, "mask_names"_a, "Draws a batch as a PNG.");
}

}  // namespace octavo::python
