#include "loader/loader_identity.hpp"

#include <span>
#include <tuple>

#include <octavo/errors.hpp>

#include "augment/parameter_hash.hpp"
#include "augment/parameter_text.hpp"
#include "loader/sampler.hpp"
#include "support/hash.hpp"

namespace octavo::loader {
namespace {

using augment::add_struct;
using augment::add_value;

/// What a state says of its normalization and its augmentation: a text for people, and what is compared.
std::string with_digest(const std::string& text, const std::string& digest) { return text + " [" + digest + "]"; }

/// Of all that changes the images and labels of a batch.
std::string augmentation_digest(const BatchSpec& spec) {
  StreamingHash hash;
  add_value(hash, std::int64_t{std::ssize(spec.augment)});
  for (const augment::Operation& operation : spec.augment) {
    std::visit([&](const auto& given) { add_struct(hash, given); }, operation);
  }
  add_value(hash, spec.mix.has_value());
  if (spec.mix) add_struct(hash, *spec.mix);
  add_value(hash, spec.augment_seed);
  add_value(hash, spec.views);
  add_value(hash, spec.soft_classes);
  add_value(hash, spec.label_smoothing);
  return to_hex(hash.value());
}

std::string augmentation_of(const BatchSpec& spec) {
  if (!is_augmented(spec)) return "";
  std::string text = augment::describe(spec.augment);
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (spec.mix) add(augment::describe_mix(*spec.mix));
  add("seed=" + std::to_string(spec.augment_seed));
  if (spec.views > 1) add("views=" + std::to_string(spec.views));
  if (spec.soft_classes > 0) {
    add("num_classes=" + std::to_string(spec.soft_classes) +
        ", label_smoothing=" + augment::value_text(spec.label_smoothing));
  }
  return with_digest(text, augmentation_digest(spec));
}

/// What a digest is of may be reworded.
std::string_view digest_in(const std::string& described) {
  return std::string_view(described).substr(std::min(described.rfind('[') + 1, described.size()));
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
  state.normalization = with_digest(describe(maps.spec()), to_hex(maps.numbers_hash()));
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
  if (saved.sampling != here.sampling) {
    return "it is from a loader that chooses other samples; pass the same indices, weights, replacement, groups or "
           "balance, samples_per_epoch and repeats";
  }
  if (saved.data != here.data) return "it is from other samples; use the dataset file that the loader had";
  const auto named = [&](const char* name, auto LoaderState::*field, bool are_equal) -> std::optional<std::string> {
    if (are_equal) return std::nullopt;
    return std::string("it is from a loader with ") + name + " " + quoted(saved.*field) + "; this one has " +
           quoted(here.*field);
  };
  const auto named_if_different = [&](const char* name, auto LoaderState::*field) {
    return named(name, field, saved.*field == here.*field);
  };
  const auto fields =
      std::tuple(std::pair("order_version", &LoaderState::order_version), std::pair("seed", &LoaderState::seed),
                 std::pair("sample_count", &LoaderState::sample_count), std::pair("shuffle", &LoaderState::shuffle),
                 std::pair("drop_last", &LoaderState::drop_last), std::pair("carry_over", &LoaderState::carry_over));
  std::optional<std::string> found;
  // All other orders are the same for every batch_size.
  if (here.shuffle == Shuffle::blocks()) found = named_if_different("batch_size", &LoaderState::batch_size);
  if (found) return found;
  std::apply(
      [&](const auto&... field) { (void)(... || (found = named_if_different(field.first, field.second)).has_value()); },
      fields);
  const auto compare_digests = [&](const char* name, std::string LoaderState::*field) {
    if (!found) found = named(name, field, digest_in(saved.*field) == digest_in(here.*field));
  };
  compare_digests("normalization", &LoaderState::normalization);
  compare_digests("augmentation", &LoaderState::augmentation);
  return found;
}

LoaderPlace checked_place(const LoaderState& saved, const LoaderState& here) {
  if (const auto found = difference(saved, here)) {
    throw InvalidArgument("restore a loader: the state does not fit; " + *found);
  }
  return saved.place();
}

}  // namespace octavo::loader
