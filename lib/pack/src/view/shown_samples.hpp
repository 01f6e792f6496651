// What a contact sheet shows: samples as they are stored, or a batch as training sees it.
#pragma once

#include <cstdint>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/view.hpp>

namespace octavo::view {

/// Samples as values of a picture.
struct ShownSamples {
  std::int64_t count = 0;
  std::vector<std::uint8_t> values;  ///< [count,C,H,W]
};

/// Samples options.first and on, at most options.count, checked. Throws InvalidArgument if options.first is out of
/// range, FormatError if a sample is damaged.
ShownSamples stored_samples(const Split& split, const ContactSheetOptions& options);

/// The first options.count samples of a batch, from the loader that training uses. Its values are mapped linearly: the
/// least in the batch becomes 0, the greatest 255. Throws InvalidArgument if the epoch has no such batch.
ShownSamples batch_samples(const Split& split, const ContactSheetOptions& options);

}  // namespace octavo::view
