#include "view/shown_samples.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include <octavo/batch_shape.hpp>
#include <octavo/errors.hpp>
#include <octavo/loader.hpp>
#include <octavo/store.hpp>

#include "backend/backend.hpp"
#include "kernels/affine.hpp"
#include "store/folded_spec.hpp"

namespace octavo::view {
namespace {

LoaderOptions loader_options(const ContactSheetOptions& options) {
  LoaderOptions made = options.loader;
  made.prefetch = 0;
  // The picture needs planes of float32; neither changes the batch's content.
  made.spec.dtype = DType::float32;
  made.spec.layout = Layout::nchw;
  made.spec.with_masks = made.spec.with_masks && !made.spec.mix;
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
  const store::FoldedSpec folded = store::fold_spec(spec, store.statistics(), store.shape());
  if (folded.center_on_batch) return mapped_linearly(values);
  const auto plane = static_cast<std::size_t>(shape.values_per_channel());
  const auto image = static_cast<std::size_t>(shape.values());
  std::vector<std::uint8_t> levels(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    kernels::Affine map = folded.maps[folded.maps.size() == 1 ? 0 : i % image / plane];
    if (!folded.pixel_shifts.empty()) map.shift = folded.pixel_shifts[i % image];
    levels[i] = level_of((static_cast<double>(values[i]) - map.shift) / map.scale + 128.0);
  }
  return levels;
}

}  // namespace

ShownSamples stored_samples(const Split& split, const ContactSheetOptions& options) {
  if (options.first < 0 || options.first >= split.sample_count()) {
    throw InvalidArgument("show samples from index " + std::to_string(options.first) + ": split " + split.name() +
                          " has " + std::to_string(split.sample_count()) + " samples, counted from 0; start at one");
  }
  ShownSamples shown;
  shown.shape = split.shape();
  shown.count = std::min(options.count, split.sample_count() - options.first);
  std::vector<std::int8_t> codes(static_cast<std::size_t>(shown.count * split.shape().values()));
  std::vector<std::byte> labels(static_cast<std::size_t>(shown.count * split.labels().bytes_per_sample()));
  split.read_checked(options.first, shown.count, codes, labels);
  shown.values.reserve(codes.size());
  for (const std::int8_t code : codes) shown.values.push_back(static_cast<std::uint8_t>(code ^ 0x80));
  return shown;
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
    backend::make_backend(store.device())
        ->copy_to_host(values.data(), batch.images().data, values.size() * sizeof(float), {});
    shown.values = before_normalization(values, loading.spec, store, shape.image);
    shown.values.resize(static_cast<std::size_t>(shown.count * shape.image.values()));
    return shown;
  }
  throw InvalidArgument("show a batch: the epoch has no batches; use a smaller batch size");
}

}  // namespace octavo::view
