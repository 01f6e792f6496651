#include "sample_list.hpp"

#include <iostream>
#include <octavo/text.hpp>
#include <span>

#include "text_table.hpp"

namespace octavo::tools {

std::string class_of(const Split& split, std::int64_t index) {
  if (split.labels().kind != LabelKind::class_index) return "";
  std::int32_t label = 0;
  split.read_labels(index, 1, std::as_writable_bytes(std::span(&label, 1)));
  const auto at = static_cast<std::size_t>(label);
  return at < split.class_names().size() ? split.class_names()[at] : std::to_string(label);
}

void print_samples(const std::vector<std::int64_t>& indices, const Split& split) {
  TextTable table("rll");
  table.add_row({"index", "class", "name"});
  for (const std::int64_t index : indices) {
    table.add_row({std::to_string(index), class_of(split, index), printable(split.sample_name(index).value_or(""))});
  }
  table.print(std::cout, "  ");
}

Json as_json(const std::vector<std::int64_t>& indices, const Split& split) {
  Json samples = Json::array();
  for (const std::int64_t index : indices) {
    Json sample = {{"index", index}, {"class", class_of(split, index)}};
    if (const auto name = split.sample_name(index)) sample["name"] = *name;
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace octavo::tools
