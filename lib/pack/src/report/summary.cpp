#include "report/summary.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "report/origin.hpp"
#include "sources/channel_losses.hpp"
#include "support/text/text_units.hpp"

namespace octavo::report {

namespace {

/// Images that were converted before packing differ from the source, even if the digest matches.
bool is_of_converted_images(const QuantizationCertificate& certificate) {
  return certificate.compared_with.starts_with("the converted images");
}

}  // namespace

std::string level_use_text(const LevelUse& use, const std::string& samples) {
  if (!use.better_percentile) return describe(use) + samples;
  return describe(use) + samples + "; the range " + range_name(*use.better_percentile) + " keeps more";
}

std::string counted_samples_text(const QuantizationNotes& loss, std::int64_t sample_count) {
  if (loss.samples == sample_count) return "";
  const std::string samples = format_count(loss.samples);
  return loss.samples < sample_count ? ", in " + samples + " of its samples"
                                     : ", in the " + samples + " samples that it was chosen from";
}

std::string summary_of_loss(const QuantizationCertificate& certificate) {
  if (certificate.largest_error.empty()) return "compared with " + certificate.compared_with;
  const double largest = *std::max_element(certificate.largest_error.begin(), certificate.largest_error.end());
  std::string loss = formatted("largest error %g", largest);
  if (certificate.level_use) loss += ", " + level_use_text(*certificate.level_use);
  if (certificate.psnr_db && !certificate.level_use) loss += formatted(", PSNR %.1f dB", *certificate.psnr_db);
  const auto& clipped = certificate.clipped_count;
  if (const auto count = std::accumulate(clipped.begin(), clipped.end(), std::int64_t{0}); count > 0) {
    loss += ", " + counted(count, "value") + " out of range";
  }
  return loss;
}

std::string certificate_text(const QuantizationCertificate& certificate) {
  if (certificate.lossless && is_of_converted_images(certificate)) {
    return "lossless with respect to " + certificate.compared_with;
  }
  if (certificate.lossless) return "lossless: verified against " + certificate.compared_with;
  if (!certificate.largest_error.empty()) {
    return "NOT lossless: differs from " + certificate.compared_with + ": " + summary_of_loss(certificate);
  }
  const bool is_compared = !certificate.compared_with.starts_with("nothing");
  return (is_compared ? "NOT lossless: differs from " : "compared with ") + certificate.compared_with;
}

std::string remark_on_measuring(const MemoryReport& report) {
  constexpr std::int64_t kLeastMeasuredBytes = std::int64_t{1} << 20;
  const bool is_small = report.residencies.back().computed_bytes < kLeastMeasuredBytes;
  return is_small ? "too small to measure memory well: pages of 4 KiB and buffers dominate" : "";
}

std::string summary(const MemoryReport& report) {
  const ResidencyCost& whole = report.residencies.front();
  const ResidencyCost& packed = report.residencies.back();
  std::string text =
      std::filesystem::path(report.file).filename().string() + ": " + counted(report.sample_count, "sample") + " of " +
      report.shape + " (" + report.split + ") take " + format_bytes(packed.computed_bytes) + " as " + packed.name +
      ", " + formatted("%.1f", static_cast<double>(whole.computed_bytes) / static_cast<double>(packed.computed_bytes)) +
      " times less than as float32";
  if (report.certificate.lossless) {
    text += is_of_converted_images(report.certificate) ? ", lossless after resizing" : ", lossless";
  }
  if (!report.certificate.lossless && !report.certificate.largest_error.empty()) {
    text += ", lossy: " + summary_of_loss(report.certificate);
  }
  if (report.gather) text += "; gathers run at " + describe_fraction(*report.gather);
  return text;
}

}  // namespace octavo::report

std::string octavo::recorded_loss(const Dataset& dataset, const std::string& split_name) {
  const Split split = dataset.split(split_name);
  const auto loss = report::origin_of(dataset, split_name).loss;
  if (!loss) return split.source_dtype() == "uint8" ? "" : "unknown, because the file does not record it";
  const double largest_error = sources::over_channels(loss->channels).largest_error;
  if (largest_error == 0.0) return "";
  const std::string samples = report::counted_samples_text(*loss, split.sample_count());
  if (loss->level_use) return report::level_use_text(*loss->level_use, samples);
  const bool is_bound = loss->max_error != 0 && !loss->psnr_db;  // the sum of two losses
  const std::string psnr = loss->psnr_db ? formatted(", PSNR %.1f dB", *loss->psnr_db) : "";
  return std::string("largest error ") + (is_bound ? "at most " : "") + formatted("%g", largest_error) + psnr + samples;
}

std::vector<octavo::ChannelLoss> octavo::recorded_channel_losses(const Dataset& dataset,
                                                                 const std::string& split_name) {
  const auto loss = report::origin_of(dataset, split_name).loss;
  return loss ? loss->channels : std::vector<ChannelLoss>();
}
