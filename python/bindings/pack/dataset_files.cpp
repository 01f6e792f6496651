// Dataset files as a whole: exporting, and rebuilding after a change by another program.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <octavo/export.hpp>
#include <octavo/reindex.hpp>

#include "pack/module.hpp"
#include "support/interruptible.hpp"

namespace octavo::python {

namespace nb = nanobind;
using namespace nb::literals;

void add_dataset_files(nb::module_& module) {
  nb::enum_<ExportFormat>(module, "ExportFormat").value("png", ExportFormat::png).value("npy", ExportFormat::npy);
  module.def(
      "export_dataset",
      [](const Dataset& dataset, const std::filesystem::path& folder, ExportFormat format, int thread_count,
         const nb::object& on_progress) {
        return interruptibly(on_progress, [&](const ProgressFunction& progress) {
          return export_dataset(dataset, folder, {format, thread_count, progress}).notes;
        });
      },
      "dataset"_a, "folder"_a, "format"_a, "thread_count"_a, "on_progress"_a.none(), "Returns the notes.");
  nb::class_<ReindexSummary>(module, "ReindexSummary", "The result of reindex().")
      .def_ro("sample_count", &ReindexSummary::sample_count)
      .def_ro("changed_samples", &ReindexSummary::changed_samples, "Samples that differ from their checksums.")
      .def_ro("left_out", &ReindexSummary::left_out,
              "Objects and attributes that are not part of a dataset file and were not copied. Of more than 100, the "
              "first 100 and their number: '23 more'.")
      .def("__repr__", [](const ReindexSummary& summary) {
        return nb::str("ReindexSummary(sample_count={}, changed_samples={}, left_out={})")
            .format(summary.sample_count, summary.changed_samples, summary.left_out);
      });
  module.def(
      "reindex",
      [](const std::filesystem::path& path, const std::filesystem::path& new_path, bool accept_changes,
         bool replace_existing, const nb::object& on_progress) {
        return interruptibly(on_progress, [&](const ProgressFunction& progress) {
          return reindex(path, new_path, {accept_changes, replace_existing, progress});
        });
      },
      "path"_a, "new_path"_a, "accept_changes"_a, "replace_existing"_a, "on_progress"_a.none());
}

}  // namespace octavo::python
