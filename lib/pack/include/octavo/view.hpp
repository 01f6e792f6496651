// Contact sheets: many samples in one picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/loader.hpp>
#include <octavo/mask_shares.hpp>
#include <octavo/store.hpp>

namespace octavo {

/// What is on the sheet.
struct ContactSheetOptions {
  std::string split = {};    ///< empty: the first
  std::int64_t count = 100;  ///< number of samples; reduced to the number available
  std::int64_t first = 0;    ///< index of the first sample; ignored with `indices` and `batch`
  std::vector<std::int32_t> classes =
      {};  ///< show only samples with one of these classes; empty: all. Ignored with `batch`
  std::vector<std::int64_t> indices = {};  ///< show exactly these samples, in this order; empty: those that the fields
                                           ///< above select. Ignored with `batch`
  std::int64_t columns = 0;                ///< 0: an approximately square sheet
  std::int64_t scale = 0;                  ///< side of the square drawn for each value; 0: a readable size
  std::optional<std::int64_t> batch = {};  ///< show this batch of `epoch` as training sees it
  std::int64_t epoch = 0;
  LoaderOptions loader = {.batch_size = 100, .shuffle = true};  ///< of the batch
  /// Write label_text() below each sample, and its index if there is room. Only if the class names are known, or with
  /// targets; below samples of batches only class names, and not if they are mixed.
  bool captions = true;
  /// Draw masks over the images, in the colors of mask_color(), with a legend below the samples.
  bool masks = true;
  bool replace_existing = false;
};

/// The label of a sample for people: "cat"; of multi-labels the classes that are set, "cat, dog"; of targets the
/// values, "0.5, 12". A class without a name is its number. Empty without labels. Throws IoError if it cannot be read.
std::string label_text(const Split& split, std::int64_t index);

/// Returns the number of the class with the name or, if no class has this name, the number `text`. Throws
/// InvalidArgument, listing some of the names, if there is no such class, or if the labels are not classes.
std::int32_t find_class(const Split& split, std::string_view text);

/// Returns the indices of the samples that a sheet of stored samples shows, in order. Throws InvalidArgument if
/// options.count is below 1, options.first or an index is out of range, both indices and classes are given, or no
/// sample is left; FormatError or IoError if the labels cannot be read.
std::vector<std::int64_t> shown_indices(const Split& split, const ContactSheetOptions& options);

/// Draws the samples of shown_indices() unchanged: a PNG. Throws what shown_indices() throws, InvalidArgument if the
/// sheet exceeds 2^28 pixels, FormatError if a sample is damaged.
std::vector<std::byte> draw_samples(const Split& split, const ContactSheetOptions& options);

/// Draws the first options.count samples of batch *options.batch of options.epoch, as a loader with options.loader
/// makes it from `store`: a PNG. Normalized values are turned back into those before the normalization, 0 to 255; a
/// batch that is centered on its own mean is mapped linearly from its minimum to its maximum. The views of a sample are
/// next to each other. `mask_names`, from mask_class_names(), are for the legend of masks. Throws InvalidArgument if
/// the batch does not exist or the sheet exceeds 2^28 pixels.
std::vector<std::byte> draw_batch(const Store& store, const ContactSheetOptions& options,
                                  const std::map<int, std::string>& mask_names = {});

/// Writes the PNG of draw_samples() or, with options.batch, of draw_batch(): the samples in a grid, separated by thin
/// lines. Returns the legend of the masks that are shown; empty if there are none. Throws what they throw,
/// InvalidArgument if the split does not exist, `path` does not end in .png, or `path` exists and replace_existing is
/// off; IoError if `path` cannot be written.
std::vector<MaskShare> write_contact_sheet(const Dataset& dataset, const std::filesystem::path& path,
                                           const ContactSheetOptions& options = {});

}  // namespace octavo
