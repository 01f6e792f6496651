// The content of a contact sheet: samples as they are stored, or a batch as training sees it.
#pragma once

#include <cstdint>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/view.hpp>

#include "view/caption.hpp"

namespace octavo::view {

/// Images as 8-bit values to draw.
struct ShownSamples {
  SampleShape shape;                 ///< of each image
  std::int64_t count = 0;            ///< of images
  std::vector<std::uint8_t> values;  ///< [count,C,H,W]
  std::vector<std::uint8_t> masks;   ///< [count,H,W]; empty: none
  std::vector<Caption> captions;     ///< of each image; empty: none
};

/// Whether stored samples with these options have captions.
bool has_captions(const Split& split, const ContactSheetOptions& options);

/// Reads and checks the samples with these indices, which are in range. Throws FormatError if a sample is damaged.
ShownSamples stored_samples(const Split& split, const std::vector<std::int64_t>& indices,
                            const ContactSheetOptions& options);

/// Whether the batches of `store` with these options have captions: mixed samples have several classes.
bool has_captions(const Store& store, const ContactSheetOptions& options);

/// The images of the first options.count samples of a batch, from the same loader as in training. Throws
/// InvalidArgument if the epoch has no such batch.
ShownSamples batch_samples(const Store& store, const ContactSheetOptions& options);

}  // namespace octavo::view
