// Contact sheets: many samples in one picture.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <octavo/batch_spec.hpp>
#include <octavo/dataset.hpp>

namespace octavo {

/// What is on the sheet.
struct ContactSheetOptions {
  std::string split = {};                  ///< empty: the first
  std::int64_t count = 100;                ///< number of samples; reduced to the number available
  std::int64_t first = 0;                  ///< index of the first sample; ignored with `batch`
  std::int64_t columns = 0;                ///< 0: an approximately square sheet
  std::int64_t scale = 0;                  ///< side of the square drawn for each value; 0: a readable size
  std::optional<std::int64_t> batch = {};  ///< show this batch of `epoch` as training sees it: its order and values,
                                           ///< mapped linearly from the batch's minimum to its maximum
  std::int64_t epoch = 0;
  std::int64_t batch_size = 100;
  std::uint64_t seed = 0;
  bool shuffle = true;  ///< of the batch
  BatchSpec spec = {};  ///< of the batch
  bool replace_existing = false;
};

/// Writes a PNG with the samples in a grid, separated by thin lines.
/// Throws InvalidArgument if count is below 1, the split or batch does not exist, the sheet exceeds 2^28 pixels, `path`
/// does not end in .png, or `path` exists and replace_existing is off; IoError if `path` cannot be written.
void write_contact_sheet(const Dataset& dataset, const std::filesystem::path& path,
                         const ContactSheetOptions& options = {});

}  // namespace octavo
