// Draws contact sheets in memory, and writes them.
#include <algorithm>
#include <map>
#include <span>
#include <string>

#include <octavo/batch_shape.hpp>
#include <octavo/errors.hpp>
#include <octavo/output_file.hpp>
#include <octavo/store.hpp>
#include <octavo/view.hpp>

#include "png/png_writer.hpp"
#include "support/file.hpp"
#include "view/mask_overlay.hpp"
#include "view/sheet.hpp"
#include "view/shown_samples.hpp"

namespace octavo {
namespace {

/// Prevents a typo from replacing a file of another kind.
void check_name(const std::filesystem::path& path) {
  if (path.extension() == ".png" || path.extension() == ".PNG") return;
  throw InvalidArgument("write " + quoted(path) + ": a contact sheet is a PNG file; use a name that ends in .png");
}

/// Refuses a sheet that would be too large before anything is read.
void ensure_drawable(const view::SheetPlan& plan) {
  if (plan.count > 0) view::Sheet sheet(plan);
}

/// A sheet and the legend of the masks on it.
struct DrawnSheet {
  std::vector<std::byte> png;
  std::vector<MaskShare> legend;
};

/// The shares of the mask values in the shown samples.
std::vector<MaskShare> legend_of(const view::ShownSamples& shown, const std::map<int, std::string>& names) {
  MaskCounts counts;
  counts.sample_count = shown.count;
  counts.add(shown.masks);
  return shares_of(counts, names);
}

DrawnSheet drawn(const view::ShownSamples& shown, const ContactSheetOptions& options,
                 const std::map<int, std::string>& mask_names) {
  const bool has_masks = !shown.masks.empty();
  DrawnSheet made;
  if (has_masks) made.legend = legend_of(shown, mask_names);
  SampleShape cell_shape = shown.shape;
  if (has_masks) cell_shape.channels = 3;
  view::Sheet sheet(
      {cell_shape, shown.count, options.columns, options.scale, !shown.captions.empty(), listed_shares(made.legend)});
  const auto values = static_cast<std::size_t>(shown.shape.values());
  const auto pixels = static_cast<std::size_t>(shown.shape.values_per_channel());
  for (std::int64_t cell = 0; cell < shown.count; ++cell) {
    const auto at = static_cast<std::size_t>(cell);
    const auto image = std::span(shown.values).subspan(at * values, values);
    if (has_masks) {
      sheet.draw(cell, view::overlaid(image, shown.shape, std::span(shown.masks).subspan(at * pixels, pixels)));
    } else {
      sheet.draw(cell, image);
    }
    if (!shown.captions.empty()) sheet.write(cell, shown.captions[at]);
  }
  sheet.write_legend();
  made.png = png::encode({sheet.width(), sheet.height(), sheet.channels(), sheet.values()});
  return made;
}

DrawnSheet sheet_of_samples(const Split& split, const ContactSheetOptions& options) {
  const std::vector<std::int64_t> indices = shown_indices(split, options);
  ensure_drawable(
      {split.shape(), std::ssize(indices), options.columns, options.scale, view::has_captions(split, options)});
  return drawn(view::stored_samples(split, indices, options), options, mask_class_names(split.dataset()));
}

DrawnSheet sheet_of_batch(const Store& store, const ContactSheetOptions& options,
                          const std::map<int, std::string>& mask_names) {
  if (!options.batch) throw InvalidArgument("draw a batch: its number is missing; set `batch`");
  if (options.count < 1) throw InvalidArgument("show a batch: the count is below 1; ask for at least one sample");
  const BatchShape shape = batch_shape(options.loader.spec, store.shape());
  ensure_drawable({shape.image, shape.views * std::min(options.count, options.loader.batch_size), options.columns,
                   options.scale, view::has_captions(store, options)});
  return drawn(view::batch_samples(store, options), options, mask_names);
}

}  // namespace

std::vector<std::byte> draw_samples(const Split& split, const ContactSheetOptions& options) {
  return sheet_of_samples(split, options).png;
}

std::vector<std::byte> draw_batch(const Store& store, const ContactSheetOptions& options,
                                  const std::map<int, std::string>& mask_names) {
  return sheet_of_batch(store, options, mask_names).png;
}

std::vector<MaskShare> write_contact_sheet(const Dataset& dataset, const std::filesystem::path& path,
                                           const ContactSheetOptions& options) {
  check_output_file(path, options.replace_existing);
  check_name(path);
  const Split split = dataset.split(options.split.empty() ? dataset.split_names().front() : options.split);
  DrawnSheet sheet;
  if (options.batch) {
    // Streamed, so that one batch is read, not the whole split.
    const Store store = Store::load(split, Device::cpu(), {.residency = Residency::streamed});
    sheet = sheet_of_batch(store, options, mask_class_names(dataset));
  } else {
    sheet = sheet_of_samples(split, options);
  }
  write_output_file(path, sheet.png, options.replace_existing);
  return sheet.legend;
}

}  // namespace octavo
