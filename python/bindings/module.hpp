// The parts of the extension module; each adds its own classes and functions.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::python {

void add_errors(nanobind::module_& module);
void add_devices(nanobind::module_& module);
void add_datasets(nanobind::module_& module);
void add_loading(nanobind::module_& module);
void add_graph_loading(nanobind::module_& module);
void add_packing(nanobind::module_& module);
void add_fetching(nanobind::module_& module);
void add_reports(nanobind::module_& module);

}  // namespace octavo::python
