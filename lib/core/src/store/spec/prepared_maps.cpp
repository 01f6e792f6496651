#include "store/spec/prepared_maps.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <octavo/batch_shape.hpp>
#include <octavo/errors.hpp>

#include "augment/augment_program.hpp"
#include "augment/mix_program.hpp"
#include "format/limits.hpp"
#include "kernels/augment/image_passes.hpp"
#include "support/hash.hpp"

namespace octavo::store {
namespace {

/// Bytes of the slots in which blocks make images and decode rows, unless one slot needs more.
constexpr std::int64_t kMostBlockMemory = 256 << 20;

/// Samples that are decoded at once: as many as fit in this share of the resident samples, so that the memory of
/// decoded samples hardly adds to that of compressed ones, but enough to use a device well. All samples of a batch that
/// are mixed must be decoded at once.
constexpr std::int64_t kDecodedShare = 8, kFewestDecoded = 256, kFewestDecodedMixed = 1024;
constexpr std::int64_t kLeastDecodedMemory = 4 << 20, kMostDecodedMemory = 64 << 20,
                       kMostDecodedMixedMemory = 256 << 20;

static_assert(dataset_file::kMostChannels <= kernels::kMostChannels);

template <typename T>
backend::DeviceBuffer to_device(const std::shared_ptr<backend::Backend>& backend, const std::vector<T>& numbers) {
  backend::DeviceBuffer buffer(backend, numbers.size() * sizeof(T), "the normalization of batches");
  if (!numbers.empty()) backend->copy_to_device(buffer.data(), numbers.data(), buffer.bytes(), {});
  return buffer;
}

void check_masks(const BatchSpec& spec, bool has_masks) {
  if (!info_of(spec.mask_dtype).for_masks) {
    throw InvalidArgument(std::string("make batches: masks cannot have the type ") + to_string(spec.mask_dtype) +
                          "; expected uint8 or int64");
  }
  if (spec.mask_dtype == DType::uint8 && (spec.ignored_mask_value < 0 || spec.ignored_mask_value > 255)) {
    throw InvalidArgument("make batches: the ignored mask value " + std::to_string(spec.ignored_mask_value) +
                          " is not a uint8; use 0 to 255, or masks of type int64");
  }
  if (has_masks && spec.with_masks && spec.mix) {
    throw InvalidArgument("make batches: samples with masks cannot be mixed; omit `mix` or the masks");
  }
}

std::uint64_t hash_of(const FoldedSpec& folded, const Statistics& statistics) {
  StreamingHash hash;
  hash.add(std::as_bytes(std::span(folded.maps)));
  hash.add(std::as_bytes(std::span(folded.divisors)));
  if (!folded.pixel_shifts.empty()) hash.add(std::as_bytes(std::span(statistics.mean_image)));
  return hash.value();
}

}  // namespace

PreparedMaps::PreparedMaps(std::shared_ptr<const StoredSamples> samples, const BatchSpec& spec)
    : samples_(std::move(samples)), spec_(spec), gathers_(samples_->backend) {
  check_masks(spec, samples_->has_masks);
  const FoldedSpec folded = fold_spec(spec, samples_->statistics, samples_->quantization, samples_->shape);
  const auto& backend = samples_->backend;
  numbers_hash_ = hash_of(folded, spec.statistics ? *spec.statistics : samples_->statistics);
  uniform_map_ = folded.maps.size() == 1;
  maps_ = to_device(backend, folded.maps);
  pixel_shifts_ = to_device(backend, folded.pixel_shifts);
  if (is_augmented(spec))
    prepare_augmentation();
  else
    allocate_block_memory(nullptr);
  if (folded.center_on_batch) {
    quantization_ = to_device(backend, folded.quantization);
    divisors_ = to_device(backend, folded.divisors);
    sums_ = to_device(backend, std::vector<std::int64_t>(folded.divisors.size()));
  }
}

void PreparedMaps::prepare_augmentation() {
  const kernels::AugmentProgram program = augment::make_program(spec_, samples_->shape);
  program_ = to_device(samples_->backend, std::vector{program});
  augment_.program = program_.as<kernels::AugmentProgram>();
  augment_.mix = augment::make_mix(spec_);
  augment_.soft_labels = augment::make_soft_labels(spec_, samples_->labels, samples_->class_names.size());
  augment_.demand = demand_of(program, augment_.mix.is_on);
  if (augment_.demand == kernels::AugmentDemand::resizing) augment_.resizing = stored_resizing(program);
  allocate_block_memory(&program);
}

void PreparedMaps::allocate_block_memory(const kernels::AugmentProgram* program) {
  const auto& backend = samples_->backend;
  if (backend->images_at_once() == 0) return;
  const kernels::PackedSamples samples = samples_->resident_samples();
  const bool makes_images = augment_.demand == kernels::AugmentDemand::images;
  std::int64_t bytes = std::max(kernels::decoded_bytes(samples.rows.coding, samples_->shape.values()),
                                kernels::decoded_bytes(samples.masks.coding, samples_->shape.values_per_channel()));
  if (program != nullptr && (bytes > 0 || makes_images)) {
    bytes += kernels::image_memory_bytes(*program, samples_->shape.channels);
    if (augment_.mix.is_on) bytes *= 2;
  }
  if (bytes == 0) return;
  block_memory_.slot_bytes = bytes;
  decoded_memory_.bytes = decoded_memory_bytes(samples.rows);
  // Without images, blocks use their slots only if samples are not decoded before.
  const std::int64_t slot_memory =
      makes_images || decoded_memory_.bytes == 0 ? kMostBlockMemory : decoded_memory_.bytes;
  block_memory_.slots = std::clamp<std::int64_t>(slot_memory / bytes, 1, backend->images_at_once());
  const std::int64_t slots_bytes = block_memory_.slots * bytes;
  slots_ = backend::DeviceBuffer(backend,
                                 static_cast<std::size_t>(makes_images ? decoded_memory_.bytes + slots_bytes
                                                                       : std::max(decoded_memory_.bytes, slots_bytes)),
                                 program != nullptr ? "the augmentation of batches" : "the decoding of batches");
  decoded_memory_.memory = slots_.as<std::byte>();
  block_memory_.memory = slots_.as<std::byte>() + (makes_images ? decoded_memory_.bytes : 0);
}

std::int64_t PreparedMaps::decoded_memory_bytes(const kernels::PackedRows& rows) const {
  if (kernels::is_in_place(rows.coding)) return 0;
  const bool mixes = augment_.mix.is_on;
  const auto bytes_of_samples = [&](std::int64_t count) {
    return kernels::DecodedParts(count, samples_->shape.values(), samples_->labels.width).bytes();
  };
  const std::int64_t each = bytes_of_samples(1);
  const std::int64_t share = rows.resident_count * rows.row_stride_bytes / kDecodedShare / each;
  const std::int64_t most = (mixes ? kMostDecodedMixedMemory : kMostDecodedMemory) / each;
  const std::int64_t fewest = std::max(kLeastDecodedMemory / each, mixes ? kFewestDecodedMixed : kFewestDecoded);
  const std::int64_t count = std::min(std::max(share, fewest), most);
  return bytes_of_samples(std::clamp<std::int64_t>(count, 1, std::max<std::int64_t>(1, samples_->sample_count)));
}

std::int64_t PreparedMaps::device_bytes() const {
  return static_cast<std::int64_t>(maps_.bytes() + program_.bytes() + slots_.bytes() + pixel_shifts_.bytes() +
                                   quantization_.bytes() + divisors_.bytes() + sums_.bytes());
}

void PreparedMaps::gather(const kernels::PackedSamples& samples, const kernels::RowSelection& selection,
                          std::int64_t batch_count, const BatchTarget& to, StreamRef stream,
                          std::int64_t batches) const {
  if (batch_count == 0) return;
  if (program_.data() != nullptr && selection.epoch > UINT32_MAX) {
    throw InvalidArgument("augment: epoch " + std::to_string(selection.epoch) + " is too large; epochs are below 2^32");
  }
  std::unique_lock<std::mutex> turn;
  if (sums_.data() != nullptr || slots_.data() != nullptr) {
    turn = std::unique_lock(serial_);
    gathers_.order_after(stream);
  }
  try {
    enqueue(samples, selection, batch_count, to, stream, batches);
  } catch (...) {
    gathers_.add(stream);  // some of the work may be enqueued
    throw;
  }
  gathers_.add(stream);
}

void PreparedMaps::enqueue(const kernels::PackedSamples& samples, const kernels::RowSelection& selection,
                           std::int64_t batch_count, const BatchTarget& to, StreamRef stream,
                           std::int64_t batches) const {
  if (sums_.data() != nullptr) make_batch_maps(samples.rows, selection, batch_count, stream);
  // Before the images, whose gather moves the cursor.
  if (to.masks != nullptr) gather_masks(samples.masks, selection, batch_count, to.masks, stream);
  kernels::GatherArgs args{};
  args.packed = samples.rows;
  args.set_shapes(samples_->shape, batch_shape(spec_, samples_->shape));
  args.selection = selection;
  args.batch_count = batch_count;
  args.maps = maps_.as<kernels::Affine>();
  args.uniform_map = uniform_map_;
  args.pixel_shifts = pixel_shifts_.as<float>();
  args.augment = augment_;
  args.augment.mixed_count = batch_count / batches;
  args.block_memory = block_memory_;
  args.decoded_memory = decoded_memory_;
  args.values = to.images;
  args.label_type = to.labels.type;
  args.out_labels = samples_->labels.width == 0 ? nullptr : to.labels.data;
  args.cursor_batches = selection.cursor == nullptr ? 0 : batches;
  samples_->backend->gather(args, stream);
}

void PreparedMaps::gather_masks(const kernels::PackedRows& masks, const kernels::RowSelection& selection,
                                std::int64_t batch_count, void* to, StreamRef stream) const {
  const auto size_of = [](const SampleShape& shape) {
    return kernels::ImageSize{static_cast<std::int32_t>(shape.height), static_cast<std::int32_t>(shape.width)};
  };
  const BatchShape batch = batch_shape(spec_, samples_->shape);
  samples_->backend->gather_masks({.packed = masks,
                                   .channels = samples_->shape.channels,
                                   .size = size_of(samples_->shape),
                                   .out_size = size_of(batch.image),
                                   .views = batch.views,
                                   .selection = selection,
                                   .batch_count = batch_count,
                                   .program = program_.as<kernels::AugmentProgram>(),
                                   .dtype = spec_.mask_dtype,
                                   .ignored = spec_.ignored_mask_value,
                                   .masks = to,
                                   .block_memory = block_memory_},
                                  stream);
}

void PreparedMaps::make_batch_maps(const kernels::PackedRows& rows, const kernels::RowSelection& selection,
                                   std::int64_t batch_count, StreamRef stream) const {
  samples_->backend->batch_mean({rows, samples_->shape.channels, samples_->shape.values_per_channel(), selection,
                                 batch_count, quantization_.as<kernels::Quantization>(), divisors_.as<double>(),
                                 sums_.as<std::int64_t>(), maps_.as<kernels::Affine>(), block_memory_},
                                stream);
}

}  // namespace octavo::store
