// Writes contact sheets: draws in memory, writes under a temporary name, then renames.
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <string>
#include <system_error>

#include <octavo/batch_shape.hpp>
#include <octavo/errors.hpp>
#include <octavo/store.hpp>
#include <octavo/view.hpp>

#include "png/png_writer.hpp"
#include "support/file.hpp"
#include "view/sheet.hpp"
#include "view/shown_samples.hpp"

namespace octavo {
namespace {

/// A name in the folder of `path` that no other process uses.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
  std::filesystem::path name = path;
  name += "." + std::to_string(::getpid()) + ".partial";
  return name;
}

/// Writes a new file and renames it when it is complete; removes it on failure.
void write_and_rename(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  const std::filesystem::path partial = temporary_name(path);
  File file = File::create_new(partial);
  try {
    file.write_at(0, bytes);
    file.close();
    if (::rename(partial.c_str(), path.c_str()) != 0) throw_io_error("rename the finished file to", path, errno);
  } catch (...) {
    ::unlink(partial.c_str());
    throw;
  }
}

/// Prevents a typo from replacing a file of another kind.
void check_name(const std::filesystem::path& path) {
  if (path.extension() == ".png" || path.extension() == ".PNG") return;
  throw InvalidArgument("write " + quoted(path) + ": a contact sheet is a PNG file; use a name that ends in .png");
}

void ensure_free(const std::filesystem::path& path, const ContactSheetOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw InvalidArgument("write " + quoted(path) + ": this is a folder; name a file");
  }
  check_name(path);
  check_is_plain_or_free(path);
  if (!options.replace_existing && std::filesystem::exists(path, ignored)) {
    throw InvalidArgument("write " + quoted(path) +
                          ": the file exists; choose another name, or allow replacing it (`force`)");
  }
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
  ensure_free(path, options);
  const Split split = dataset.split(options.split.empty() ? dataset.split_names().front() : options.split);
  if (options.batch) {
    // Streamed, so that one batch is read, not the whole split.
    const Store store = Store::load(split, Device::cpu(), {.residency = Residency::streamed});
    return write_and_rename(path, draw_batch(store, options));
  }
  write_and_rename(path, draw_samples(split, options));
}

}  // namespace octavo
