#include "exporting/png_export.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <octavo/errors.hpp>
#include <octavo/mask_shares.hpp>

#include "exporting/class_folders.hpp"
#include "exporting/export_index_writer.hpp"
#include "exporting/export_progress.hpp"
#include "exporting/stored_labels.hpp"
#include "exporting/target_folder.hpp"
#include "png/png_writer.hpp"
#include "support/file.hpp"
#include "support/threads.hpp"

namespace octavo::exporting {
namespace {

/// The bytes that a thread reads and checks in one step.
constexpr std::int64_t kPngBlockBytes = 256 << 10;

void ensure_images(const Split& split) {
  const std::int64_t channels = split.shape().channels;
  if (channels == 1 || channels == 3) return;
  throw InvalidArgument("export split " + split.name() + " of " + quoted(split.path()) + " as PNG: samples have " +
                        std::to_string(channels) + " channels, PNG supports 1 or 3; export as npy");
}

/// The buffers of one thread.
struct Lane {
  std::vector<std::int8_t> codes;    ///< of a block
  std::vector<std::byte> labels;     ///< of a block
  std::vector<std::uint8_t> masks;   ///< of a block, if the split has any
  std::vector<std::uint8_t> pixels;  ///< of a sample, [H,W,C]
};

/// int8 [C,H,W] to uint8 [H,W,C].
void interleave(std::span<const std::int8_t> codes, std::int64_t channels, std::vector<std::uint8_t>& pixels) {
  const std::size_t planes = static_cast<std::size_t>(channels);
  const std::size_t plane = codes.size() / planes;
  pixels.resize(codes.size());
  for (std::size_t c = 0; c < planes; ++c) {
    for (std::size_t p = 0; p < plane; ++p) {
      pixels[p * planes + c] = static_cast<std::uint8_t>(codes[c * plane + p] ^ 0x80);
    }
  }
}

/// Writes the images of one split, on all threads.
class SplitExport {
 public:
  SplitExport(const Split& split, const ClassFolders& folders, const std::filesystem::path& target,
              const ExportOptions& options)
      : split_(split),
        folders_(folders),
        target_(target),
        progress_(split, options.on_progress),
        thread_count_(resolve_thread_count(options.thread_count)),
        rows_a_block_(std::max<std::int64_t>(1, kPngBlockBytes / split.shape().values())) {}

  void run() {
    run_on_threads(thread_count_, [this](int) {
      try {
        work();
      } catch (...) {
        stopped_ = true;
        throw;
      }
    });
  }

 private:
  void work() {
    Lane lane;
    while (!stopped_) {
      const std::int64_t first = next_row_.fetch_add(rows_a_block_);
      if (first >= split_.sample_count()) return;
      const std::int64_t count = std::min(rows_a_block_, split_.sample_count() - first);
      read(first, count, lane);
      for (std::int64_t i = 0; i < count && !stopped_; ++i) write(first + i, i, lane);
      progress_.add(count);
    }
  }

  void read(std::int64_t first, std::int64_t count, Lane& lane) const {
    lane.codes.resize(static_cast<std::size_t>(count * split_.shape().values()));
    lane.labels.resize(static_cast<std::size_t>(count * split_.labels().bytes_per_sample()));
    if (split_.has_masks()) lane.masks.resize(static_cast<std::size_t>(count * split_.shape().values_per_channel()));
    split_.read_checked(first, count, lane.codes, lane.labels, lane.masks);
  }

  /// Writes sample `row`, which is number `at` of the lane's block.
  void write(std::int64_t row, std::int64_t at, Lane& lane) const {
    const SampleShape shape = split_.shape();
    const auto values = static_cast<std::size_t>(shape.values());
    const std::span<const std::int8_t> codes = lane.codes;
    interleave(codes.subspan(static_cast<std::size_t>(at) * values, values), shape.channels, lane.pixels);
    const std::int32_t label =
        folders_.has_classes() ? label_number<std::int32_t>(lane.labels, static_cast<std::size_t>(at)) : 0;
    const auto png = png::encode({shape.width, shape.height, shape.channels, lane.pixels});
    File::create_new(target_ / folders_.path(row, label)).write_at(0, png);
    if (!split_.has_masks()) return;
    const auto pixels = static_cast<std::size_t>(shape.values_per_channel());
    const auto mask = std::span<const std::uint8_t>(lane.masks).subspan(static_cast<std::size_t>(at) * pixels, pixels);
    File::create_new(target_ / folders_.mask_path(row, label))
        .write_at(0, png::encode({shape.width, shape.height, 1, mask}));
  }

  const Split& split_;
  const ClassFolders& folders_;
  const std::filesystem::path& target_;
  ExportProgress progress_;
  int thread_count_;
  std::int64_t rows_a_block_;
  std::atomic<std::int64_t> next_row_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

void export_png(const Dataset& dataset, const std::filesystem::path& folder, const ExportOptions& options) {
  const std::vector<std::string> names = dataset.split_names();
  for (const std::string& name : names) ensure_images(dataset.split(name));
  ExportIndexWriter index(folder / "octavo.json", dataset.class_names(), mask_class_names(dataset));
  for (const std::string& name : names) {
    const Split split = dataset.split(name);
    const std::set<std::int32_t> classes = classes_in(split);
    const ClassFolders folders(split, names.size() > 1 ? name : "", *classes.rbegin());
    for (const std::int32_t label : classes) {
      make_folder(folder / folders.folder(label));
      if (split.has_masks()) make_folder(folder / "masks" / folders.folder(label));
    }
    SplitExport(split, folders, folder, options).run();
    index.add(split, folders);
    split.ensure_unchanged();
  }
  index.finish();
}

}  // namespace octavo::exporting
