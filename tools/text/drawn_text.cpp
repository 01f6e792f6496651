#include "text/drawn_text.hpp"

#include <cstdio>
#include <iostream>
#include <octavo/view.hpp>
#include <string>

#include "text/sample_list.hpp"
#include "text/text_table.hpp"

namespace octavo::tools {
namespace {

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string step_text(const DrawnStep& step) {
  std::string text = step.name;
  for (const auto& [name, value] : step.values) text += " " + name + "=" + short_number(value);
  return text;
}

std::string steps_text(const std::vector<DrawnStep>& steps) {
  std::string text;
  for (const DrawnStep& step : steps) text += (text.empty() ? "" : ", ") + step_text(step);
  return text;
}

std::string mix_text(const DrawnMix& mix) {
  return mix.name + " with " + std::to_string(mix.partner) + " (" + short_number(mix.own) + ", " +
         short_number(mix.other) + ")";
}

}  // namespace

void print_drawn(const std::vector<DrawnSample>& drawn, const Split& split) {
  TextTable table("rrll");
  table.add_row({"place", "index", "class", "drawn"});
  for (std::size_t place = 0; place < drawn.size(); ++place) {
    const DrawnSample& sample = drawn[place];
    for (std::size_t view = 0; view < sample.views.size(); ++view) {
      std::string text = steps_text(sample.views[view]);
      if (sample.mix) text += (text.empty() ? "" : ", ") + mix_text(*sample.mix);
      const bool is_first = view == 0;
      table.add_row({is_first ? std::to_string(place) : "", is_first ? std::to_string(sample.index) : "",
                     is_first ? label_text(split, sample.index) : "", text});
    }
  }
  table.print(std::cout, "  ");
}

Json as_json(const std::vector<DrawnSample>& drawn, const Split& split) {
  Json samples = Json::array();
  for (const DrawnSample& sample : drawn) {
    Json views = Json::array();
    for (const std::vector<DrawnStep>& steps : sample.views) {
      Json described = Json::array();
      for (const DrawnStep& step : steps) {
        Json numbers = Json::object();
        for (const auto& [name, value] : step.values) numbers[name] = value;
        described.push_back({{"step", step.name}, {"numbers", numbers}});
      }
      views.push_back(described);
    }
    Json json = {{"index", sample.index}, {"class", label_text(split, sample.index)}, {"views", views}};
    if (sample.mix) {
      json["mix"] = {{"kind", sample.mix->name},
                     {"partner", sample.mix->partner},
                     {"own", sample.mix->own},
                     {"other", sample.mix->other}};
    }
    samples.push_back(json);
  }
  return samples;
}

}  // namespace octavo::tools
