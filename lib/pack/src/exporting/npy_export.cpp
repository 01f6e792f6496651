#include "exporting/npy_export.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <utility>

#include "exporting/export_progress.hpp"
#include "support/file.hpp"

namespace octavo::exporting {
namespace {

constexpr std::int64_t kNpyBlockBytes = std::int64_t{4} << 20;
/// The data begins at a multiple of this, as in NumPy's own files.
constexpr std::size_t kHeaderAlignment = 64;

/// A .npy file that is written front to back, except for its header, which comes last. Until then readers refuse it.
class NpyFile {
 public:
  NpyFile(std::filesystem::path path, std::string_view type, const std::vector<std::int64_t>& shape)
      : path_(std::move(path)), header_(npy_header(type, shape)), written_bytes_(std::ssize(header_)) {
    File::create_new(path_);
  }

  void append(std::span<const std::byte> bytes) {
    if (!file_) file_ = File::open_for_writing(path_);
    file_.write_at(written_bytes_, bytes);
    written_bytes_ += static_cast<std::int64_t>(bytes.size());
  }
  /// Ends appending and syncs everything but the header to disk.
  void close() {
    file_.sync();
    file_.close();
  }
  /// Writes the header, which makes it a valid .npy file.
  void finish() const {
    const File file = File::open_for_writing(path_);
    file.write_at(0, std::as_bytes(std::span(header_)));
    file.sync();
  }

 private:
  const std::filesystem::path path_;
  const std::string header_;
  std::int64_t written_bytes_;
  File file_;
};

/// The files of one split.
struct SplitFiles {
  NpyFile images;
  std::optional<NpyFile> labels;
  std::optional<NpyFile> masks;
};

std::optional<NpyFile> label_file(const Split& split, const std::filesystem::path& folder) {
  const LabelLayout labels = split.labels();
  if (labels.kind == LabelKind::none) return std::nullopt;
  std::vector<std::int64_t> shape = {split.sample_count()};
  if (labels.kind != LabelKind::class_index) shape.push_back(labels.width);
  return std::optional<NpyFile>(std::in_place, folder / (split.name() + "-labels.npy"),
                                labels.kind == LabelKind::target ? "<f4" : "<i4", shape);
}

std::optional<NpyFile> mask_file(const Split& split, const std::filesystem::path& folder) {
  if (!split.has_masks()) return std::nullopt;
  const SampleShape shape = split.shape();
  return std::optional<NpyFile>(std::in_place, folder / (split.name() + "-masks.npy"), "|u1",
                                std::vector<std::int64_t>{split.sample_count(), shape.height, shape.width});
}

SplitFiles files_of(const Split& split, const std::filesystem::path& folder) {
  const SampleShape shape = split.shape();
  return {NpyFile(folder / (split.name() + "-images.npy"), "|u1",
                  {split.sample_count(), shape.channels, shape.height, shape.width}),
          label_file(split, folder), mask_file(split, folder)};
}

void export_split(const Split& split, SplitFiles& files, const ProgressFunction& on_progress) {
  const SampleShape shape = split.shape();
  ExportProgress progress(split, on_progress);
  const std::int64_t rows_a_block = std::max<std::int64_t>(1, kNpyBlockBytes / shape.values());
  std::vector<std::int8_t> codes;
  std::vector<std::byte> label_bytes;
  std::vector<std::uint8_t> masks;
  for (std::int64_t first = 0; first < split.sample_count(); first += rows_a_block) {
    const std::int64_t count = std::min(rows_a_block, split.sample_count() - first);
    codes.resize(static_cast<std::size_t>(count * shape.values()));
    label_bytes.resize(static_cast<std::size_t>(count * split.labels().bytes_per_sample()));
    if (files.masks) masks.resize(static_cast<std::size_t>(count * shape.values_per_channel()));
    split.read_checked(first, count, codes, label_bytes, masks);
    // A code is the value - 128, that is the value with its highest bit flipped.
    for (std::int8_t& code : codes) code = static_cast<std::int8_t>(code ^ 0x80);
    files.images.append(std::as_bytes(std::span(codes)));
    if (files.labels) files.labels->append(label_bytes);
    if (files.masks) files.masks->append(std::as_bytes(std::span(masks)));
    progress.add(count);
  }
  split.ensure_unchanged();
  files.images.close();
  if (files.labels) files.labels->close();
  if (files.masks) files.masks->close();
}

}  // namespace

std::string npy_header(std::string_view type, const std::vector<std::int64_t>& shape) {
  std::string axes;
  for (const std::int64_t axis : shape) axes += std::to_string(axis) + ", ";
  // A tuple of one element ends in a comma, longer ones do not.
  axes.resize(axes.size() - (shape.size() == 1 ? 1 : 2));
  std::string text = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (" + axes + "), }";
  constexpr std::size_t kBefore = 10;  // magic, version, and the length of the text in two bytes
  const std::size_t whole = (kBefore + text.size() + 1 + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment;
  text.append(whole - kBefore - text.size() - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

void export_npy(const Dataset& dataset, const std::filesystem::path& folder, const ExportOptions& options) {
  const std::vector<std::string> names = dataset.split_names();
  // Create all files first and sync them: while one has no header, packing refuses the folder.
  std::deque<SplitFiles> files;
  for (const std::string& name : names) files.push_back(files_of(dataset.split(name), folder));
  sync_file_system_of(folder);  // including the names of new folders
  for (std::size_t i = 0; i < names.size(); ++i) {
    export_split(dataset.split(names[i]), files[i], options.on_progress);
  }
  for (const SplitFiles& split : files) {
    if (split.labels) split.labels->finish();
    if (split.masks) split.masks->finish();
    split.images.finish();
  }
}

}  // namespace octavo::exporting
