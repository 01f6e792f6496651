#include "planning/memory_model.hpp"

#include <algorithm>
#include <string>

#include <octavo/batch_shape.hpp>
#include <octavo/errors.hpp>

#include "dataset_file/split_data.hpp"
#include "store/residency_rules.hpp"
#include "support/checked_math.hpp"

namespace octavo::planning {
namespace {

/// Keeps all sums below far from 2^63: a batch has at most N samples, and all N samples fit in a file.
constexpr std::int64_t kMostParameters = std::int64_t{1} << 48;
constexpr std::int64_t kMostSum = std::int64_t{1} << 61;
constexpr std::int64_t kMostRanks = 1 << 20;

[[noreturn]] void refuse(const std::string& why) { throw InvalidArgument("plan the memory: " + why); }

/// Of a row on the device, with its offset if rows differ in size; rounded up.
std::int64_t stored_bytes(const dataset_file::RowOffsets& rows) {
  if (rows.total_bytes() == 0) return 0;
  return rows.mean_bytes() + (rows.have_one_size() ? 0 : static_cast<std::int64_t>(sizeof(std::uint64_t)));
}

void check(const PlanOptions& options) {
  const ModelMemory& model = options.model;
  if (model.parameter_count < 0 || model.parameter_count > kMostParameters) {
    refuse("the model has " + std::to_string(model.parameter_count) + " parameters; expected 0 to 2^48");
  }
  if (model.activation_bytes_per_sample < 0 || model.activation_bytes_per_sample > kMostSum) {
    refuse("activations take " + std::to_string(model.activation_bytes_per_sample) +
           " bytes per sample; expected 0 to 2^61");
  }
  if (options.batch_size < 0) refuse("batch_size is negative; use 0 for the default");
  if (options.estimated_samples < 0) refuse("estimated_samples is negative; use 0 for no estimate");
  if (options.world_size < 1 || options.world_size > kMostRanks) {
    refuse(std::to_string(options.world_size) + " devices; expected 1 to " + std::to_string(kMostRanks));
  }
  if (options.memory_bytes < 0) refuse("memory_bytes is negative; use 0 for the memory of the device");
}

}  // namespace

MemoryModel memory_model(const Split& split, const PlanOptions& options, bool is_host) {
  check(options);
  MemoryModel model;
  model.sample_count = split.sample_count();
  const BatchShape shape = batch_shape({.dtype = options.dtype}, split.shape());
  model.sample_values = shape.values();
  model.mask_bytes = split.has_masks() ? split.shape().values_per_channel() : 0;
  model.plain_bytes = split.shape().values() + model.mask_bytes;
  const dataset_file::SplitDescription& stored = split.data()->description();
  model.stored_bytes = stored_bytes(stored.rows) + stored_bytes(stored.mask_rows);
  model.label_bytes = split.labels().bytes_per_sample();
  model.value_bytes = bytes_of(options.dtype);
  model.resident_prefetch = store::prefetch_depth(options.prefetch, is_host, true);
  model.staged_prefetch = store::prefetch_depth(options.prefetch, is_host, false);
  const std::int64_t numbers = options.model.parameter_count;
  model.parameters = 4 * numbers;
  model.gradients = 4 * numbers;
  model.optimizer_state = options.model.optimizer == Optimizer::sgd        ? 0
                          : options.model.optimizer == Optimizer::momentum ? 4 * numbers
                                                                           : 8 * numbers;
  model.half_copy = options.model.mixed_precision ? 2 * numbers : 0;
  model.activations = options.model.activation_bytes_per_sample;
  const auto most = checked_product(
      {model.sample_count, std::max(model.bytes_per_batch_sample(false), model.bytes_per_batch_sample(true))});
  if (!most || *most > kMostSum) {
    refuse("a batch of all samples would need more than 2^61 bytes; give fewer activation bytes per sample");
  }
  return model;
}

MemoryFit fit(const MemoryModel& model, std::int64_t room, std::int64_t batch_size) {
  const std::int64_t N = model.sample_count, rest = room - model.model_bytes();
  if (N * model.packed_bytes() + batch_size * model.bytes_per_batch_sample(false) <= rest) {
    return {true, Residency::device, N};
  }
  const std::int64_t left = rest - batch_size * model.bytes_per_batch_sample(true);
  if (left < 0) return {};
  const std::int64_t count = std::min(N - 1, left / model.packed_bytes());
  if (count >= store::least_hybrid_count(N)) return {true, Residency::hybrid, count};
  return {true, Residency::streamed, 0};
}

MemoryFit fit_on_each(const MemoryModel& model, std::int64_t room, std::int64_t batch_size, std::int64_t world_size) {
  const std::int64_t own_batch = share_of(batch_size, world_size), own_count = share_of(model.sample_count, world_size);
  const MemoryFit alone = fit(model, room, own_batch);
  if (alone.fits && alone.residency == Residency::device) return alone;
  const std::int64_t needed =
      model.model_bytes() + own_count * model.packed_bytes() + own_batch * model.bytes_per_exchanged_sample();
  return needed <= room ? MemoryFit{true, Residency::sharded, own_count} : alone;
}

std::int64_t largest_batch(const MemoryModel& model, std::int64_t room, std::int64_t resident_bytes, bool staged) {
  const std::int64_t rest = room - model.model_bytes() - resident_bytes;
  return std::clamp<std::int64_t>(rest / model.bytes_per_batch_sample(staged), 0, model.sample_count);
}

}  // namespace octavo::planning
