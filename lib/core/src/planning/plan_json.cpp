// Formats the plan as one JSON document with every number.
#include <octavo/plan.hpp>

#include "support/strict_json.hpp"

namespace octavo {
namespace {

Json parts_json(const Plan& plan) {
  Json parts = Json::array();
  for (const PlannedPart& part : plan.parts) parts.push_back({{"name", part.name}, {"bytes", part.bytes}});
  return parts;
}

Json forms_json(const Plan& plan) {
  Json forms = Json::array();
  for (const PlannedForm& form : plan.forms) {
    forms.push_back({{"name", form.name},
                     {"sample_bytes", form.sample_bytes},
                     {"total_bytes", form.total_bytes},
                     {"fits", form.fits},
                     {"largest_batch", form.largest_batch}});
  }
  return forms;
}

Json classes_json(const PlannedRepack& repack) {
  Json classes = Json::array();
  for (const PlannedClass& one : repack.classes) {
    classes.push_back(
        {{"number", one.number}, {"name", one.name}, {"encoded_count", one.encoded_count}, {"share", one.share}});
  }
  return classes;
}

Json repacks_json(const Plan& plan) {
  Json repacks = Json::array();
  for (const PlannedRepack& repack : plan.repacks) {
    repacks.push_back({{"compression", to_string(repack.compression)},
                       {"sample_bytes", repack.form.sample_bytes},
                       {"standard_error_bytes", repack.standard_error_bytes},
                       {"total_bytes", repack.form.total_bytes},
                       {"fits", repack.form.fits},
                       {"largest_batch", repack.form.largest_batch},
                       {"encoded_count", repack.encoded_count},
                       {"least_share", repack.least_share},
                       {"most_share", repack.most_share},
                       {"largest_index", repack.largest_index},
                       {"repack_seconds", repack.repack_seconds},
                       {"classes", classes_json(repack)}});
  }
  return repacks;
}

Json devices_json(const Plan& plan) {
  Json devices = Json::array();
  for (const PlannedDevice& device : plan.well_known) {
    devices.push_back({{"name", device.name},
                       {"memory_bytes", device.memory_bytes},
                       {"residency", device.largest_batch > 0 ? Json(to_string(device.residency)) : Json()},
                       {"largest_batch", device.largest_batch},
                       {"float32_share", device.float32_share},
                       {"packed_share", device.packed_share},
                       {"repacked_shares", device.repacked_shares}});
  }
  return devices;
}

Json ranks_json(const Plan& plan) {
  if (!plan.ranks) return {};
  const PlannedRanks& ranks = *plan.ranks;
  return {{"world_size", ranks.world_size},
          {"fits", ranks.fits},
          {"residency", ranks.fits ? Json(to_string(ranks.residency)) : Json()},
          {"resident_count", ranks.resident_count},
          {"resident_bytes", ranks.resident_bytes},
          {"exchanged_bytes", ranks.exchanged_bytes},
          {"largest_batch", ranks.largest_batch}};
}

}  // namespace

std::string to_json(const Plan& plan) {
  const Json document = {
      {"file", plan.file},
      {"split", plan.split},
      {"sample_count", plan.sample_count},
      {"shape", {plan.shape.channels, plan.shape.height, plan.shape.width}},
      {"packed_bytes", plan.packed_bytes},
      {"mask_bytes", plan.mask_bytes},
      {"compression", to_string(plan.compression)},
      {"stored_bytes", plan.stored_bytes},
      {"stored_mask_bytes", plan.stored_mask_bytes},
      {"device", plan.device},
      {"memory_bytes", plan.memory_bytes},
      {"reserved_bytes", plan.reserved_bytes},
      {"batch_size", plan.batch_size},
      {"prefetch", plan.prefetch},
      {"fits", plan.fits},
      {"residency", plan.fits ? Json(to_string(plan.residency)) : Json()},
      {"reason", plan.reason},
      {"resident_count", plan.resident_count},
      {"memory_limit_bytes", plan.memory_limit_bytes},
      {"parts", parts_json(plan)},
      {"total_bytes", plan.total_bytes()},
      {"host_bytes", plan.host_bytes},
      {"forms", forms_json(plan)},
      {"repacks", repacks_json(plan)},
      {"largest_batch", plan.largest_batch},
      {"largest_power_of_two", plan.largest_power_of_two},
      {"largest_streamed_batch", plan.largest_streamed_batch},
      {"rule_of_thumb_batch", plan.rule_of_thumb_batch},
      {"well_known", devices_json(plan)},
      {"ranks", ranks_json(plan)},
  };
  return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace octavo
