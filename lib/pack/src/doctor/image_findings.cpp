// Findings on images and splits: blank, truncated and unusual images, splits that differ, losses of quantization.
#include <algorithm>
#include <cmath>
#include <string>

#include <octavo/byte_count.hpp>
#include <octavo/text.hpp>

#include "doctor/findings.hpp"
#include "report/origin.hpp"
#include "report/summary.hpp"
#include "support/text/text_units.hpp"

namespace octavo::doctor {
namespace {

/// A difference of splits counts if it is no accident of sampling and large. Sampling: the standard errors of the two
/// means, and 6 of them, because samples are rarely independent and there are many channels. Size: half the standard
/// deviation between samples, Cohen's "medium" effect (Statistical Power Analysis, 1988): a difference that a random
/// split of 50 or more samples does not have.
constexpr double kStandardErrors = 6.0, kEffect = 0.5;
/// Figures that hardly vary between samples are compared as if they varied by so many levels.
constexpr double kLeastDeviation = 1.0;

/// For files that do not have the effective bits: a few extreme values take most of the range.
constexpr std::int64_t kFewLevels = 128;
/// Rounding alone gives 58.9 dB or more; less shows many clipped values.
constexpr double kPoorPsnr = 40.0;

/// By how many deviations between samples two splits differ; 0 if sampling may explain it. `least_deviation` is that
/// between samples which are taken as equal.
double effect_of(const Spread& a, std::int64_t a_count, const Spread& b, std::int64_t b_count, double least_deviation) {
  const double deviation = std::max(
      least_deviation,
      std::sqrt((a.standard_deviation * a.standard_deviation + b.standard_deviation * b.standard_deviation) / 2.0));
  const double error = deviation * std::sqrt(1.0 / static_cast<double>(a_count) + 1.0 / static_cast<double>(b_count));
  const double difference = b.mean - a.mean;
  return std::abs(difference) >= kStandardErrors * error ? difference / deviation : 0.0;
}

struct Contrast {
  std::size_t channel = 0;
  bool is_of_means = true;  ///< otherwise of standard deviations
  double effect = 0.0;
  double train = 0.0, other = 0.0;
};

/// The content of a split in source units, since splits may have ranges of their own.
SplitContent in_source_units(SplitContent content, const std::vector<ChannelQuantization>& quantization) {
  for (std::size_t c = 0; c < std::min(content.means.size(), quantization.size()); ++c) {
    const auto& [scale, zero_point] = quantization[c];
    content.means[c] = {scale * content.means[c].mean + zero_point, scale * content.means[c].standard_deviation};
    content.contrasts[c] = {scale * content.contrasts[c].mean, scale * content.contrasts[c].standard_deviation};
  }
  return content;
}

double scale_of(const Split& split, std::size_t channel) {
  const auto& quantization = split.statistics().quantization;
  return channel < quantization.size() ? quantization[channel].scale : 1.0;
}

/// The largest difference of two splits, in source units.
Contrast largest_difference(const SplitContent& train_content, const Split& train_split,
                            const SplitContent& other_content, const Split& other_split) {
  const SplitContent train = in_source_units(train_content, train_split.statistics().quantization);
  const SplitContent other = in_source_units(other_content, other_split.statistics().quantization);
  const std::int64_t train_count = train_split.sample_count(), other_count = other_split.sample_count();
  Contrast largest;
  for (std::size_t c = 0; c < std::min(train.means.size(), other.means.size()); ++c) {
    const double least_deviation = kLeastDeviation * std::max(scale_of(train_split, c), scale_of(other_split, c));
    for (const bool is_of_means : {true, false}) {
      const Spread& a = is_of_means ? train.means[c] : train.contrasts[c];
      const Spread& b = is_of_means ? other.means[c] : other.contrasts[c];
      const double effect = effect_of(a, train_count, b, other_count, least_deviation);
      if (std::abs(effect) > std::abs(largest.effect)) largest = {c, is_of_means, effect, a.mean, b.mean};
    }
  }
  return largest;
}

void add_blank(std::size_t split, const SplitContent& content, const FindingList& list) {
  const std::int64_t count = content.blank_count + content.faint_count;
  if (count == 0) return;
  const std::string name = list.samples.splits()[split].name();
  std::string summary;
  if (content.blank_count > 0) {
    summary = counted(content.blank_count, "sample") + " of " + name + (content.blank_count == 1 ? " has" : " have") +
              " one value in every pixel";
  }
  if (content.faint_count > 0) {
    summary += (summary.empty() ? "" : ", ") + counted(content.faint_count, "sample") + " of " + name +
               (content.faint_count == 1 ? " has" : " have") +
               formatted(" values that differ by at most %d", SplitContent::kFaintRange);
  }
  list.add_rows(list.add(DoctorCheck::blank_image, count, summary), split, content.first_blank);
}

void add_far_brightness(std::size_t split, const SplitContent& content, const FindingList& list) {
  if (content.far_brightness_count == 0) return;
  DoctorFinding& finding =
      list.add(DoctorCheck::unusual_brightness, content.far_brightness_count,
               counted(content.far_brightness_count, "sample") + " of " + list.samples.splits()[split].name() +
                   (content.far_brightness_count == 1 ? " is" : " are") + " much darker or brighter than the others");
  for (const SampleBrightness& sample : content.first_far_brightness) {
    if (finding.examples.size() >= list.example_count) break;
    finding.examples.push_back(
        {{list.samples.place_of(list.samples.first_number(split) + sample.row)}, formatted("mean %.0f", sample.mean)});
  }
}

/// Of a file that does not have the use of levels; empty if little was lost.
std::string old_loss_text(const QuantizationNotes& loss) {
  std::string text;
  if (loss.levels && loss.levels->after < kFewLevels && loss.levels->before > 2 * loss.levels->after) {
    text = format_count(loss.levels->before) + " different values became " + format_count(loss.levels->after);
  }
  if (!loss.psnr_db || *loss.psnr_db >= kPoorPsnr) return text;
  std::int64_t clipped = 0;
  for (const ChannelLoss& channel : loss.channels) clipped += channel.clipped;
  text += (text.empty() ? "" : ", ") + formatted("PSNR %.1f dB", *loss.psnr_db);
  return clipped > 0 ? text + ", " + counted(clipped, "clipped value") : text;
}

void add_levels(const Split& split, const report::Origin& origin, const FindingList& list) {
  if (!origin.loss) return;
  const QuantizationNotes& loss = *origin.loss;
  std::string why;
  if (loss.level_use) {
    if (keeps_little(*loss.level_use)) why = report::level_use_text(*loss.level_use);
  } else {
    why = old_loss_text(loss);
  }
  if (why.empty()) return;
  list.add(DoctorCheck::few_levels, loss.levels ? loss.levels->after : 0,
           "quantizing lost much of " + split.name() + ": " + why);
}

void add_sizes(const Split& split, const report::Origin& origin, const FindingList& list) {
  if (origin.size_outliers <= 0) return;
  DoctorFinding& finding = list.add(DoctorCheck::unusual_size, origin.size_outliers,
                                    counted(origin.size_outliers, "original") + " of " + split.name() +
                                        (origin.size_outliers == 1 ? " is" : " are") +
                                        " far larger, smaller, wider or taller than the others");
  for (const std::string& name : origin.first_size_outliers) {
    if (finding.examples.size() < list.example_count) finding.examples.push_back({{}, printable(name)});
  }
}

}  // namespace

void add_image_findings(const std::vector<SplitContent>& contents, const FindingList& list) {
  for (std::size_t i = 0; i < contents.size(); ++i) {
    add_blank(i, contents[i], list);
    if (contents[i].truncated_count > 0) {
      const std::int64_t count = contents[i].truncated_count;
      list.add_rows(list.add(DoctorCheck::truncated_image, count,
                             counted(count, "sample") + " of " + list.samples.splits()[i].name() +
                                 (count == 1 ? " ends" : " end") + " in the gray of a truncated file"),
                    i, contents[i].first_truncated);
    }
    add_far_brightness(i, contents[i], list);
  }
}

void add_split_findings(const std::vector<SplitContent>& contents, const FindingList& list) {
  const auto& splits = list.samples.splits();
  const std::string train_name = list.dataset.training_split().name();
  const auto train = static_cast<std::size_t>(std::ranges::find(splits, train_name, &Split::name) - splits.begin());
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (i == train || splits[i].shape().channels != splits[train].shape().channels) continue;
    const Contrast found = largest_difference(contents[train], splits[train], contents[i], splits[i]);
    if (std::abs(found.effect) < kEffect) continue;
    const std::string channel =
        splits[i].shape().channels > 1 ? " of channel " + std::to_string(found.channel) : std::string();
    list.add(DoctorCheck::different_splits, 1,
             splits[i].name() + " differs from " + train_name + ": the images' " +
                 (found.is_of_means ? "mean" : "standard deviation") + channel +
                 formatted(" is %.4g on average, not %.4g: a difference of %.1f standard deviations between images",
                           found.other, found.train, std::abs(found.effect)));
  }
}

void add_source_findings(const FindingList& list) {
  for (const Split& split : list.samples.splits()) {
    const report::Origin origin = report::origin_of(list.dataset, split.name());
    add_levels(split, origin, list);
    add_sizes(split, origin, list);
  }
}

}  // namespace octavo::doctor
