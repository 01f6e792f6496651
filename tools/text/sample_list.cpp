#include "text/sample_list.hpp"

#include <iostream>
#include <octavo/text.hpp>
#include <octavo/view.hpp>

#include "text/text_table.hpp"

namespace octavo::tools {

void print_samples(const std::vector<std::int64_t>& indices, const Split& split) {
  TextTable table("rll");
  const bool has_targets = split.labels().kind == LabelKind::target;
  table.add_row({"index", has_targets ? "target" : "class", "name"});
  for (const std::int64_t index : indices) {
    table.add_row(
        {std::to_string(index), printable(label_text(split, index)), printable(split.sample_name(index).value_or(""))});
  }
  table.print(std::cout, "  ");
}

Json as_json(const std::vector<std::int64_t>& indices, const Split& split) {
  Json samples = Json::array();
  for (const std::int64_t index : indices) {
    Json sample = {{"index", index}, {"class", label_text(split, index)}};
    if (const auto name = split.sample_name(index)) sample["name"] = *name;
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace octavo::tools
