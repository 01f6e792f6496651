// The parts of octavo._pack; each adds its own classes and functions.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::python {

void add_packing(nanobind::module_& module);
void add_dataset_files(nanobind::module_& module);
void add_reports(nanobind::module_& module);
void add_contact_sheets(nanobind::module_& module);

}  // namespace octavo::python
