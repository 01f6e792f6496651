// Converts LoaderState to and from a line of JSON.
#include <algorithm>
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

Shuffle shuffle_from_json(const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>();
  return parse_shuffle(value.get<std::string>());
}

}  // namespace

LoaderPlace LoaderState::place() const {
  if (samples) return {epoch, *samples};
  const kernels::EpochBatches batches{sample_count, batch_size,
                                      carry_over ? kernels::LastBatch::carry : kernels::LastBatch::keep};
  if (epoch < 0 || sample_count < 1 || batch_size < 1 || step < 0 || step > batches.count(epoch)) {
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
  if (!document.is_object()) throw FormatError("read a loader state: not a JSON object; pass the result of to_json()");
  LoaderState state;
  try {
    document.at("order").get_to(state.order_version);
    document.at("epoch").get_to(state.epoch);
    document.at("step").get_to(state.step);
    document.at("seed").get_to(state.seed);
    document.at("batch_size").get_to(state.batch_size);
    document.at("sample_count").get_to(state.sample_count);
    state.shuffle = shuffle_from_json(document.at("shuffle"));
    document.at("drop_last").get_to(state.drop_last);
    if (document.contains("carry_over")) document["carry_over"].get_to(state.carry_over);
    if (document.contains("samples")) state.samples = document["samples"].get<std::int64_t>();
    if (document.contains("sampling")) document["sampling"].get_to(state.sampling);
    document.at("split").get_to(state.split);
    document.at("data").get_to(state.data);
    document.at("normalization").get_to(state.normalization);
    if (document.contains("augmentation")) document["augmentation"].get_to(state.augmentation);
  } catch (const InvalidArgument& unknown) {
    throw FormatError(std::string("read a loader state: ") + unknown.what());
  } catch (const nlohmann::json::exception&) {
    throw FormatError("read a loader state: a field is missing or has the wrong type; pass the result of to_json()");
  }
  if (state.order_version != kOrderVersion) {
    throw FormatError("read a loader state: it has order version " + std::to_string(state.order_version) +
                      ", but this build uses version " + std::to_string(kOrderVersion) +
                      "; resume with the build that saved it");
  }
  return state;
}

}  // namespace octavo
