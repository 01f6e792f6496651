#include "view/shown_samples.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include <octavo/batch_maker.hpp>
#include <octavo/batch_shape.hpp>
#include <octavo/errors.hpp>
#include <octavo/loader.hpp>
#include <octavo/owned_tensor.hpp>
#include <octavo/store.hpp>

namespace octavo::view {
namespace {

LoaderOptions loader_options(const ContactSheetOptions& options) {
  LoaderOptions made = options.loader;
  made.prefetch = 0;
  // The picture needs planes of float32. None of these changes the images.
  made.spec.dtype = DType::float32;
  made.spec.layout = Layout::nchw;
  made.spec.with_masks = made.spec.with_masks && options.masks && !made.spec.mix;
  made.spec.mask_dtype = DType::uint8;
  made.spec.ignored_mask_value = kIgnoredMaskValue;
  if (!made.spec.mix) {  // class numbers as labels, for the captions
    made.spec.soft_classes = 0;
    made.spec.label_smoothing = 0.0;
  }
  return made;
}

/// Moves the loader to the requested batch. Throws InvalidArgument if it does not exist.
void go_to_batch(Loader& loader, const ContactSheetOptions& options) {
  if (options.epoch < 0) throw InvalidArgument("show a batch: the epoch is negative; epochs count from 0");
  if (*options.batch < 0 || *options.batch >= loader.batches_per_epoch(options.epoch)) {
    throw InvalidArgument("show batch " + std::to_string(*options.batch) + ": an epoch has " +
                          std::to_string(loader.batches_per_epoch(options.epoch)) + " batches of " +
                          std::to_string(options.loader.batch_size) + " samples, counted from 0; choose one of them");
  }
  LoaderState state = loader.state();
  state.epoch = options.epoch;
  state.step = *options.batch;
  loader.restore(state);
}

std::uint8_t level_of(double level) { return static_cast<std::uint8_t>(std::lround(std::clamp(level, 0.0, 255.0))); }

std::vector<std::uint8_t> mapped_linearly(std::span<const float> values) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const float range = *greatest - *least;
  std::vector<std::uint8_t> mapped(values.size());
  for (std::size_t i = 0; range > 0 && i < values.size(); ++i) {
    mapped[i] = level_of((values[i] - *least) / range * 255.0f);
  }
  return mapped;
}

/// The values before the normalization with `spec`; `values` are images of `shape`.
std::vector<std::uint8_t> before_normalization(std::span<const float> values, const BatchSpec& spec, const Store& store,
                                               const SampleShape& shape) {
  const std::optional<ValueMaps> maps = store.value_maps(spec);
  if (!maps) return mapped_linearly(values);
  const auto plane = static_cast<std::size_t>(shape.values_per_channel());
  const auto image = static_cast<std::size_t>(shape.values());
  std::vector<std::uint8_t> levels(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t channel = i % image / plane;
    const float shift = maps->shifts[maps->shifts.size() == maps->scales.size() ? channel : i % image];
    levels[i] = level_of((static_cast<double>(values[i]) - shift) / maps->scales[channel] + 128.0);
  }
  return levels;
}

/// Reads samples, those with consecutive indices in one step. `masks` may be empty.
void read_samples(const Split& split, const std::vector<std::int64_t>& indices, std::span<std::int8_t> codes,
                  std::span<std::byte> labels, std::span<std::uint8_t> masks) {
  const std::size_t mask_values = masks.size() / indices.size();
  const auto values = static_cast<std::size_t>(split.shape().values());
  const auto label_bytes = static_cast<std::size_t>(split.labels().bytes_per_sample());
  for (std::size_t first = 0, count = 0; first < indices.size(); first += count) {
    count = 1;
    while (first + count < indices.size() && indices[first + count] == indices[first + count - 1] + 1) ++count;
    split.read_checked(indices[first], static_cast<std::int64_t>(count), codes.subspan(first * values, count * values),
                       labels.subspan(first * label_bytes, count * label_bytes),
                       masks.subspan(first * mask_values, count * mask_values));
  }
}

/// The captions of the first samples of a batch, once for each of their views.
std::vector<Caption> batch_captions(const Store& store, const LoaderOptions& loading,
                                    const ContactSheetOptions& options, const Batch& batch) {
  std::vector<std::int32_t> labels(static_cast<std::size_t>(batch.labels().element_count()));
  copy_to_host(batch.labels(), std::as_writable_bytes(std::span(labels)));
  const BatchMaker maker(store, loading);
  const std::vector<Caption> of_samples =
      captions_of(maker.indices(options.epoch, *options.batch), labels, store.class_names());
  std::vector<Caption> captions;
  for (const Caption& caption : of_samples) {
    captions.insert(captions.end(), static_cast<std::size_t>(loading.spec.views), caption);
  }
  return captions;
}

}  // namespace

bool has_captions(const Split& split, const ContactSheetOptions& options) {
  const LabelKind kind = split.labels().kind;
  if (!options.captions || kind == LabelKind::none) return false;
  return kind == LabelKind::target || !split.class_names().empty();
}

ShownSamples stored_samples(const Split& split, const std::vector<std::int64_t>& indices,
                            const ContactSheetOptions& options) {
  ShownSamples shown;
  shown.shape = split.shape();
  shown.count = std::ssize(indices);
  std::vector<std::int8_t> codes(indices.size() * static_cast<std::size_t>(split.shape().values()));
  std::vector<std::byte> labels(indices.size() * static_cast<std::size_t>(split.labels().bytes_per_sample()));
  if (options.masks && split.has_masks()) {
    shown.masks.resize(indices.size() * static_cast<std::size_t>(split.shape().values_per_channel()));
  }
  read_samples(split, indices, codes, labels, shown.masks);
  shown.values.reserve(codes.size());
  for (const std::int8_t code : codes) shown.values.push_back(static_cast<std::uint8_t>(code ^ 0x80));
  if (!has_captions(split, options)) return shown;
  for (const std::int64_t index : indices) shown.captions.push_back({label_text(split, index), index});
  return shown;
}

bool has_captions(const Store& store, const ContactSheetOptions& options) {
  return options.captions && store.labels().kind == LabelKind::class_index && !store.class_names().empty() &&
         !options.loader.spec.mix;
}

ShownSamples batch_samples(const Store& store, const ContactSheetOptions& options) {
  const LoaderOptions loading = loader_options(options);
  Loader loader(store, loading);
  go_to_batch(loader, options);
  for (const Batch& batch : loader.epoch(options.epoch)) {
    ShownSamples shown;
    const BatchShape shape = batch_shape(loading.spec, store.shape());
    shown.shape = shape.image;
    shown.count = std::min(options.count, batch.size()) * shape.views;
    std::vector<float> values(static_cast<std::size_t>(batch.images().element_count()));
    copy_to_host(batch.images(), std::as_writable_bytes(std::span(values)));
    shown.values = before_normalization(values, loading.spec, store, shape.image);
    shown.values.resize(static_cast<std::size_t>(shown.count * shape.image.values()));
    if (loading.spec.with_masks && store.has_masks()) {
      shown.masks.resize(static_cast<std::size_t>(batch.masks().element_count()));
      copy_to_host(batch.masks(), std::as_writable_bytes(std::span(shown.masks)));
      shown.masks.resize(static_cast<std::size_t>(shown.count * shape.image.values_per_channel()));
    }
    if (has_captions(store, options)) {
      shown.captions = batch_captions(store, loading, options, batch);
      shown.captions.resize(static_cast<std::size_t>(shown.count));
    }
    return shown;
  }
  throw InvalidArgument("show a batch: the epoch has no batches; use a smaller batch size");
}

}  // namespace octavo::view
