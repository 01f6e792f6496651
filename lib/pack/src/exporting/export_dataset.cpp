// Writes a dataset file as images or arrays; on failure, leaves nothing behind.
#include <octavo/export.hpp>

#include "exporting/npy_export.hpp"
#include "exporting/png_export.hpp"
#include "exporting/target_folder.hpp"

namespace octavo {

void export_dataset(const Dataset& dataset, const std::filesystem::path& folder, const ExportOptions& options) {
  exporting::TargetFolder target(folder);
  if (options.format == ExportFormat::png) {
    exporting::export_png(dataset, target.path(), options);
  } else {
    exporting::export_npy(dataset, target.path(), options);
  }
  target.keep();
}

}  // namespace octavo
