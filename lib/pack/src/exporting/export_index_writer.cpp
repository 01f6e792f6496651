#include "exporting/export_index_writer.hpp"

#include <algorithm>
#include <cmath>

#include <octavo/errors.hpp>

#include "exporting/stored_labels.hpp"
#include "support/strict_json.hpp"

namespace octavo::exporting {
namespace {

constexpr std::int64_t kRowsAtOnce = 4096;

std::string as_json(const std::string& text) { return Json(text).dump(); }

/// As a double, whose shortest form reads back as the same float.
std::string as_json(float number) { return Json(static_cast<double>(number)).dump(); }

/// The metadata of sample `row`: a JSON object. `columns` has a list of one value for each sample, by column.
std::string metadata_of(const Json& columns, std::int64_t row) {
  std::string text = "{";
  for (const auto& [name, values] : columns.items()) {
    text += (text.size() == 1 ? "" : ",") + as_json(name) + ":" + values[static_cast<std::size_t>(row)].dump();
  }
  return text + "}";
}

}  // namespace

ExportIndexWriter::ExportIndexWriter(const std::filesystem::path& path, const std::vector<std::string>& class_names,
                                     const std::map<int, std::string>& mask_class_names)
    : file_(File::create_new(path)) {
  sync_folder_of(path);
  pending_ = "{\"format\": \"octavo-export\", \"version\": 1,\n\"classes\": [";
  for (std::size_t i = 0; i < class_names.size(); ++i) pending_ += (i == 0 ? "" : ", ") + as_json(class_names[i]);
  pending_ += "],\n";
  if (!mask_class_names.empty()) {
    Json names = Json::object();
    for (const auto& [value, name] : mask_class_names) names[std::to_string(value)] = name;
    pending_ += "\"mask_classes\": " + names.dump() + ",\n";
  }
  pending_ += "\"splits\": {";
}

void ExportIndexWriter::add(const Split& split, const ClassFolders& folders) {
  pending_ += std::string(has_splits_ ? ",\n" : "\n") + as_json(split.name()) + ": [";
  has_splits_ = true;
  const auto label_bytes = static_cast<std::size_t>(split.labels().bytes_per_sample());
  const Json columns = parse_strict_json(split.metadata());
  std::vector<std::byte> labels;
  for (std::int64_t first = 0; first < split.sample_count(); first += kRowsAtOnce) {
    const std::int64_t count = std::min(kRowsAtOnce, split.sample_count() - first);
    labels.resize(static_cast<std::size_t>(count) * label_bytes);
    if (label_bytes != 0) split.read_labels(first, count, labels);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto label =
          std::span<const std::byte>(labels).subspan(static_cast<std::size_t>(i) * label_bytes, label_bytes);
      const std::int32_t class_number = folders.has_classes() ? label_number<std::int32_t>(label, 0) : 0;
      pending_ +=
          std::string(first + i == 0 ? "\n" : ",\n") + "{\"file\": " + as_json(folders.path(first + i, class_number));
      if (split.has_masks()) pending_ += ", \"mask\": " + as_json(folders.mask_path(first + i, class_number));
      append_label(split, label);
      if (!columns.empty()) pending_ += ", \"metadata\": " + as_json(metadata_of(columns, first + i));
      pending_ += "}";
    }
    flush();
  }
  pending_ += "]";
}

void ExportIndexWriter::append_label(const Split& split, std::span<const std::byte> label) {
  const LabelLayout layout = split.labels();
  if (layout.kind == LabelKind::none) return;
  pending_ += ", \"label\": ";
  if (layout.kind != LabelKind::class_index) pending_ += "[";
  for (std::size_t i = 0; i < static_cast<std::size_t>(layout.width); ++i) {
    if (i != 0) pending_ += ", ";
    if (layout.kind != LabelKind::target) {
      pending_ += std::to_string(label_number<std::int32_t>(label, i));
      continue;
    }
    const auto target = label_number<float>(label, i);
    if (!std::isfinite(target)) {
      throw InvalidArgument("export split " + split.name() + " of " + quoted(split.path()) +
                            " as PNG: a target is not finite, which JSON cannot represent; export as npy");
    }
    pending_ += as_json(target);
  }
  if (layout.kind != LabelKind::class_index) pending_ += "]";
}

void ExportIndexWriter::finish() {
  flush();
  sync_file_system_of(file_.path().parent_path());
  pending_ += "}}\n";
  flush();
  file_.sync();
}

void ExportIndexWriter::flush() {
  file_.write_at(written_bytes_, std::as_bytes(std::span(pending_)));
  written_bytes_ += static_cast<std::int64_t>(pending_.size());
  pending_.clear();
}

}  // namespace octavo::exporting
