// Ranks that exchange samples through a Python object.
#pragma once

#include <nanobind/nanobind.h>

#include <octavo/store.hpp>

namespace octavo::python {

/// Calls `connect`, which returns an object with the functions of PythonExchange, or None, on the thread that loads.
ExchangeFunction exchange_function(nanobind::object connect);

}  // namespace octavo::python
