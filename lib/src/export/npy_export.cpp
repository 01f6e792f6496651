#include "export/npy_export.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "export/export_progress.hpp"
#include "support/file.hpp"

namespace octavo::exporting {
namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{4} << 20;
/// So that the data begin at a multiple of it, as NumPy's own files do.
constexpr std::size_t kHeaderAlignment = 64;

/// A .npy file that grows from its beginning.
class NpyFile {
 public:
  NpyFile(const std::filesystem::path& path, std::string_view type, const std::vector<std::int64_t>& shape)
      : file_(File::create_new(path)) {
    append(std::as_bytes(std::span<const char>(npy_header(type, shape))));
  }
  void append(std::span<const std::byte> bytes) {
    file_.write_at(written_bytes_, bytes);
    written_bytes_ += static_cast<std::int64_t>(bytes.size());
  }

 private:
  File file_;
  std::int64_t written_bytes_ = 0;
};

std::optional<NpyFile> label_file(const Split& split, const std::filesystem::path& folder) {
  const LabelLayout labels = split.labels();
  if (labels.kind == LabelKind::none) return std::nullopt;
  std::vector<std::int64_t> shape = {split.sample_count()};
  if (labels.kind != LabelKind::class_index) shape.push_back(labels.width);
  return NpyFile(folder / (split.name() + "-labels.npy"), labels.kind == LabelKind::target ? "<f4" : "<i4", shape);
}

void export_split(const Split& split, const std::filesystem::path& folder, const ProgressFunction& on_progress) {
  const SampleShape shape = split.shape();
  NpyFile images(folder / (split.name() + "-images.npy"), "|u1",
                 {split.sample_count(), shape.channels, shape.height, shape.width});
  std::optional<NpyFile> labels = label_file(split, folder);
  ExportProgress progress(split, on_progress);
  const std::int64_t rows_a_block = std::max<std::int64_t>(1, kBlockBytes / shape.values());
  std::vector<std::int8_t> codes;
  std::vector<std::byte> label_bytes;
  for (std::int64_t first = 0; first < split.sample_count(); first += rows_a_block) {
    const std::int64_t count = std::min(rows_a_block, split.sample_count() - first);
    codes.resize(static_cast<std::size_t>(count * shape.values()));
    label_bytes.resize(static_cast<std::size_t>(count * split.labels().bytes_per_sample()));
    split.read_checked(first, count, codes, label_bytes);
    // A code is the value - 128, that is the value with its highest bit turned.
    for (std::int8_t& code : codes) code = static_cast<std::int8_t>(code ^ 0x80);
    images.append(std::as_bytes(std::span(codes)));
    if (labels) labels->append(label_bytes);
    progress.add(count);
  }
  split.ensure_unchanged();
}

}  // namespace

std::string npy_header(std::string_view type, const std::vector<std::int64_t>& shape) {
  std::string axes;
  for (const std::int64_t axis : shape) axes += std::to_string(axis) + ", ";
  // A tuple of one ends in a comma, others in none.
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
  for (const std::string& name : dataset.split_names()) {
    export_split(dataset.split(name), folder, options.on_progress);
  }
}

}  // namespace octavo::exporting
