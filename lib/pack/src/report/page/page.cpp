// Assembles the page of a report.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <set>

#include <octavo/byte_count.hpp>
#include <octavo/content.hpp>
#include <octavo/duplicates.hpp>
#include <octavo/errors.hpp>
#include <octavo/plan.hpp>
#include <octavo/report_page.hpp>

#include "report/origin.hpp"
#include "report/page/charts.hpp"
#include "report/page/findings.hpp"
#include "report/page/html.hpp"
#include "report/page/pictures.hpp"
#include "report/page/style.hpp"
#include "report/summary.hpp"
#include "support/file.hpp"
#include "support/text_units.hpp"

namespace octavo::report::page {
namespace {

/// Classes with a row each; of more classes, the largest are shown.
constexpr std::size_t kMostShownClasses = 40;
constexpr std::int64_t kMostExamplesPerClass = 8;
/// Limits the size of the page.
constexpr std::int64_t kMostExamples = 160;

class Page {
 public:
  Page(const Dataset& dataset, const MemoryReport& report, const ReportPageOptions& options)
      : dataset_(dataset), report_(report), options_(options), split_names_(dataset.split_names()) {
    check_is_of_dataset();
    for (const std::string& name : split_names_) {
      splits_.push_back(dataset.split(name));
      contents_.push_back(survey_content(splits_.back(), options.on_progress));
    }
    findings_ = find_anomalies(dataset, contents_, find_duplicates(dataset, 0, options.on_progress));
  }

  std::string html() const {
    const std::string name = escaped(dataset_.path().filename().string());
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
           name + " - Octavo report</title>\n<style>" + std::string(kStyle) + "</style>\n</head>\n<body>\n<main>\n" +
           "<header><h1>" + name + "</h1>\n<p class=\"lead\">" + escaped(summary(report_)) + "</p>\n" + tiles() +
           "</header>\n" + findings() + content() + savings() + cost() + speed() + devices() + footer() +
           "</main>\n</body>\n</html>\n";
  }

 private:
  void check_is_of_dataset() const {
    if (std::ranges::find(split_names_, report_.split) != split_names_.end()) return;
    throw InvalidArgument("write a report of " + quoted(dataset_.path()) + ": it has no split \"" + report_.split +
                          "\"; pass a report of this dataset");
  }

  const Split& reported() const {
    return splits_[static_cast<std::size_t>(std::ranges::find(split_names_, report_.split) - split_names_.begin())];
  }

  std::int64_t sample_count() const {
    return std::accumulate(splits_.begin(), splits_.end(), std::int64_t{0},
                           [](std::int64_t sum, const Split& split) { return sum + split.sample_count(); });
  }

  std::int64_t packed_bytes() const {
    return std::accumulate(splits_.begin(), splits_.end(), std::int64_t{0},
                           [](std::int64_t sum, const Split& split) { return sum + split.packed_bytes(); });
  }

  std::int64_t warning_count() const { return std::ranges::count(findings_, true, &Finding::is_warning); }

  std::string what_is_lossless() const {
    return origin_of(dataset_, report_.split).is_converted ? "of the resized images" : "bit for bit";
  }

  std::string tiles() const {
    // All arguments are HTML.
    const auto tile = [](const std::string& name, const std::string& value, const std::string& detail) {
      return "<div><dt>" + name + "</dt><dd>" + value + "<small>" + detail + "</small></dd></div>\n";
    };
    std::size_t classes = 0;
    static_cast<void>(shown_classes(classes));
    std::string html = "<dl class=\"tiles\">\n" +
                       tile("Samples", format_count(sample_count()), counted(std::ssize(splits_), "split")) +
                       tile("Sample", escaped(report_.shape), "channels x height x width");
    if (classes > 0) {
      html += tile("Classes", format_count(static_cast<std::int64_t>(classes)),
                   dataset_.class_names().empty() ? "without names" : "with names");
    }
    html += tile("In memory", format_bytes(packed_bytes()), "float32: " + format_bytes(4 * packed_bytes()));
    html += report_.certificate.lossless ? tile("Values", "<span class=\"good\">lossless</span>", what_is_lossless())
                                         : tile("Values", "8-bit", escaped(summary_of_loss(report_.certificate)));
    html += warning_count() == 0
                ? tile("Problems", "<span class=\"good\">none found</span>", "see Findings")
                : tile("Problems", "<span class=\"warn\">" + format_count(warning_count()) + "</span>", "see Findings");
    return html + "</dl>\n";
  }

  std::string findings() const {
    std::string list = "<ul class=\"findings\">\n";
    for (const Finding& finding : findings_) {
      list += std::string("<li") + (finding.is_warning ? " class=\"is-warning\"" : "") + ">" + finding.html + "</li>\n";
    }
    if (findings_.empty()) list += "<li class=\"is-good\">Nothing unusual.</li>\n";
    return section("findings", "Findings",
                   "Checked all samples: equal images within and across splits, blank images, rare and missing "
                   "classes, outlying targets, unusual image sizes.",
                   list + "</ul>\n");
  }

  // ---- What is in here ------------------------------------------------------------

  std::string content() const {
    std::string html = split_table();
    const LabelKind kind = reported().labels().kind;
    if (kind == LabelKind::class_index || kind == LabelKind::multi_label) html += classes();
    if (kind != LabelKind::class_index) html += examples();
    html += distributions();
    return section("content", "What is in here", "The samples as they are stored.", html);
  }

  std::string split_table() const {
    std::vector<std::vector<std::string>> rows;
    for (const Split& split : splits_) {
      rows.push_back({escaped(split.name()), format_count(split.sample_count()), to_string(split.shape()),
                      to_string(split.labels().kind), format_bytes(split.packed_bytes()),
                      format_bytes(split.stored_bytes())});
    }
    return table({"Split", "Samples", "Shape", "Labels", "In memory", "In the file"}, rows);
  }

  std::string class_name(std::int32_t label) const {
    const auto& names = dataset_.class_names();
    return label >= 0 && label < std::ssize(names) ? escaped(names[static_cast<std::size_t>(label)])
                                                   : "class " + std::to_string(label);
  }

  std::int64_t count_of(std::size_t split, std::int32_t label) const {
    const auto found = contents_[split].class_counts.find(label);
    return found == contents_[split].class_counts.end() ? 0 : found->second;
  }

  /// All classes with a name or a sample, in label order; if there are too many, the largest.
  std::vector<std::int32_t> shown_classes(std::size_t& total) const {
    std::set<std::int32_t> labels;
    for (std::int32_t label = 0; label < std::ssize(dataset_.class_names()); ++label) labels.insert(label);
    for (const SplitContent& content : contents_) {
      for (const auto& [label, count] : content.class_counts) labels.insert(label);
    }
    std::vector<std::int32_t> shown(labels.begin(), labels.end());
    total = shown.size();
    if (shown.size() <= kMostShownClasses) return shown;
    const auto samples_of = [&](std::int32_t label) {
      std::int64_t sum = 0;
      for (std::size_t split = 0; split < splits_.size(); ++split) sum += count_of(split, label);
      return sum;
    };
    std::ranges::stable_sort(shown, std::ranges::greater{}, samples_of);
    shown.resize(kMostShownClasses);
    return shown;
  }

  std::string classes() const {
    std::size_t total = 0;
    const auto shown = shown_classes(total);
    std::int64_t largest = 1;
    for (const SplitContent& content : contents_) {
      for (const auto& [label, count] : content.class_counts) largest = std::max(largest, count);
    }
    const bool has_examples = reported().labels().kind == LabelKind::class_index;
    const std::int64_t per_class = std::clamp<std::int64_t>(
        kMostExamples / std::max<std::int64_t>(1, std::ssize(shown)), 1, kMostExamplesPerClass);
    const auto rows = has_examples ? example_rows(reported(), per_class) : decltype(example_rows(reported(), 1))();
    std::string html = "<h3>Classes</h3>\n" + split_legend(split_names_) +
                       "<div class=\"scroll\"><table class=\"classes\">\n<thead><tr><th scope=\"col\">Class</th>" +
                       (has_examples ? "<th scope=\"col\">Samples of " + escaped(report_.split) + "</th>" : "") +
                       "<th scope=\"col\">Count</th></tr></thead>\n<tbody>\n";
    for (const std::int32_t label : shown) {
      html += "<tr><th scope=\"row\">" + class_name(label) + "</th>";
      if (has_examples) {
        const auto found = rows.find(label);
        html +=
            "<td>" +
            (found == rows.end() ? "none"
                                 : picture_of_samples(reported(), found->second, "samples of " + class_name(label))) +
            "</td>";
      }
      std::vector<std::int64_t> counts;
      for (std::size_t split = 0; split < splits_.size(); ++split) counts.push_back(count_of(split, label));
      html += "<td>" + split_bars(counts, largest) + "</td></tr>\n";
    }
    html += "</tbody>\n</table></div>\n";
    if (shown.size() < total) {
      html += "<p class=\"lead\">The " + format_count(std::ssize(shown)) + " largest of " +
              format_count(static_cast<std::int64_t>(total)) + " classes.</p>\n";
    }
    return html;
  }

  std::string examples() const {
    const auto rows = example_rows(reported(), 16);
    return "<h3>Samples of " + escaped(report_.split) + "</h3>\n" +
           picture_of_samples(reported(), rows.at(0), "samples of split " + escaped(report_.split)) + "\n";
  }

  std::string distributions() const {
    std::string html = "<div class=\"columns\">\n";
    for (std::size_t i = 0; i < splits_.size(); ++i) {
      const std::string name = escaped(split_names_[i]);
      html += "<div><h3>Brightness of " + name + "</h3>\n" +
              histogram(contents_[i].brightness, "0: black", "255: white",
                        "Histogram of the mean values of the samples of " + name) +
              "</div>\n";
    }
    html += "<div><h3>Mean image of " + escaped(report_.split) + "</h3>\n" + picture_of_mean(reported()) + "</div>\n" +
            original_sizes() + "</div>\n<div class=\"columns\">\n";
    const SplitContent& content = contents_[static_cast<std::size_t>(&reported() - splits_.data())];
    html += extremes("Darkest samples", content.darkest) + extremes("Brightest samples", content.brightest);
    return html + "</div>\n";
  }

  std::string extremes(const std::string& title, const std::vector<SampleBrightness>& samples) const {
    if (samples.empty()) return "";
    std::vector<std::int64_t> rows;
    for (const SampleBrightness& sample : samples) rows.push_back(sample.row);
    return "<div><h3>" + title + "</h3>\n<figure>" + picture_of_samples(reported(), rows, title) +
           formatted("<figcaption>mean %.1f to %.1f; first: ", samples.front().mean, samples.back().mean) +
           sample_title(reported(), rows.front()) + "</figcaption></figure></div>\n";
  }

  std::string original_sizes() const {
    const auto deciles = origin_of(dataset_, report_.split).size_deciles;
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
    return "<div><h3>Original sizes of " + escaped(report_.split) + "</h3>\n" + bar_chart(bars) +
           "<p class=\"axis\"><span>height x width; bars show pixels</span></p></div>\n";
  }

  // ---- What it saves and costs -----------------------------------------------------

  std::string savings() const {
    const auto ours = static_cast<double>(packed_bytes());
    const auto bytes = [&](const std::string& name, double count, bool is_ours) {
      return Bar{name, count,
                 format_bytes(static_cast<std::int64_t>(count)) + formatted(", %.2f of float32", count / (4 * ours)),
                 is_ours};
    };
    std::vector<Bar> bars = {bytes("float32", 4 * ours, false), bytes("float16", 2 * ours, false),
                             bytes("int8 (Octavo)", ours, true)};
    if (report_.source_bytes) bars.push_back(bytes("source files", static_cast<double>(*report_.source_bytes), false));
    bars.push_back(bytes("dataset file", static_cast<double>(report_.file_bytes), true));
    std::vector<std::vector<std::string>> rows;
    for (const ResidencyCost& cost : report_.residencies) {
      rows.push_back({escaped(cost.name), format_bytes(cost.computed_bytes),
                      cost.measured_bytes ? format_bytes(*cost.measured_bytes) : "not measured",
                      format_bytes(cost.batch_buffer_bytes)});
    }
    return section("savings", "What was saved", "All splits: in memory by data type, and on disk.",
                   bar_chart(bars) + "<h3>Measured on " + escaped(report_.device) + ", split " +
                       escaped(report_.split) + "</h3>\n" +
                       table({"Kept as", "Computed", "Measured", "Batch buffers"}, rows));
  }

  std::string cost() const {
    const auto origin = origin_of(dataset_, report_.split);
    std::string html;
    if (!origin.worst.empty()) {
      std::vector<std::int64_t> rows;
      std::string list;
      for (const auto& sample : origin.worst) {
        rows.push_back(sample.row);
        list += "<li>" + sample_title(reported(), sample.row) + formatted(": %.3f steps", sample.rms_steps) + "</li>\n";
      }
      html =
          "<h3>Samples with the largest error</h3>\n" +
          picture_of_samples(reported(), rows, "samples with the largest quantization error") +
          "\n<p class=\"lead\">Root mean square error, in steps of the 8-bit range; even rounding causes 0.289.</p>\n"
          "<ol>\n" +
          list + "</ol>\n";
    }
    return section("cost", "What it cost", "Values: " + escaped(certificate_text(report_.certificate)) + ".", html);
  }

  std::string speed() const {
    if (!report_.gather && options_.loaders.empty()) return "";
    std::string html, lead = "Not timed: the split is too small.";
    if (report_.gather) {
      const GatherSpeed& speed = *report_.gather;
      const double rate = static_cast<double>(speed.moved_bytes) / speed.median_seconds;
      html += bar_chart(
          {{"memory copy", speed.copy_bytes_per_second, formatted("%.1f GB/s", speed.copy_bytes_per_second / 1e9)},
           {"gather", rate, formatted("%.1f GB/s, %.0f %% of a copy", rate / 1e9, 100 * speed.fraction_of_copy()),
            true}});
      lead = escaped(report_.device_name) + ": batches of " + format_count(speed.batch_size) + ", " +
             format_count(static_cast<std::int64_t>(speed.images_per_second())) +
             " images/s gathered, dequantized and normalized.";
      if (speed.fits_cache) lead += " The data fits in the cache, so this does not show memory speed.";
    }
    if (!options_.loaders.empty()) {
      std::vector<Bar> bars;
      for (const LoaderSpeed& loader : options_.loaders) {
        bars.push_back({escaped(loader.name), loader.images_per_second,
                        format_count(static_cast<std::int64_t>(loader.images_per_second)) + " images/s",
                        &loader == options_.loaders.data()});
      }
      html += "<h3>Loaders</h3>\n" + bar_chart(bars);
    }
    return section("speed", "How fast", lead, html);
  }

  std::string devices() const {
    PlanOptions options;
    options.split = report_.split;
    options.device = Device::parse(report_.device);
    const Plan planned = plan(dataset_, options);
    std::vector<std::vector<std::string>> rows;
    for (const PlannedDevice& device : planned.well_known) {
      const bool fits = device.largest_batch > 0;
      rows.push_back({escaped(device.name), format_bytes(device.memory_bytes),
                      formatted("%.0f %%", 100 * device.float32_share), formatted("%.0f %%", 100 * device.int8_share),
                      fits ? to_string(device.residency) : "none", fits ? format_count(device.largest_batch) : "none"});
    }
    return section("devices", "What fits",
                   "Share of " + escaped(report_.split) +
                       " that fits in the memory of well-known GPUs, a fifth of it kept for the model. Computed; "
                       "<code>octavo plan</code> takes a model into account.",
                   table({"Device", "Memory", "As float32", "As int8", "Residency", "Largest batch"}, rows));
  }

  std::string footer() const {
    return "<footer>File " + escaped(dataset_.path().string()) + ", " + format_bytes(report_.file_bytes) + ", format " +
           std::to_string(dataset_.format_version()) + ", written by " + escaped(dataset_.writer()) + " on " +
           escaped(dataset_.created()) + ", UUID " + escaped(dataset_.uuid()) + ".</footer>\n";
  }

  const Dataset& dataset_;
  const MemoryReport& report_;
  const ReportPageOptions& options_;
  std::vector<std::string> split_names_;
  std::vector<Split> splits_;
  std::vector<SplitContent> contents_;
  std::vector<Finding> findings_;
};

}  // namespace
}  // namespace octavo::report::page

namespace octavo {

std::string to_html(const Dataset& dataset, const MemoryReport& report, const ReportPageOptions& options) {
  return report::page::Page(dataset, report, options).html();
}

}  // namespace octavo
