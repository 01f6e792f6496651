// Translates exceptions of the library to Python's built-in exceptions, or to one of three exceptions of this package.
#include <octavo/errors.hpp>
#include <octavo/option_names.hpp>
#include <octavo/text.hpp>

#include "core/module.hpp"

namespace octavo::python {
namespace {

namespace nb = nanobind;

// Owned by the module, which lives as long as the interpreter.
PyObject* format_error = nullptr;
PyObject* device_error = nullptr;
PyObject* unavailable_error = nullptr;

PyObject* add_exception(nb::module_& module, const char* name, const char* doc, PyObject* base) {
  PyObject* type = PyErr_NewExceptionWithDoc((std::string("octavo._core.") + name).c_str(), doc, base, nullptr);
  if (type == nullptr) throw nb::python_error();
  module.attr(name) = nb::handle(type);
  return type;
}

/// Messages contain names that need not be UTF-8.
nb::object message_of(const std::exception& error) {
  return nb::steal(PyUnicode_FromString(as_utf8(with_python_options(error.what())).c_str()));
}

void raise(PyObject* type, const std::exception& error) {
  const nb::object message = message_of(error);
  if (message.is_valid()) PyErr_SetObject(type, message.ptr());
}

/// OSError selects its subclass, such as FileNotFoundError, by the error number.
void raise_os_error(const IoError& error) {
  if (error.error_number() == 0) return raise(PyExc_OSError, error);
  const nb::object message = message_of(error);
  if (message.is_valid()) PyErr_SetObject(PyExc_OSError, nb::make_tuple(error.error_number(), message).ptr());
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const FormatError& error) {
    raise(format_error, error);
  } catch (const IoError& error) {
    raise_os_error(error);
  } catch (const OutOfMemory& error) {
    raise(PyExc_MemoryError, error);
  } catch (const DeviceError& error) {
    raise(device_error, error);
  } catch (const Unavailable& error) {
    raise(unavailable_error, error);
  } catch (const InvalidArgument& error) {
    raise(PyExc_ValueError, error);
  }
}

}  // namespace

void add_errors(nb::module_& module) {
  format_error =
      add_exception(module, "FormatError", "A file is damaged, has a newer version, or is not an Octavo dataset file.",
                    PyExc_ValueError);
  device_error = add_exception(module, "DeviceError", "A device failed.", PyExc_RuntimeError);
  unavailable_error = add_exception(
      module, "UnavailableError", "This build or machine lacks a required feature, such as CUDA.", PyExc_RuntimeError);
  nb::register_exception_translator(translate);
}

}  // namespace octavo::python
