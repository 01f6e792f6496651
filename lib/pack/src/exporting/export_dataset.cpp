// Writes a dataset file as images or arrays; on failure, leaves nothing behind.
#include <octavo/export.hpp>

#include "exporting/export_notes.hpp"
#include "exporting/npy_export.hpp"
#include "exporting/png_export.hpp"
#include "exporting/target_folder.hpp"

namespace octavo {

ExportSummary export_dataset(const Dataset& dataset, const std::filesystem::path& folder,
                             const ExportOptions& options) {
  ExportSummary summary = {
      exporting::export_notes(dataset, options.format)};  // first: nothing may fail after the export
  exporting::TargetFolder target(folder);
  if (options.format == ExportFormat::png) {
    exporting::export_png(dataset, target.path(), options);
  } else {
    exporting::export_npy(dataset, target.path(), options);
  }
  target.keep();
  return summary;
}

}  // namespace octavo
