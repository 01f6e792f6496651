// What looks wrong in a dataset.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <octavo/content.hpp>
#include <octavo/dataset.hpp>
#include <octavo/duplicates.hpp>

namespace octavo::report::page {

struct Finding {
  std::string html;
  bool is_warning = false;  ///< likely to spoil training or its evaluation; otherwise worth a look
};

/// Duplicates, blank images, unusual labels and image sizes. `contents` are those of all splits, in file order.
std::vector<Finding> find_anomalies(const Dataset& dataset, const std::vector<SplitContent>& contents,
                                    const DuplicateReport& duplicates);

/// The name of sample `row` if the file has one, otherwise "train #17". HTML.
std::string sample_title(const Split& split, std::int64_t row);

}  // namespace octavo::report::page
