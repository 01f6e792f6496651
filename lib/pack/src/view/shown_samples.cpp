#include "view/shown_samples.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include <octavo/errors.hpp>
#include <octavo/loader.hpp>
#include <octavo/store.hpp>

namespace octavo::view {
namespace {

LoaderOptions loader_options(const ContactSheetOptions& options) {
  LoaderOptions made;
  made.batch_size = options.batch_size;
  made.shuffle = options.shuffle;
  made.seed = options.seed;
  made.spec = options.spec;
  // The picture needs planes of float32; neither changes the batch's content.
  made.spec.dtype = DType::float32;
  made.spec.layout = Layout::nchw;
  return made;
}

/// Moves the loader to the requested batch. Throws InvalidArgument if it does not exist.
void go_to_batch(Loader& loader, const ContactSheetOptions& options) {
  if (options.epoch < 0) throw InvalidArgument("show a batch: the epoch is negative; epochs count from 0");
  if (*options.batch < 0 || *options.batch >= loader.batches_per_epoch()) {
    throw InvalidArgument("show batch " + std::to_string(*options.batch) + ": an epoch has " +
                          std::to_string(loader.batches_per_epoch()) + " batches of " +
                          std::to_string(options.batch_size) + " samples, counted from 0; choose one of them");
  }
  LoaderState state = loader.state();
  state.epoch = options.epoch;
  state.step = *options.batch;
  loader.restore(state);
}

std::vector<std::uint8_t> mapped_linearly(std::span<const float> values) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const float range = *greatest - *least;
  std::vector<std::uint8_t> mapped(values.size());
  for (std::size_t i = 0; range > 0 && i < values.size(); ++i) {
    mapped[i] = static_cast<std::uint8_t>(std::lround((values[i] - *least) / range * 255.0f));
  }
  return mapped;
}

}  // namespace

ShownSamples stored_samples(const Split& split, const ContactSheetOptions& options) {
  if (options.first < 0 || options.first >= split.sample_count()) {
    throw InvalidArgument("show samples from index " + std::to_string(options.first) + ": split " + split.name() +
                          " has " + std::to_string(split.sample_count()) + " samples, counted from 0; start at one");
  }
  ShownSamples shown;
  shown.count = std::min(options.count, split.sample_count() - options.first);
  std::vector<std::int8_t> codes(static_cast<std::size_t>(shown.count * split.shape().values()));
  std::vector<std::byte> labels(static_cast<std::size_t>(shown.count * split.labels().bytes_per_sample()));
  split.read_checked(options.first, shown.count, codes, labels);
  shown.values.reserve(codes.size());
  for (const std::int8_t code : codes) shown.values.push_back(static_cast<std::uint8_t>(code ^ 0x80));
  return shown;
}

ShownSamples batch_samples(const Split& split, const ContactSheetOptions& options) {
  // Streamed, so that one batch is read, not the whole split.
  const Store store = Store::load(split, Device::cpu(), {.residency = Residency::streamed});
  Loader loader(store, loader_options(options));
  go_to_batch(loader, options);
  for (const Batch& batch : loader.epoch(options.epoch)) {
    ShownSamples shown;
    shown.count = std::min(options.count, batch.size());
    shown.values = mapped_linearly(batch.images().floats());
    shown.values.resize(static_cast<std::size_t>(shown.count * split.shape().values()));
    return shown;
  }
  throw InvalidArgument("show a batch: the epoch has no batches; use a smaller batch size");
}

}  // namespace octavo::view
