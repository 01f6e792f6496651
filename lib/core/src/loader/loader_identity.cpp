#include "loader/loader_identity.hpp"

#include <span>
#include <tuple>

#include "loader/sampler.hpp"
#include "store/number_text.hpp"
#include "support/hash.hpp"

namespace octavo::loader {
namespace {

std::string augmentation_of(const BatchSpec& spec) {
  if (!is_augmented(spec)) return "";
  std::string text = augment::describe(spec.augment);
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (spec.mix) add(augment::describe_mix(*spec.mix));
  add("seed " + std::to_string(spec.augment_seed));
  if (spec.views > 1) add(std::to_string(spec.views) + " views");
  if (spec.soft_classes > 0) {
    add(std::to_string(spec.soft_classes) + " classes, smoothing " + store::number_text(spec.label_smoothing));
  }
  return text;
}

std::string quoted(const std::string& text) { return text.empty() ? "none" : "\"" + text + "\""; }
std::string quoted(int number) { return std::to_string(number); }
std::string quoted(std::int64_t number) { return std::to_string(number); }
std::string quoted(std::uint64_t number) { return std::to_string(number); }
std::string quoted(bool is_set) { return is_set ? "true" : "false"; }
std::string quoted(Shuffle shuffle) { return quoted(to_string(shuffle)); }

}  // namespace

void identify(LoaderState& state, const store::StoredSamples& samples, const store::PreparedMaps& maps) {
  state.split = samples.split_name;
  state.data = to_hex(samples.data_hash);
  state.normalization = describe(maps.spec()) + " [" + to_hex(maps.numbers_hash()).substr(0, 8) + "]";
  state.augmentation = augmentation_of(maps.spec());
}

std::string digest(const Sampling& sampling) {
  if (is_default(sampling)) return "";
  StreamingHash hash;
  const auto add = [&](std::int64_t number) { hash.add(std::as_bytes(std::span(&number, 1))); };
  for (const std::vector<std::int64_t>* numbers : {&sampling.indices, &sampling.groups}) {
    add(std::int64_t{std::ssize(*numbers)});
    hash.add(std::as_bytes(std::span(*numbers)));
  }
  add(sampling.weights.empty() ? 0 : 1);
  add(sampling.replacement ? 1 : 0);
  add(sampling.samples_per_epoch);
  add(sampling.repeats);
  return to_hex(hash.value());
}

std::optional<std::string> difference(const LoaderState& saved, const LoaderState& here) {
  if (saved.split != here.split) {
    return "it is from the split " + quoted(saved.split) + "; this loader serves " + quoted(here.split);
  }
  if (saved.data != here.data) return "it is from other samples; use the dataset file that the loader had";
  const auto named = [&](const char* name, auto LoaderState::*field) -> std::optional<std::string> {
    if (saved.*field == here.*field) return std::nullopt;
    return std::string("it is from a loader with ") + name + " " + quoted(saved.*field) + "; this one has " +
           quoted(here.*field);
  };
  const auto fields =
      std::tuple(std::pair("order_version", &LoaderState::order_version), std::pair("seed", &LoaderState::seed),
                 std::pair("sample_count", &LoaderState::sample_count), std::pair("shuffle", &LoaderState::shuffle),
                 std::pair("drop_last", &LoaderState::drop_last), std::pair("carry_over", &LoaderState::carry_over),
                 std::pair("sampling", &LoaderState::sampling), std::pair("normalization", &LoaderState::normalization),
                 std::pair("augmentation", &LoaderState::augmentation));
  std::optional<std::string> found;
  // All other orders are the same for every batch_size.
  if (here.shuffle == Shuffle::blocks()) found = named("batch_size", &LoaderState::batch_size);
  if (found) return found;
  std::apply([&](const auto&... field) { (void)(... || (found = named(field.first, field.second)).has_value()); },
             fields);
  return found;
}

}  // namespace octavo::loader
