// The extension module octavo._fetch: downloads published image datasets.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <octavo/fetch.hpp>
#include <octavo/http_client.hpp>

#include "fetch/http_client.hpp"
#include "support/gil.hpp"
#include "support/interruptible.hpp"

namespace octavo::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

void add_sets(nb::module_& module) {
  nb::class_<RemoteFile>(module, "RemoteFile", "A published file and its checksums.")
      .def_ro("name", &RemoteFile::name)
      .def_ro("bytes", &RemoteFile::bytes, "The exact size.")
      .def_ro("sha256", &RemoteFile::sha256, "Hex digits; empty if unknown.")
      .def_ro("md5", &RemoteFile::md5, "Hex digits; empty if unknown.")
      .def_ro("urls", &RemoteFile::urls, "Addresses of the file itself.")
      .def("__repr__", [](const RemoteFile& file) {
        return nb::str("RemoteFile(name={!r}, bytes={})").format(file.name, file.bytes);
      });
  nb::class_<RemoteSet>(module, "RemoteSet", "A published image set.")
      .def_ro("name", &RemoteSet::name)
      .def_ro("title", &RemoteSet::title, "For example 'Fashion-MNIST'.")
      .def_ro("content", &RemoteSet::content, "For example '60,000 + 10,000, 28x28 gray, 10 classes'.")
      .def_ro("license", &RemoteSet::license, "The license that the publisher states.")
      .def_ro("page", &RemoteSet::page, "The publisher's page.")
      .def_ro("mirrors", &RemoteSet::mirrors, "Base addresses of the files, in the order in which they are tried.")
      .def_ro("files", &RemoteSet::files)
      .def_ro("pack", &RemoteSet::pack, "The files to pack, as [SPLIT=]FILE; empty: the folder.")
      .def_prop_ro("bytes", &total_bytes, "The total size of all files.")
      .def("__repr__", [](const RemoteSet& set) {
        return nb::str("RemoteSet(name={!r}, bytes={})").format(set.name, total_bytes(set));
      });
  module.def("known_sets", &known_sets, "The image sets that `fetch` knows by name.");
  module.def("known_set", &known_set, "name"_a);
  module.def("read_set", &read_set, "path"_a);
}

void add_results(nb::module_& module) {
  nb::class_<FetchedFile>(module, "FetchedFile", "The result for one file.")
      .def_ro("name", &FetchedFile::name)
      .def_ro("bytes", &FetchedFile::bytes)
      .def_ro("was_there", &FetchedFile::was_there, "True if the published file existed already.")
      .def_ro("received_bytes", &FetchedFile::received_bytes, "Bytes received by this call.")
      .def_ro("url", &FetchedFile::url, "The address it came from; empty if nothing was received.")
      .def("__repr__", [](const FetchedFile& file) {
        return nb::str("FetchedFile(name={!r}, was_there={})").format(file.name, file.was_there);
      });
  nb::class_<FetchSummary>(module, "FetchSummary", "The result of a fetch.")
      .def_ro("files", &FetchSummary::files)
      .def_ro("received_bytes", &FetchSummary::received_bytes)
      .def_ro("elapsed_seconds", &FetchSummary::elapsed_seconds);
}

void choose_http_client(bool prefer_python) {
  set_http_client({});
  if (prefer_python || !has_http_client()) set_http_client(&get_with_python);
}

void add_fetch(nb::module_& module) {
  nb::class_<FetchOptions>(module, "FetchOptions", "Options of a fetch.")
      .def(nb::init<>())
      .def_rw("mirrors", &FetchOptions::mirrors)
      .def_rw("replace_existing", &FetchOptions::replace_existing)
      .def_rw("retries", &FetchOptions::retries)
      .def_rw("stall_seconds", &FetchOptions::stall_seconds);
  module.def(
      "fetch_set",
      [](const RemoteSet& set, const std::filesystem::path& folder, const FetchOptions& given,
         const nb::object& on_progress) {
        return interruptibly(on_progress, [&](const ProgressFunction& progress) {
          FetchOptions options = given;
          options.on_progress = progress;
          return fetch(set, folder, options);
        });
      },
      "set"_a, "folder"_a, "options"_a, "on_progress"_a.none());
  module.def(
      "choose_http_client", &choose_http_client, "prefer_python"_a,
      "Sends requests with octavo._http, or with libcurl if the build has it and Python's client is not preferred.");
  choose_http_client(false);
}

}  // namespace
}  // namespace octavo::python

NB_MODULE(_fetch, module) {
  module.doc() = "Downloading image datasets; import octavo instead.";
  nanobind::module_::import_("octavo._core");  // translates exceptions
  octavo::python::add_gil(module);
  octavo::python::add_sets(module);
  octavo::python::add_results(module);
  octavo::python::add_fetch(module);
}
