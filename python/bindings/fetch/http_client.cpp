#include "fetch/http_client.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

namespace octavo::python {
namespace {

namespace nb = nanobind;

std::span<const std::byte> bytes_of(const nb::bytes& bytes) {
  return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

HttpOutcome::End end_of(const std::string& word) {
  if (word == "complete") return HttpOutcome::End::complete;
  return word == "broken" ? HttpOutcome::End::broken : HttpOutcome::End::refused;
}

}  // namespace

HttpOutcome get_with_python(const HttpRequest& request, HttpReceiver& receiver) {
  const nb::gil_scoped_acquire gil;
  try {
    const nb::object take_header = nb::cpp_function([&receiver](const nb::bytes& line) {
      return receiver.take_header({line.c_str(), line.size()});
    });
    const nb::object take_body = nb::cpp_function([&receiver](const nb::bytes& bytes) {
      const std::span<const std::byte> span = bytes_of(bytes);
      const nb::gil_scoped_release released;
      return receiver.take_body(span);
    });
    const nb::object go_on = nb::cpp_function([&receiver] { return receiver.go_on(); });
    const nb::object outcome =
        nb::module_::import_("octavo._http")
            .attr("get")(request.url, request.headers, request.stall_seconds, take_header, take_body, go_on);
    return {end_of(nb::cast<std::string>(outcome[0])), printable(nb::cast<std::string>(outcome[1]))};
  } catch (const nb::python_error& error) {
    throw IoError("request " + request.url + ": " + error.what());
  }
}

}  // namespace octavo::python
