// Draws contact sheets in memory, and writes them.
#include <algorithm>
#include <span>
#include <string>

#include <octavo/batch_shape.hpp>
#include <octavo/errors.hpp>
#include <octavo/output_file.hpp>
#include <octavo/store.hpp>
#include <octavo/view.hpp>

#include "png/png_writer.hpp"
#include "support/file.hpp"
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

std::vector<std::byte> drawn(const view::ShownSamples& shown, const ContactSheetOptions& options) {
  view::Sheet sheet({shown.shape, shown.count, options.columns, options.scale, !shown.captions.empty()});
  const auto values = static_cast<std::size_t>(shown.shape.values());
  for (std::int64_t cell = 0; cell < shown.count; ++cell) {
    sheet.draw(cell, std::span(shown.values).subspan(static_cast<std::size_t>(cell) * values, values));
    if (!shown.captions.empty()) sheet.write(cell, shown.captions[static_cast<std::size_t>(cell)]);
  }
  return png::encode({sheet.width(), sheet.height(), sheet.channels(), sheet.values()});
}

}  // namespace

std::vector<std::byte> draw_samples(const Split& split, const ContactSheetOptions& options) {
  const std::vector<std::int64_t> indices = shown_indices(split, options);
  ensure_drawable(
      {split.shape(), std::ssize(indices), options.columns, options.scale, view::has_captions(split, options)});
  return drawn(view::stored_samples(split, indices, options), options);
}

std::vector<std::byte> draw_batch(const Store& store, const ContactSheetOptions& options) {
  if (!options.batch) throw InvalidArgument("draw a batch: its number is missing; set `batch`");
  if (options.count < 1) throw InvalidArgument("show a batch: the count is below 1; ask for at least one sample");
  const BatchShape shape = batch_shape(options.loader.spec, store.shape());
  ensure_drawable({shape.image, shape.views * std::min(options.count, options.loader.batch_size), options.columns,
                   options.scale, view::has_captions(store, options)});
  return drawn(view::batch_samples(store, options), options);
}

void write_contact_sheet(const Dataset& dataset, const std::filesystem::path& path,
                         const ContactSheetOptions& options) {
  check_output_file(path, options.replace_existing);
  check_name(path);
  const Split split = dataset.split(options.split.empty() ? dataset.split_names().front() : options.split);
  if (options.batch) {
    // Streamed, so that one batch is read, not the whole split.
    const Store store = Store::load(split, Device::cpu(), {.residency = Residency::streamed});
    return write_output_file(path, draw_batch(store, options), options.replace_existing);
  }
  write_output_file(path, draw_samples(split, options), options.replace_existing);
}

}  // namespace octavo
