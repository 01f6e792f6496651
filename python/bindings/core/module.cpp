// The extension module octavo._core: dataset files, stores and loaders. All that `import octavo` loads.
#include "core/module.hpp"

#include <nanobind/stl/string_view.h>

#include <octavo/version.hpp>

#include "support/gil.hpp"

NB_MODULE(_core, module) {
  module.doc() = "Reading dataset files and serving batches; import octavo instead.";
  module.attr("__version__") = octavo::kVersion;
  // Objects that remain at exit belong to threads that are still working.
  nanobind::set_leak_warnings(false);
  octavo::python::add_gil(module);
  octavo::python::add_errors(module);
  octavo::python::add_devices(module);
  octavo::python::add_datasets(module);
  octavo::python::add_python_sources(module);
  octavo::python::add_augmenting(module);
  octavo::python::add_batch_options(module);
  octavo::python::add_storing(module);
  octavo::python::add_loading(module);
  octavo::python::add_graph_loading(module);
  octavo::python::add_planning(module);
}
