#include "loader/options_check.hpp"

#include <algorithm>
#include <string>

#include <octavo/errors.hpp>

#include "loader/batch_order.hpp"
#include "store/residency_rules.hpp"

namespace octavo::loader {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw InvalidArgument("set up a loader: " + why); }

std::string samples_text(std::int64_t count) { return std::to_string(count) + (count == 1 ? " sample" : " samples"); }

void check_carry_over(const LoaderOptions& options, Residency residency) {
  if (options.drop_last) refuse("drop_last and carry_over exclude each other; use one of them");
  if (options.shuffle != Shuffle(true) && options.shuffle != Shuffle(false)) {
    refuse("carry_over is not available with the order \"" + to_string(options.shuffle) + "\"; use none or global");
  }
  if (residency == Residency::window) {
    refuse("carry_over is not available with the residency window; load the samples with another residency");
  }
  if (options.batch_size >= std::int64_t{1} << 31) refuse("carry_over needs a batch_size below 2^31");
}

/// Every rank needs a sample of every batch: a model has no gradient for an empty part.
void check_ranks(const LoaderOptions& options, std::int64_t epoch_samples) {
  const std::int64_t ranks = options.world_size;
  if (options.equal_shares) {
    // Repeats in every batch would show some samples more often than others.
    if (options.batch_size % ranks == 0) return;
    refuse("a batch_size of " + std::to_string(options.batch_size) + " cannot be shared equally by " +
           std::to_string(ranks) + " ranks; use a multiple of " + std::to_string(ranks) +
           ", or parts of different sizes (equal_shares false)");
  }
  if (std::min(options.batch_size, epoch_samples) < ranks) {
    refuse("a batch of " + samples_text(std::min(options.batch_size, epoch_samples)) + " cannot be shared by " +
           std::to_string(ranks) + " ranks; use a batch_size of at least the number of ranks");
  }
  if (options.drop_last || options.carry_over) return;
  for (const std::int64_t samples : {epoch_samples, epoch_samples - options.origin.samples}) {
    const std::int64_t last = samples % options.batch_size;
    if (last == 0 || last >= ranks) continue;
    refuse("the last batch of an epoch has " + samples_text(last) + " for " + std::to_string(ranks) +
           " ranks; use drop_last, carry_over, equal_shares or another batch_size");
  }
}

void check_origin(const LoaderOptions& options, std::int64_t epoch_samples) {
  const LoaderPlace& origin = options.origin;
  const std::int64_t least = options.carry_over && origin.epoch > 0 ? -epoch_samples : 0;
  if (origin.epoch < 0 || origin.samples < least || origin.samples > epoch_samples) {
    refuse("origin is after " + samples_text(origin.samples) + " of epoch " + std::to_string(origin.epoch) +
           "; an epoch has " + std::to_string(epoch_samples));
  }
  if (options.shuffle.kind() == Shuffle::Kind::blocks && origin.samples % options.batch_size != 0) {
    refuse("the order blocks depends on batch_size; resume with the one that the state was saved with");
  }
}

}  // namespace

LoaderOptions checked(LoaderOptions options, const store::StoredSamples& samples) {
  const std::int64_t sample_count = samples.sample_count;
  if (options.batch_size < 1) refuse("batch_size is " + std::to_string(options.batch_size) + "; expected at least 1");
  if (options.world_size < 1 || options.rank < 0 || options.rank >= options.world_size) {
    refuse("rank " + std::to_string(options.rank) + " of " + std::to_string(options.world_size) +
           " does not exist; ranks are numbered from 0");
  }
  if (options.batch_size > (std::int64_t{1} << 40) / options.world_size) refuse("batch_size is too large; use less");
  if (options.spec.center == Center::batch && options.world_size > 1) {
    refuse("a batch that several ranks share cannot be centered on its own mean; choose another center");
  }
  const bool is_sampled = !is_default(options.sampling);
  if (is_sampled && options.shuffle != Shuffle(true) && options.shuffle != Shuffle(false)) {
    refuse("sampling is not available with the order \"" + to_string(options.shuffle) + "\"; use none or global");
  }
  if (is_sampled && samples.residency == Residency::window) {
    refuse("sampling is not available with the residency window; load the samples with another residency");
  }
  if (options.carry_over) check_carry_over(options, samples.residency);
  const std::int64_t epoch_samples = BatchOrder(options, sample_count).sample_count();
  if ((options.drop_last || options.carry_over) && options.batch_size > epoch_samples) {
    refuse("batch_size " + std::to_string(options.batch_size) + " is larger than the " + std::to_string(epoch_samples) +
           " samples" +
           (options.drop_last ? ", so drop_last leaves no batch" : " of an epoch, which carry_over needs") +
           "; use a smaller batch_size");
  }
  check_origin(options, epoch_samples);
  check_ranks(options, epoch_samples);
  if (options.shuffle.kind() == Shuffle::Kind::windows && options.shuffle.window_samples() < 1) {
    refuse("windows of " + std::to_string(options.shuffle.window_samples()) + " samples; expected at least 1");
  }
  // In the residency window, "shuffled" means shuffled windows.
  if (samples.residency == Residency::window && options.shuffle == Shuffle(true)) {
    options.shuffle = Shuffle::windows(samples.window_samples);
  }
  options.prefetch = store::prefetch_depth(options.prefetch, samples.backend->is_host(), samples.is_resident());
  return options;
}

}  // namespace octavo::loader
