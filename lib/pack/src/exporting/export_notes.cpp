#include "exporting/export_notes.hpp"

#include <algorithm>

#include <octavo/text.hpp>

namespace octavo::exporting {
namespace {

/// Whether the bytes represent other source values.
bool is_quantized(const Dataset& dataset) {
  for (const std::string& name : dataset.split_names()) {
    for (const ChannelQuantization& channel : dataset.split(name).statistics().quantization) {
      if (channel != ChannelQuantization{}) return true;
    }
  }
  return false;
}

/// "class names", "class names and the columns age, sex" or nothing.
std::string not_in_arrays(const Dataset& dataset) {
  std::string text = dataset.class_names().empty() ? "" : "class names";
  std::vector<std::string> columns;
  for (const std::string& split : dataset.split_names()) {
    for (const std::string& name : dataset.split(split).columns()) {
      if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
    }
  }
  if (columns.empty()) return text;
  text += (text.empty() ? "" : " and ") + std::string(columns.size() == 1 ? "the column" : "the columns");
  for (std::size_t i = 0; i < columns.size(); ++i) text += (i == 0 ? " " : ", ") + printable(columns[i]);
  return text;
}

}  // namespace

std::vector<std::string> export_notes(const Dataset& dataset, ExportFormat format) {
  std::vector<std::string> notes;
  if (is_quantized(dataset)) {
    notes.emplace_back(
        "the export has the stored bytes; source values are scale * byte + zero_point, with the scale and zero_point "
        "of the dataset file");
  }
  if (const std::string left_out = not_in_arrays(dataset); format == ExportFormat::npy && !left_out.empty()) {
    notes.push_back("arrays do not store " + left_out + "; export PNG images to keep them");
  }
  return notes;
}

}  // namespace octavo::exporting
