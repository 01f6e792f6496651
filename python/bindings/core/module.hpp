// The parts of octavo._core; each adds its own classes and functions.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::python {

void add_errors(nanobind::module_& module);
void add_devices(nanobind::module_& module);
void add_augmenting(nanobind::module_& module);
void add_datasets(nanobind::module_& module);
void add_python_sources(nanobind::module_& module);
void add_batch_options(nanobind::module_& module);
void add_storing(nanobind::module_& module);
void add_loading(nanobind::module_& module);
void add_graph_loading(nanobind::module_& module);
void add_planning(nanobind::module_& module);

}  // namespace octavo::python
