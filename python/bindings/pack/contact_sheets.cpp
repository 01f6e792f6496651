// Contact sheets: pictures of the first samples of a split.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <octavo/view.hpp>
#include <string>

#include "pack/module.hpp"
#include "support/gil.hpp"

namespace octavo::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

void write_sheet(const Dataset& dataset, const std::filesystem::path& path, const std::string& split,
                 std::int64_t count, std::int64_t columns) {
  ContactSheetOptions options;
  options.split = split;
  options.count = count;
  options.columns = columns;
  options.replace_existing = true;
  write_contact_sheet(dataset, path, options);
}

}  // namespace

void add_contact_sheets(nb::module_& module) {
  module.def("write_contact_sheet", &write_sheet, "dataset"_a, "path"_a, "split"_a, "count"_a, "columns"_a,
             nb::call_guard<GilRelease>(), "Writes a PNG with the first `count` samples of a split.");
}

}  // namespace octavo::python
