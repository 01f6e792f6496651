// Writes contact sheets: draws in memory, writes under a temporary name, then renames.
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <string>
#include <system_error>

#include <octavo/errors.hpp>
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

}  // namespace

void write_contact_sheet(const Dataset& dataset, const std::filesystem::path& path,
                         const ContactSheetOptions& options) {
  if (options.count < 1) throw InvalidArgument("show samples: the count is below 1; ask for at least one sample");
  ensure_free(path, options);
  const Split split = dataset.split(options.split.empty() ? dataset.split_names().front() : options.split);
  std::int64_t most = std::min(options.count, split.sample_count());
  if (options.batch) most = std::min(most, options.batch_size);
  // Refuse a sheet that would be too large before reading anything.
  if (most > 0) view::Sheet({split.shape(), most, options.columns, options.scale});

  const view::ShownSamples shown =
      options.batch ? view::batch_samples(split, options) : view::stored_samples(split, options);
  view::Sheet sheet({split.shape(), shown.count, options.columns, options.scale});
  const auto values = static_cast<std::size_t>(split.shape().values());
  for (std::int64_t cell = 0; cell < shown.count; ++cell) {
    sheet.draw(cell, std::span(shown.values).subspan(static_cast<std::size_t>(cell) * values, values));
  }
  write_and_rename(path, png::encode({sheet.width(), sheet.height(), sheet.channels(), sheet.values()}));
}

}  // namespace octavo
