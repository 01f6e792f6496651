// Contact sheets: many samples on one picture.
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
  std::int64_t count = 100;                ///< samples, at most as many as there are
  std::int64_t first = 0;                  ///< the first sample, without `batch`
  std::int64_t columns = 0;                ///< 0: about square
  std::int64_t scale = 0;                  ///< each value becomes a square of this side; 0: a readable size
  std::optional<std::int64_t> batch = {};  ///< show this batch of `epoch` as training sees it: its order and values,
                                           ///< mapped linearly from the batch's least to its greatest value
  std::int64_t epoch = 0;
  std::int64_t batch_size = 100;
  std::uint64_t seed = 0;
  bool shuffle = true;  ///< of the batch
  BatchSpec spec = {};  ///< of the batch
  bool replace_existing = false;
};

/// Writes a PNG with samples in rows, separated by a thin line. Throws InvalidArgument for a count below 1, a split or
/// batch that does not exist, a sheet of more than 2^28 pixels, or a `path` that does not end in .png or exists and may
/// not be replaced; IoError if `path` cannot be written.
void write_contact_sheet(const Dataset& dataset, const std::filesystem::path& path,
                         const ContactSheetOptions& options = {});

}  // namespace octavo
