// The report as one JSON document with all numbers.
#include <octavo/report.hpp>

#include "support/strict_json.hpp"

namespace octavo {
namespace {

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json residency_json(const ResidencyCost& cost) {
  return {{"name", cost.name},
          {"computed_bytes", cost.computed_bytes},
          {"measured_bytes", or_null(cost.measured_bytes)},
          {"batch_buffer_bytes", cost.batch_buffer_bytes}};
}

Json gather_json(const GatherSpeed& speed) {
  return {{"batch_size", speed.batch_size},
          {"moved_bytes", speed.moved_bytes},
          {"median_seconds", speed.median_seconds},
          {"spread", speed.spread},
          {"images_per_second", speed.images_per_second()},
          {"copy_bytes_per_second", speed.copy_bytes_per_second},
          {"fraction_of_copy", speed.fraction_of_copy},
          {"lowest_fraction", speed.lowest_fraction},
          {"highest_fraction", speed.highest_fraction},
          {"fits_cache", speed.fits_cache}};
}

Json training_json(const TrainingFootprint& footprint) {
  return {{"model", "mlp"},
          {"computed", true},
          {"sample_bytes", footprint.sample_bytes},
          {"batch_bytes", footprint.batch_bytes},
          {"model_bytes", footprint.model_bytes},
          {"total_bytes", footprint.total()},
          {"float32_total_bytes", footprint.float32_total()}};
}

Json level_use_json(const LevelUse& use) {
  return {{"levels", use.levels},
          {"effective_bits", or_null(use.effective_bits)},
          {"relative_error", or_null(use.relative_error)},
          {"relative_error_with_clipped", or_null(use.relative_error_with_clipped)},
          {"clipped_share", use.clipped_share},
          {"is_coarse", use.is_coarse},
          {"is_mostly_clipped", use.is_mostly_clipped},
          {"better_percentile", or_null(use.better_percentile)},
          {"channel", or_null(use.channel)}};
}

Json certificate_json(const QuantizationCertificate& certificate) {
  return {{"lossless", certificate.lossless},
          {"compared_with", certificate.compared_with},
          {"largest_error", certificate.largest_error},
          {"mean_error", certificate.mean_error},
          {"clipped_count", certificate.clipped_count},
          {"psnr_db", or_null(certificate.psnr_db)},
          {"level_use", certificate.level_use ? level_use_json(*certificate.level_use) : Json()}};
}

}  // namespace

std::string to_json(const MemoryReport& report) {
  Json residencies = Json::array();
  for (const ResidencyCost& cost : report.residencies) residencies.push_back(residency_json(cost));
  const Json json = {{"file", report.file},
                     {"split", report.split},
                     {"device", report.device},
                     {"device_name", report.device_name},
                     {"sample_count", report.sample_count},
                     {"shape", report.shape},
                     {"source_bytes", or_null(report.source_bytes)},
                     {"file_bytes", report.file_bytes},
                     {"residencies", residencies},
                     {"gather", report.gather ? gather_json(*report.gather) : Json()},
                     {"training", report.training ? training_json(*report.training) : Json()},
                     {"certificate", certificate_json(report.certificate)},
                     {"normalization", report.normalization}};
  // File names are bytes; those that are not UTF-8 become U+FFFD.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace octavo
