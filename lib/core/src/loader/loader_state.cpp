// Converts LoaderState to and from a line of JSON.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>
#include <octavo/errors.hpp>
#include <octavo/loader.hpp>
#include <octavo/order.hpp>

#include "kernels/epoch_batches.hpp"

namespace octavo {
namespace {

/// true and false for global and none, as in LoaderOptions.
nlohmann::ordered_json shuffle_to_json(Shuffle shuffle) {
  if (shuffle == Shuffle(true) || shuffle == Shuffle(false)) return shuffle == Shuffle(true);
  return to_string(shuffle);
}

// read_value() returns false for a value of another type. JSON libraries convert numbers, which would hide a damaged
// state.

bool read_value(const nlohmann::json& value, std::int64_t& field) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) return false;
  value.get_to(field);
  return true;
}

bool read_value(const nlohmann::json& value, std::uint64_t& field) {
  if (!value.is_number_unsigned()) return false;
  value.get_to(field);
  return true;
}

bool read_value(const nlohmann::json& value, bool& field) {
  if (!value.is_boolean()) return false;
  value.get_to(field);
  return true;
}

bool read_value(const nlohmann::json& value, std::string& field) {
  if (!value.is_string()) return false;
  value.get_to(field);
  return true;
}

bool read_value(const nlohmann::json& value, Shuffle& field) {
  if (!value.is_boolean() && !value.is_string()) return false;
  field = value.is_boolean() ? Shuffle(value.get<bool>()) : parse_shuffle(value.get<std::string>());
  return true;
}

bool read_value(const nlohmann::json& value, std::optional<std::int64_t>& field) {
  field = 0;
  return read_value(value, *field);
}

/// Reads a field that may be absent or null.
template <typename Value>
void read_if_set(const nlohmann::json& state, const char* name, Value& field) {
  const auto found = state.find(name);
  if (found == state.end() || found->is_null()) return;
  if (!read_value(*found, field)) {
    throw FormatError("read a loader state: \"" + std::string(name) +
                      "\" has the wrong type; pass the state as it was saved");
  }
}

template <typename Value>
void read_field(const nlohmann::json& state, const char* name, Value& field) {
  if (!state.contains(name) || state[name].is_null()) {
    throw FormatError("read a loader state: it has no \"" + std::string(name) + "\"; pass the state as it was saved");
  }
  read_if_set(state, name, field);
}

void check_order_version(std::int64_t version) {
  if (version == kOrderVersion) return;
  throw FormatError("read a loader state: it has order version " + std::to_string(version) +
                    ", but this build uses version " + std::to_string(kOrderVersion) +
                    "; resume with the build that saved it");
}

}  // namespace

LoaderPlace LoaderState::place() const {
  const bool is_valid = epoch >= 0 && epoch <= kLastEpoch && sample_count >= 1 && batch_size >= 1 && step >= 0;
  if (is_valid && samples && *samples <= sample_count) return {epoch, *samples};
  const kernels::EpochBatches batches{sample_count, batch_size,
                                      carry_over ? kernels::LastBatch::carry : kernels::LastBatch::keep};
  if (!is_valid || samples || step > batches.count(epoch)) {
    throw InvalidArgument("find the place of a loader state: there is no batch " + std::to_string(step) + " in epoch " +
                          std::to_string(epoch));
  }
  return {epoch, std::min(sample_count, batches.first_position(epoch, step))};
}

std::string LoaderState::to_json() const {
  nlohmann::ordered_json document{{"order", order_version},
                                  {"epoch", epoch},
                                  {"step", step},
                                  {"seed", seed},
                                  {"batch_size", batch_size},
                                  {"sample_count", sample_count},
                                  {"shuffle", shuffle_to_json(shuffle)},
                                  {"drop_last", drop_last}};
  if (samples) document["samples"] = *samples;
  if (carry_over) document["carry_over"] = true;
  if (!sampling.empty()) document["sampling"] = sampling;
  document.update({{"split", split}, {"data", data}, {"normalization", normalization}});
  if (!augmentation.empty()) document["augmentation"] = augmentation;
  return document.dump();
}

LoaderState LoaderState::from_json(const std::string& json) {
  const nlohmann::json document = nlohmann::json::parse(json, nullptr, false);
  if (!document.is_object())
    throw FormatError("read a loader state: not a JSON object; pass the state as it was saved");
  LoaderState state;
  std::int64_t order_version = 0;
  read_field(document, "order", order_version);
  check_order_version(order_version);
  state.order_version = kOrderVersion;
  read_field(document, "epoch", state.epoch);
  read_field(document, "step", state.step);
  read_field(document, "seed", state.seed);
  read_field(document, "batch_size", state.batch_size);
  read_field(document, "sample_count", state.sample_count);
  read_field(document, "drop_last", state.drop_last);
  read_if_set(document, "carry_over", state.carry_over);
  read_if_set(document, "samples", state.samples);
  read_if_set(document, "sampling", state.sampling);
  read_field(document, "split", state.split);
  read_field(document, "data", state.data);
  read_field(document, "normalization", state.normalization);
  read_if_set(document, "augmentation", state.augmentation);
  try {
    read_field(document, "shuffle", state.shuffle);
  } catch (const InvalidArgument& unknown) {
    throw FormatError(std::string("read a loader state: ") + unknown.what());
  }
  return state;
}

}  // namespace octavo
