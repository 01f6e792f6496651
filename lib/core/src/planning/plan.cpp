#include <octavo/plan.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <octavo/errors.hpp>

#include "backend/backend.hpp"
#include "dataset_file/rows/sample_companions.hpp"
#include "dataset_file/split_data.hpp"
#include "format/chunks/chunk_reader.hpp"
#include "format/codec.hpp"
#include "planning/memory_model.hpp"
#include "planning/repack_estimate.hpp"
#include "store/residency_rules.hpp"
#include "store/row_layout.hpp"
#include "support/text/text_units.hpp"
#include "support/threads.hpp"

namespace octavo {
namespace {

using planning::MemoryModel;

constexpr std::int64_t kUsualBatch = 256;
constexpr const char* kPlainForm = "int8";

/// In what form samples are on a device.
std::string form_of(const Split& split) {
  return stays_compressed(split.compression()) ? to_string(split.compression()) : kPlainForm;
}

/// Bytes on the device of the first `count` samples.
std::int64_t resident_bytes(const Split& split, const MemoryModel& model, std::int64_t count) {
  const dataset_file::SplitDescription& stored = split.data()->description();
  return store::resident_bytes(stored.rows, count) + store::resident_bytes(stored.mask_rows, count) +
         count * model.label_bytes;
}

/// Memory as nvidia-smi shows it, in MiB.
struct WellKnown {
  const char* name;
  std::int64_t mebibytes;
};
constexpr WellKnown kWellKnown[] = {
    {"RTX 4060, 8 GB", 8188}, {"RTX 3060, 12 GB", 12288}, {"T4, 16 GB", 15360},       {"RTX 4080, 16 GB", 16376},
    {"L4, 24 GB", 23034},     {"RTX 4090, 24 GB", 24564}, {"RTX 5090, 32 GB", 32607}, {"A100, 40 GB", 40960},
    {"L40S, 48 GB", 46068},   {"H100, 80 GB", 81559},     {"A100, 80 GB", 81920},     {"H200, 141 GB", 143771},
};

/// Memory kept in reserve. With a model: one sixteenth, for libraries, fragmentation and anything the plan omits.
/// Without: one fifth, because the model needs room too.
std::int64_t reserved_of(std::int64_t memory_bytes, const ModelMemory& model) {
  const bool has_model = model.parameter_count > 0 || model.activation_bytes_per_sample > 0;
  return memory_bytes / (has_model ? 16 : 5);
}

std::string reason_of(const MemoryModel& model, const planning::MemoryFit& found, std::int64_t room) {
  const std::string samples = format_bytes(model.sample_count * model.packed_bytes());
  const std::string left = format_bytes(room);
  if (!found.fits) return "the model and a batch alone need more than the " + left + " available";
  switch (found.residency) {
    case Residency::device:
      return "all " + samples + " of samples fit with the model and the batches in " + left;
    case Residency::hybrid:
      return format_bytes(found.resident_count * model.packed_bytes()) + " of " + samples +
             " of samples fit with the model and the batches in " + left + "; the others are read from the file";
    case Residency::streamed:
      return "almost none of the " + samples + " of samples fit with the model and the batches in " + left +
             "; all are read from the file";
    case Residency::automatic:
    case Residency::window:
    case Residency::sharded:
      break;  // fit() does not choose them
  }
  return "";
}

std::vector<PlannedPart> parts_of(const MemoryModel& model, const planning::MemoryFit& found, std::int64_t batch_size,
                                  LabelLayout labels, const std::string& form) {
  const bool staged = !found.fits || found.residency != Residency::device;
  const std::int64_t buffers = staged ? 1 : 1 + model.resident_prefetch;
  std::vector<PlannedPart> parts = {
      {"samples, " + form + (model.mask_bytes > 0 ? ", and masks" : ""), found.resident_count * model.stored_bytes}};
  if (labels.width > 0) parts.push_back({"labels", found.resident_count * model.label_bytes});
  parts.push_back({"batches", batch_size * buffers * model.batched_bytes()});
  if (staged) {
    parts.push_back({"staged packed batches", batch_size * (1 + model.staged_prefetch) * model.staged_bytes()});
  }
  if (model.parameters > 0) {
    parts.push_back({"parameters", model.parameters});
    parts.push_back({"gradients", model.gradients});
    if (model.optimizer_state > 0) parts.push_back({"optimizer", model.optimizer_state});
    if (model.half_copy > 0) parts.push_back({"parameters in half precision", model.half_copy});
  }
  if (model.activations > 0) parts.push_back({"activations", batch_size * model.activations});
  return parts;
}

/// `row_bytes`: of a sample with its mask.
PlannedForm form_of(const MemoryModel& model, const std::string& name, std::int64_t row_bytes, std::int64_t room,
                    std::int64_t batch_size) {
  PlannedForm form;
  form.name = name;
  form.sample_bytes = model.sample_count * (row_bytes + model.label_bytes);
  form.total_bytes = form.sample_bytes + model.model_bytes() + batch_size * model.bytes_per_batch_sample(false);
  form.fits = form.total_bytes <= room;
  form.largest_batch = planning::largest_batch(model, room, form.sample_bytes, false);
  return form;
}

/// The last one is that of the samples on the device, whose name is `form`.
std::vector<PlannedForm> forms_of(const MemoryModel& model, std::int64_t room, std::int64_t batch_size,
                                  const std::string& form) {
  const auto decoded_bytes = [&](std::int64_t value_bytes) {
    return model.sample_values * value_bytes + model.mask_bytes;
  };
  std::vector<PlannedForm> forms = {form_of(model, "float32", decoded_bytes(4), room, batch_size),
                                    form_of(model, "float16", decoded_bytes(2), room, batch_size),
                                    form_of(model, kPlainForm, model.plain_bytes, room, batch_size)};
  if (form != kPlainForm) forms.push_back(form_of(model, form, model.stored_bytes, room, batch_size));
  return forms;
}

PlannedRepack repack_of(const MemoryModel& model, const planning::EncodedSamples& encoded,
                        const std::vector<std::string>& class_names, std::int64_t room, std::int64_t batch_size) {
  const auto N = static_cast<double>(model.sample_count);
  PlannedRepack repack;
  repack.compression = encoded.compression;
  repack.form = form_of(model, to_string(encoded.compression), encoded.row_bytes, room, batch_size);
  repack.standard_error_bytes = std::llround(N * encoded.standard_error);
  repack.encoded_count = encoded.count;
  repack.least_share = encoded.least_share;
  repack.most_share = encoded.most_share;
  repack.largest_index = encoded.largest_index;
  for (const auto& [number, sizes] : encoded.classes) {
    const std::string name =
        number >= 0 && number < std::ssize(class_names) ? class_names[static_cast<std::size_t>(number)] : "";
    repack.classes.push_back({number, name, sizes.count, sizes.share()});
  }
  repack.repack_seconds = encoded.seconds / static_cast<double>(encoded.count) * N / resolve_thread_count(0);
  return repack;
}

std::int64_t largest_in(const MemoryModel& model, const planning::MemoryFit& found, std::int64_t room) {
  if (!found.fits) return 0;
  return planning::largest_batch(model, room, found.resident_count * model.packed_bytes(),
                                 found.residency != Residency::device);
}

PlannedRanks on_ranks(const MemoryModel& model, std::int64_t world_size, std::int64_t room, std::int64_t batch_size) {
  const planning::MemoryFit found = planning::fit_on_each(model, room, batch_size, world_size);
  const std::int64_t own_batch = planning::share_of(batch_size, world_size);
  PlannedRanks ranks;
  ranks.world_size = world_size;
  ranks.fits = found.fits;
  ranks.residency = found.residency;
  ranks.resident_count = found.resident_count;
  ranks.resident_bytes = found.resident_count * model.packed_bytes();
  std::int64_t largest = largest_in(model, found, room);
  if (found.residency == Residency::sharded) {
    ranks.exchanged_bytes = own_batch * (world_size - 1) / world_size * model.packed_bytes();
    largest = (room - model.model_bytes() - ranks.resident_bytes) / model.bytes_per_exchanged_sample();
  }
  ranks.largest_batch = std::min(largest, model.sample_count / world_size + 1) * world_size;
  ranks.largest_batch = std::min(ranks.largest_batch, model.sample_count);
  return ranks;
}

/// The batch size that must fit: the given one, else the default. If the default does not fit, the largest power of two
/// that does, with all samples on the device if possible.
std::int64_t batch_size_for(const MemoryModel& model, const PlanOptions& options, std::int64_t room) {
  const std::int64_t wanted = std::min(model.sample_count, options.batch_size > 0 ? options.batch_size : kUsualBatch);
  if (options.batch_size > 0 || planning::fit(model, room, wanted).fits) return wanted;
  std::int64_t largest =
      planning::largest_batch(model, room, model.sample_count * model.packed_bytes(), /*staged=*/false);
  if (largest == 0) largest = planning::largest_batch(model, room, 0, /*staged=*/true);
  return largest == 0 ? wanted : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(largest)));
}

PlannedDevice on_device(const MemoryModel& model, const WellKnown& device, const PlanOptions& options,
                        const std::string& own_form, const std::vector<planning::EncodedSamples>& encodings) {
  PlannedDevice planned;
  planned.name = device.name;
  planned.memory_bytes = device.mebibytes << 20;
  const std::int64_t room = planned.memory_bytes - reserved_of(planned.memory_bytes, options.model);
  const std::int64_t batch_size = batch_size_for(model, options, room);
  const planning::MemoryFit found = planning::fit(model, room, batch_size);
  planned.residency = found.residency;
  planned.largest_batch = largest_in(model, found, room);
  const auto left = static_cast<double>(
      std::max<std::int64_t>(0, room - model.model_bytes() - batch_size * model.bytes_per_batch_sample(false)));
  for (const PlannedForm& form : forms_of(model, room, batch_size, own_form)) {
    const double share = std::min(1.0, left / static_cast<double>(form.sample_bytes));
    if (form.name == "float32") planned.float32_share = share;
    if (form.name == own_form) planned.packed_share = share;
  }
  for (const planning::EncodedSamples& encoded : encodings) {
    const auto all = static_cast<double>(model.sample_count * (encoded.row_bytes + model.label_bytes));
    planned.repacked_shares.push_back(std::min(1.0, left / all));
  }
  return planned;
}

}  // namespace

const char* to_string(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
      return "sgd";
    case Optimizer::momentum:
      return "momentum";
    case Optimizer::adam:
      return "adam";
  }
  return "?";
}

Optimizer parse_optimizer(std::string_view text) {
  for (const Optimizer one : {Optimizer::sgd, Optimizer::momentum, Optimizer::adam}) {
    if (text == to_string(one)) return one;
  }
  throw InvalidArgument("unknown optimizer \"" + std::string(text) + "\"; expected sgd, momentum or adam");
}

std::int64_t Plan::total_bytes() const {
  std::int64_t total = 0;
  for (const PlannedPart& part : parts) total += part.bytes;
  return total;
}

Plan plan(const Dataset& dataset, const PlanOptions& options) {
  const Split split = options.split.empty() ? dataset.training_split() : dataset.split(options.split);
  // Empty if memory_bytes describes a device that is not present; it is assumed to be a GPU.
  const std::optional<Device> device = options.memory_bytes > 0 ? std::nullopt : std::optional(chosen(options.device));
  const bool is_host = device && device->is_cpu();
  const MemoryModel model = planning::memory_model(split, options, is_host);
  const std::int64_t N = split.sample_count();
  const std::string form = form_of(split);

  Plan plan;
  plan.file = dataset.path().string();
  plan.split = split.name();
  plan.sample_count = N;
  plan.shape = split.shape();
  plan.packed_bytes = split.packed_bytes();
  plan.mask_bytes = N * model.mask_bytes;
  plan.compression = split.compression();
  plan.stored_bytes = split.stored_bytes();
  plan.stored_mask_bytes = split.stored_mask_bytes();
  plan.memory_bytes = device ? backend::make_backend(*device)->memory().free_bytes : options.memory_bytes;
  plan.device = device ? to_string(*device) : "a device of " + format_bytes(options.memory_bytes);
  plan.reserved_bytes = reserved_of(plan.memory_bytes, options.model);
  const std::int64_t room = plan.memory_bytes - plan.reserved_bytes;
  plan.batch_size = batch_size_for(model, options, room);

  const planning::MemoryFit found = planning::fit(model, room, plan.batch_size);
  const bool staged = !found.fits || found.residency != Residency::device;
  plan.fits = found.fits;
  plan.residency = found.residency;
  plan.resident_count = found.resident_count;
  plan.reason = reason_of(model, found, room);
  plan.prefetch = staged ? model.staged_prefetch : model.resident_prefetch;
  plan.parts = parts_of(model, found, plan.batch_size, split.labels(), form);
  plan.memory_limit_bytes =
      found.fits ? std::max<std::int64_t>(1, resident_bytes(split, model, found.resident_count)) : 0;
  // When samples are read from the file, the host keeps labels and checksums, a pinned copy of each packed batch for a
  // GPU, and a cache of inflated chunks.
  if (staged) {
    const std::int64_t kept_label_bytes =
        model.label_bytes <= dataset_file::kMostKeptLabelBytes ? model.label_bytes : 0;
    plan.host_bytes = N * (kept_label_bytes + 8) +
                      (is_host ? 0 : plan.batch_size * (1 + model.staged_prefetch) * model.staged_bytes());
    if (!dataset_file::codec_of(plan.compression).rows_stand_alone)
      plan.host_bytes += dataset_file::kMostCachedChunkBytes;
  }
  plan.forms = forms_of(model, room, plan.batch_size, form);
  plan.largest_batch = largest_in(model, found, room);
  plan.largest_power_of_two = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(plan.largest_batch)));
  plan.largest_streamed_batch =
      std::max(plan.forms.back().largest_batch, planning::largest_batch(model, room, 0, true));
  plan.rule_of_thumb_batch = plan.memory_bytes / 4 / (model.sample_values + options.model.parameter_count);
  const auto encodings = planning::encode_samples(split, options.estimated_samples);
  for (const auto& encoded : encodings) {
    plan.repacks.push_back(repack_of(model, encoded, split.data()->description().class_names, room, plan.batch_size));
  }
  for (const WellKnown& known : kWellKnown) {
    plan.well_known.push_back(on_device(model, known, options, form, encodings));
  }
  if (options.world_size > 1) plan.ranks = on_ranks(model, options.world_size, room, plan.batch_size);
  return plan;
}

}  // namespace octavo
