#include "training/feed.hpp"

#include <utility>

#include "comparisons/float32_server.hpp"
#include "comparisons/one_batch_server.hpp"
#include "comparisons/one_by_one_server.hpp"
#include "loader/packed_server.hpp"
#include "loader/replay.hpp"
#include "store/stored_samples.hpp"

namespace octavo::training {
namespace {

std::shared_ptr<loader::PackedServer> packed_server(const Store& store, const LoaderOptions& options) {
  return std::make_shared<loader::PackedServer>(store.samples(), options);
}

/// The load options, adapted to the form of the samples. `shuffled` is true for the training split.
LoadOptions load_options(const TrainOptions& options, bool shuffled) {
  const auto in = [&](Residency residency) {
    LoadOptions load = options.load;
    load.residency = residency;
    load.resident_count = -1;
    load.window_samples = 0;
    return load;
  };
  switch (options.form) {
    case SampleForm::float32:
    case SampleForm::one_batch:
      return in(Residency::device);
    case SampleForm::one_by_one:
      return in(Residency::streamed);
    case SampleForm::int8:
      break;
  }
  // Sample counts in the options are for the training split. The test split needs no windows.
  if (shuffled) return options.load;
  return in(options.load.residency == Residency::window ? Residency::automatic : options.load.residency);
}

}  // namespace

Feed::Feed(const Split& split, Device device, const TrainOptions& options, bool shuffled)
    : sample_count_(split.sample_count()), shape_(split.shape()) {
  const Store store = Store::load(split, device, load_options(options, shuffled));
  backend_ = store.samples()->backend;
  LoaderOptions drawn;
  drawn.batch_size = options.batch_size;
  drawn.shuffle = shuffled ? options.shuffle : Shuffle(false);
  drawn.seed = options.seed;
  drawn.spec = options.spec;
  if (!shuffled) drawn.spec.augment.clear();
  switch (options.form) {
    case SampleForm::int8:
      keep_packed(store, drawn);
      break;
    case SampleForm::float32:
      keep_float32(store, drawn);
      break;
    case SampleForm::one_batch:
      keep_one_batch(store, drawn);
      break;
    case SampleForm::one_by_one:
      loader_ = std::make_unique<Loader>(
          make_loader(std::make_shared<comparisons::OneByOneServer>(split, store.samples(), std::move(drawn))));
      break;
  }
}

std::string Feed::fingerprint(std::int64_t epoch) const {
  return loader::fingerprint(shape_, sample_count_, loader_->options(), epoch);
}

void Feed::keep_packed(const Store& store, const LoaderOptions& options) {
  sample_bytes_ = store.device_bytes();
  loader_ = std::make_unique<Loader>(store, options);
}

void Feed::keep_float32(const Store& store, const LoaderOptions& options) {
  auto server = std::make_shared<comparisons::Float32Server>(*packed_server(store, options));
  sample_bytes_ = server->resident_bytes();
  loader_ = std::make_unique<Loader>(make_loader(std::move(server)));
}

void Feed::keep_one_batch(const Store& store, const LoaderOptions& options) {
  sample_bytes_ = store.device_bytes();
  LoaderOptions without_prefetch = options;
  without_prefetch.prefetch = 0;  // one buffer, so one batch
  auto server = std::make_shared<comparisons::OneBatchServer>(packed_server(store, without_prefetch));
  loader_ = std::make_unique<Loader>(make_loader(std::move(server)));
}

}  // namespace octavo::training
