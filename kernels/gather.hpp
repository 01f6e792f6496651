// The fused gather: reads packed rows, writes dequantized, centered and scaled values, and labels.
//
// Four stages make a value: load (stages/load.hpp) gives the codes of a sample, place decides which of them it is,
// transform computes a float32 value from it, store rounds that to the output type. gathered_value() is the definition.
// The kernels of both backends fuse the stages, with fast paths for plain rows, identity placement and the affine
// transform.
#pragma once

#include <cstdint>

#include <octavo/shapes.hpp>

#include "kernels/augment/augmented_image.hpp"
#include "kernels/augment/mixing.hpp"
#include "kernels/augment/resized_image.hpp"
#include "kernels/block_memory.hpp"
#include "kernels/host_device.hpp"
#include "kernels/image_part.hpp"
#include "kernels/labels.hpp"
#include "kernels/packed_rows.hpp"
#include "kernels/row_selection.hpp"
#include "kernels/stages/load.hpp"
#include "kernels/stages/place.hpp"
#include "kernels/stages/store.hpp"
#include "kernels/stages/transform.hpp"

namespace octavo::kernels {

/// The largest number of channels that a gather supports.
inline constexpr std::int64_t kMostChannels = 4096;

/// What an augmentation adds to the arguments of a gather. Borrowed pointers, in memory of the device that runs it.
struct AugmentArgs {
  const AugmentProgram* program = nullptr;       ///< null: no augmentation; the other members keep their defaults
  AugmentDemand demand = AugmentDemand::pixels;  ///< of the program
  StoredResizing resizing = {};                  ///< of a program of AugmentDemand::resizing
  MixProgram mix = {};
  SoftLabels soft_labels = {};   ///< replace label_type: out_labels is float [B, width]
  std::int64_t mixed_count = 0;  ///< positions of each of the batches that are mixed
};

/// The arguments of a gather. Borrowed pointers, in memory of the device that runs it.
struct GatherArgs {
  PackedRows packed;          ///< N rows
  SampleShape sample;         ///< C, H, W of a packed sample; C is at most kMostChannels
  BatchShape batch;           ///< of the output; its dtype is a float type; without an augmentation, its image is
                              ///< `sample`, and it has one view
  std::int64_t pixels;        ///< P = H*W, in advance, because every kernel needs it
  RowSelection selection;     ///< which rows; selection.row_count is N
  std::int64_t batch_count;   ///< B
  const Affine* maps;         ///< [C], or [1] if uniform_map
  bool uniform_map;           ///< all channels share maps[0]
  const float* pixel_shifts;  ///< C*P, in output order, replaces the maps' shift; or null
  void* values;               ///< [B, batch.values()] of batch.dtype, rounded from float32 to nearest, ties to even
  LabelType label_type;       ///< type of the written labels
  void* out_labels;           ///< [B,label_words] of label_type, or null
  /// Number of batches by which selection.cursor advances after the whole batch, which is not empty: at most
  /// batches_per_epoch; 0: it does not advance.
  std::int64_t cursor_batches;
  AugmentArgs augment;
  BlockMemory block_memory;      ///< on a CUDA device, for rows that are decoded and for AugmentDemand::images
  DecodedMemory decoded_memory;  ///< on a CUDA device, for rows that are decoded; may be part of block_memory, unless
                                 ///< that is also for images
  const ImagePart* needed_parts = nullptr;  ///< [B] of rows that are only decoded: what of each; null: all of it

  /// Sets sample, batch and pixels for images that keep their shape.
  void set_shapes(const SampleShape& shape, DType dtype, Layout layout) {
    set_shapes(shape, {.image = shape, .dtype = dtype, .layout = layout});
  }
  void set_shapes(const SampleShape& from, const BatchShape& to) {
    sample = from;
    batch = to;
    pixels = from.values_per_channel();
  }
};

/// Whether the values of an output image are in the order of its codes.
OCTAVO_HOST_DEVICE inline bool keeps_order(const GatherArgs& args) {
  return args.batch.layout == Layout::nchw || args.sample.channels == 1;
}

/// The stages of a gather after the first one, which gives `codes` to gathered_value().
template <typename Placement, typename Transform>
struct Stages {
  Placement place;
  Transform transform;
};
using PlainStages = Stages<IdentityPlacement, AffineTransform>;

OCTAVO_HOST_DEVICE inline PlainStages plain_stages(const GatherArgs& args) {
  return {IdentityPlacement(args.batch.layout, args.sample.channels, args.pixels),
          AffineTransform(args.maps, args.uniform_map, args.pixel_shifts)};
}

/// Value `out_index` of an output image of `sample`, whose codes are `codes`, before it is stored.
template <typename Stages, typename Codes>
OCTAVO_HOST_DEVICE inline float gathered_value(const Stages& stages, const Codes& codes, const SelectedSample& sample,
                                               std::int64_t out_index) {
  const PlacedCode placed = stages.place.code(codes, sample, out_index);
  return stages.transform.value(sample, placed.code, placed.channel, out_index);
}

template <typename Filters>
using DrawnStages = Stages<DrawnPlacement<Filters>, DrawnTransform>;

/// The stages of an augmented gather of `args`, for `steps` of an image that draw_image() made. Borrows all arguments.
template <typename Filters>
OCTAVO_HOST_DEVICE inline DrawnStages<Filters> drawn_stages(const GatherArgs& args, const DrawnImage& image,
                                                            StepRange steps, const Filters& filters) {
  const OutputPixels pixels(args.batch.layout, args.batch.image);
  return {DrawnPlacement<Filters>(*args.augment.program, image, steps, pixels, filters),
          DrawnTransform(*args.augment.program, image, pixels, args.maps, args.uniform_map)};
}

/// The key of the random numbers that view `view` of `sample` uses.
OCTAVO_HOST_DEVICE inline DrawKey draw_key(const GatherArgs& args, const SelectedSample& sample, std::uint32_t view) {
  return {args.augment.program->seed, sample.epoch, sample.index, view};
}
/// Draws all steps of view `view` of `sample`.
inline void draw_image(const GatherArgs& args, const SelectedSample& sample, std::uint32_t view, DrawnImage& image) {
  const DrawKey key = draw_key(args, sample, view);
  for (int i = 0; i < args.augment.program->op_count; ++i)
    draw_step(*args.augment.program, args.sample.channels, key, i, image);
}

/// A sample, the one that it is mixed with, and how. Without mixing, both are the same.
struct MixedSample {
  SelectedSample sample, partner;
  MixStep step;
};

OCTAVO_HOST_DEVICE inline MixedSample unmixed(const SelectedSample& sample) {
  return {sample, sample, {MixKind::none, 1.0f, 0.0f, 0, 0, 0, 0}};
}

/// The sample at position `b` of the batch, and its partner.
OCTAVO_HOST_DEVICE inline MixedSample mixed_sample_at(const GatherArgs& args, std::int64_t b) {
  MixedSample mixed = unmixed(sample_at(args.selection, b));
  if (!args.augment.mix.is_on) return mixed;
  const std::int64_t first = b / args.augment.mixed_count * args.augment.mixed_count;
  const std::int64_t rest = args.batch_count - first;
  const std::int64_t count = rest < args.augment.mixed_count ? rest : args.augment.mixed_count;
  const SelectedSample drawing = first == b ? mixed.sample : sample_at(args.selection, first);
  const DrawKey key = {args.augment.mix.seed, drawing.epoch, drawing.index, 0};
  const DrawKey own_key = {args.augment.mix.seed, mixed.sample.epoch, mixed.sample.index, 0};
  const ImageSize size = {static_cast<std::int32_t>(args.batch.image.height),
                          static_cast<std::int32_t>(args.batch.image.width)};
  mixed.step = draw_mix(args.augment.mix, args.augment.mix.is_per_sample ? own_key : key, size);
  if (mixed.step.kind == MixKind::none) return mixed;
  mixed.partner = sample_at(args.selection, first + mix_partner(args.augment.mix, key, b - first, count));
  return mixed;
}

/// Writes number `k` of the soft label of the sample at position `b` of the batch.
OCTAVO_HOST_DEVICE inline void write_soft_label(const GatherArgs& args, const MixedSample& mixed, std::int64_t b,
                                                std::int64_t k) {
  const auto class_of = [&](std::int64_t row) { return static_cast<std::int32_t>(*label_of(args.packed, row)); };
  static_cast<float*>(args.out_labels)[b * args.augment.soft_labels.width() + k] = soft_label_number(
      args.augment.soft_labels, mixed.step, k, class_of(mixed.sample.row), class_of(mixed.partner.row));
}

/// Numbers of the label of a sample in the batch.
OCTAVO_HOST_DEVICE inline std::int64_t label_width(const GatherArgs& args) {
  return args.augment.soft_labels.width() > 0 ? args.augment.soft_labels.width() : args.packed.label_words;
}

/// Copies a word of the label of `row` to position `b` of the batch.
OCTAVO_HOST_DEVICE inline void copy_label_word(const GatherArgs& args, std::int64_t row, std::int64_t b,
                                               std::int64_t word) {
  write_label(args.label_type, label_of(args.packed, row)[word], args.out_labels, b * args.packed.label_words + word);
}

/// Writes number `i` of the label of the sample at position `b` of the batch.
OCTAVO_HOST_DEVICE inline void write_label_number(const GatherArgs& args, const MixedSample& mixed, std::int64_t b,
                                                  std::int64_t i) {
  if (args.augment.soft_labels.width() > 0)
    write_soft_label(args, mixed, b, i);
  else
    copy_label_word(args, mixed.sample.row, b, i);
}

}  // namespace octavo::kernels
