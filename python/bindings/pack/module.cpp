// The extension module octavo._pack: packing, verifying and showing dataset files.
#include "pack/module.hpp"

#include "support/gil.hpp"

NB_MODULE(_pack, module) {
  module.doc() = "Packing, verifying and showing dataset files; import octavo instead.";
  nanobind::module_::import_("octavo._core");  // defines Dataset, and translates exceptions
  octavo::python::add_gil(module);
  octavo::python::add_packing(module);
  octavo::python::add_reports(module);
  octavo::python::add_contact_sheets(module);
  octavo::python::add_dataset_files(module);
}
