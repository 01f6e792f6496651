// Contact sheets: many samples in one picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/loader.hpp>
#include <octavo/store.hpp>

namespace octavo {

/// What is on the sheet.
struct ContactSheetOptions {
  std::string split = {};                  ///< empty: the first
  std::int64_t count = 100;                ///< number of samples; reduced to the number available
  std::int64_t first = 0;                  ///< index of the first sample; ignored with `batch`
  std::int64_t columns = 0;                ///< 0: an approximately square sheet
  std::int64_t scale = 0;                  ///< side of the square drawn for each value; 0: a readable size
  std::optional<std::int64_t> batch = {};  ///< show this batch of `epoch` as training sees it
  std::int64_t epoch = 0;
  LoaderOptions loader = {.batch_size = 100, .shuffle = true};  ///< of the batch
  bool replace_existing = false;
};

/// Draws the first options.count samples of batch *options.batch of options.epoch, as a loader with options.loader
/// makes it from `store`: a PNG. Normalized values are turned back into those before the normalization, 0 to 255; a
/// batch that is centered on its own mean is mapped linearly from its minimum to its maximum. The views of a sample are
/// next to each other. Throws InvalidArgument if the batch does not exist or the sheet exceeds 2^28 pixels.
std::vector<std::byte> draw_batch(const Store& store, const ContactSheetOptions& options);

/// Writes a PNG with the samples in a grid, separated by thin lines; with options.batch, the sheet of draw_batch().
/// Throws InvalidArgument if count is below 1, the split or batch does not exist, the sheet exceeds 2^28 pixels, `path`
/// does not end in .png, or `path` exists and replace_existing is off; IoError if `path` cannot be written.
void write_contact_sheet(const Dataset& dataset, const std::filesystem::path& path,
                         const ContactSheetOptions& options = {});

}  // namespace octavo
