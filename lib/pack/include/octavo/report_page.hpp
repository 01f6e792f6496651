// The report as a page for a browser.
#pragma once

#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/doctor.hpp>
#include <octavo/option_names.hpp>
#include <octavo/progress.hpp>
#include <octavo/report.hpp>

namespace octavo {

/// The speed of a data loader.
struct LoaderSpeed {
  std::string name;
  double images_per_second = 0.0;
};

struct ReportPageOptions {
  std::vector<LoaderSpeed> loaders = {};  ///< measured by the caller, to be compared on the page
  std::string missing_loader = {};        ///< why they do not include a PyTorch DataLoader, a sentence; empty: they do
  OptionSpelling spelling = with_command_line_options;  ///< of the options in the findings
  ProgressFunction on_progress = {};
};

/// Writes `report`, which is of `dataset`, as one HTML page without scripts or links to other files: what is in the
/// dataset, what int8 saves, what it costs, how fast it is, what fits on well-known GPUs, and what looks wrong. Reads
/// and checks all samples as examine() does, whose findings it shows. Throws InvalidArgument if the dataset does not
/// have the split of the report; FormatError if a sample is damaged; IoError if the file cannot be read.
std::string to_html(const Dataset& dataset, const MemoryReport& report, const ReportPageOptions& options = {});

}  // namespace octavo
