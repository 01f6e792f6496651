// The extension module octavo._native: the part of the public C++ API that the package's Python sources need.
#include "module.hpp"

#include <nanobind/stl/string_view.h>

#include <octavo/version.hpp>

#include "gil.hpp"

NB_MODULE(_native, module) {
  module.doc() = "The compiled part of octavo; import octavo instead.";
  module.attr("__version__") = octavo::kVersion;
  // Objects that remain at exit belong to threads that are still working.
  nanobind::set_leak_warnings(false);
  octavo::python::add_gil(module);
  octavo::python::add_errors(module);
  octavo::python::add_devices(module);
  octavo::python::add_datasets(module);
  octavo::python::add_loading(module);
  octavo::python::add_graph_loading(module);
  octavo::python::add_packing(module);
  octavo::python::add_fetching(module);
  octavo::python::add_reports(module);
}
