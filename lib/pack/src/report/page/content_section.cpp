#include "report/page/content_section.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

#include <octavo/byte_count.hpp>

#include "report/origin.hpp"
#include "report/page/charts.hpp"
#include "report/page/findings.hpp"
#include "report/page/html.hpp"
#include "report/page/mask_section.hpp"
#include "report/page/pictures.hpp"
#include "report/page/target_section.hpp"
#include "support/text/text_units.hpp"

namespace octavo::report::page {
namespace {

/// Classes with a row each; of more classes, the largest are shown.
constexpr std::size_t kMostShownClasses = 40;
constexpr std::int64_t kMostExamplesPerClass = 8;
/// Limits the size of the page.
constexpr std::int64_t kMostExamples = 160;

std::string split_table(const PageData& page) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < page.splits.size(); ++i) {
    const Split& split = page.splits[i];
    rows.push_back({escaped(split.name()), format_count(split.sample_count()), to_string(split.shape()),
                    labels_text(split, page.mask_counts[i]), format_bytes(memory_bytes(split)),
                    format_bytes(split.stored_bytes() + split.stored_mask_bytes())});
  }
  return table({"Split", "Samples", "Shape", "Labels", "In memory", "In the file"}, rows);
}

std::string class_name(const PageData& page, std::int32_t label) {
  const auto& names = page.dataset.class_names();
  return label >= 0 && label < std::ssize(names) ? escaped(names[static_cast<std::size_t>(label)])
                                                 : "class " + std::to_string(label);
}

std::int64_t count_of(const PageData& page, std::size_t split, std::int32_t label) {
  const auto found = page.contents[split].class_counts.find(label);
  return found == page.contents[split].class_counts.end() ? 0 : found->second;
}

/// The labels of all classes with a name or a sample, ascending.
std::vector<std::int32_t> all_classes(const PageData& page) {
  std::set<std::int32_t> labels;
  for (std::int32_t label = 0; label < std::ssize(page.dataset.class_names()); ++label) labels.insert(label);
  for (const SplitContent& content : page.contents) {
    for (const auto& [label, count] : content.class_counts) labels.insert(label);
  }
  return {labels.begin(), labels.end()};
}

/// All classes, in label order; if there are too many, the largest.
std::vector<std::int32_t> shown_classes(const PageData& page) {
  std::vector<std::int32_t> shown = all_classes(page);
  if (shown.size() <= kMostShownClasses) return shown;
  const auto samples_of = [&](std::int32_t label) {
    std::int64_t sum = 0;
    for (std::size_t split = 0; split < page.splits.size(); ++split) sum += count_of(page, split, label);
    return sum;
  };
  std::ranges::stable_sort(shown, std::ranges::greater{}, samples_of);
  shown.resize(kMostShownClasses);
  return shown;
}

std::string classes(const PageData& page) {
  const auto shown = shown_classes(page);
  std::int64_t largest = 1;
  for (const SplitContent& content : page.contents) {
    for (const auto& [label, count] : content.class_counts) largest = std::max(largest, count);
  }
  const bool has_examples = page.reported().labels().kind == LabelKind::class_index;
  const std::int64_t per_class =
      std::clamp<std::int64_t>(kMostExamples / std::max<std::int64_t>(1, std::ssize(shown)), 1, kMostExamplesPerClass);
  const auto rows =
      has_examples ? example_rows(page.reported(), per_class) : decltype(example_rows(page.reported(), 1))();
  std::string html = "<h3>Classes</h3>\n" + split_legend(page.split_names) +
                     "<div class=\"scroll\"><table class=\"classes\">\n<thead><tr><th scope=\"col\">Class</th>" +
                     (has_examples ? "<th scope=\"col\">Samples of " + escaped(page.report.split) + "</th>" : "") +
                     "<th scope=\"col\">Count</th></tr></thead>\n<tbody>\n";
  for (const std::int32_t label : shown) {
    html += "<tr><th scope=\"row\">" + class_name(page, label) + "</th>";
    if (has_examples) {
      const auto found = rows.find(label);
      html += "<td>" +
              (found == rows.end()
                   ? "none"
                   : picture_with_masks(page.reported(), found->second, "samples of " + class_name(page, label))) +
              "</td>";
    }
    std::vector<std::int64_t> counts;
    for (std::size_t split = 0; split < page.splits.size(); ++split) counts.push_back(count_of(page, split, label));
    html += "<td>" + split_bars(counts, largest) + "</td></tr>\n";
  }
  html += "</tbody>\n</table></div>\n";
  if (const std::int64_t total = class_count(page); std::ssize(shown) < total) {
    html += "<p class=\"lead\">The " + format_count(std::ssize(shown)) + " largest of " + format_count(total) +
            " classes.</p>\n";
  }
  return html;
}

std::string examples(const PageData& page) {
  const auto rows = example_rows(page.reported(), 16);
  return "<h3>Samples of " + escaped(page.report.split) + "</h3>\n" +
         picture_with_masks(page.reported(), rows.at(0), "samples of split " + escaped(page.report.split)) + "\n";
}

std::string extremes(const PageData& page, const std::string& title, const std::vector<SampleBrightness>& samples) {
  if (samples.empty()) return "";
  std::vector<std::int64_t> rows;
  for (const SampleBrightness& sample : samples) rows.push_back(sample.row);
  return "<div><h3>" + title + "</h3>\n<figure>" + picture_of_samples(page.reported(), rows, title) +
         formatted("<figcaption>mean %.1f to %.1f; first: ", samples.front().mean, samples.back().mean) +
         sample_title(page.reported(), rows.front()) + "</figcaption></figure></div>\n";
}

std::string original_sizes(const PageData& page) {
  const auto deciles = origin_of(page.dataset, page.report.split).size_deciles;
  if (deciles.size() != 11) return "";
  std::vector<Bar> bars;
  for (const std::size_t tenth : {0, 1, 3, 5, 7, 9, 10}) {
    long height = 0, width = 0;
    if (std::sscanf(deciles[tenth].c_str(), "%ldx%ld", &height, &width) != 2) return "";
    const std::string name = tenth == 0    ? "smallest"
                             : tenth == 5  ? "median"
                             : tenth == 10 ? "largest"
                                           : formatted("%zu0 %% are below", tenth);
    bars.push_back({name, static_cast<double>(height) * static_cast<double>(width), escaped(deciles[tenth])});
  }
  return "<div><h3>Original sizes of " + escaped(page.report.split) + "</h3>\n" + bar_chart(bars) +
         "<p class=\"axis\"><span>height x width; bars show pixels</span></p></div>\n";
}

std::string distributions(const PageData& page) {
  std::string html = "<div class=\"columns\">\n";
  for (std::size_t i = 0; i < page.splits.size(); ++i) {
    const std::string name = escaped(page.split_names[i]);
    html += "<div><h3>Brightness of " + name + "</h3>\n" +
            histogram(page.contents[i].brightness, "0: black", "255: white",
                      "Histogram of the mean values of the samples of " + name) +
            "</div>\n";
  }
  html += "<div><h3>Mean image of " + escaped(page.report.split) + "</h3>\n" + picture_of_mean(page.reported()) +
          "</div>\n" + original_sizes(page) + "</div>\n<div class=\"columns\">\n";
  const SplitContent& content = page.contents[static_cast<std::size_t>(&page.reported() - page.splits.data())];
  html += extremes(page, "Darkest samples", content.darkest) + extremes(page, "Brightest samples", content.brightest);
  return html + "</div>\n";
}

}  // namespace

std::int64_t class_count(const PageData& page) { return std::ssize(all_classes(page)); }

std::string content_section(const PageData& page) {
  std::string html = split_table(page);
  const LabelKind kind = page.reported().labels().kind;
  if (kind == LabelKind::class_index || kind == LabelKind::multi_label) html += classes(page);
  if (kind != LabelKind::class_index) html += examples(page);
  html += mask_classes(page) + targets(page);
  html += distributions(page);
  return section("content", "What is in here", "The samples as they are stored.", html);
}

}  // namespace octavo::report::page
