// Makes, checks and times every way to serve batches.
#include <octavo/strategies.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include <octavo/errors.hpp>
#include <octavo/loader.hpp>
#include <octavo/store.hpp>
#include <octavo/train.hpp>

#include "comparisons/float32_server.hpp"
#include "comparisons/float32_window_server.hpp"
#include "comparisons/one_by_one_server.hpp"
#include "measuring/timing.hpp"
#include "store/stored_samples.hpp"
#include "support/hash.hpp"
#include "training/trainer.hpp"

namespace octavo {
namespace {

/// Size of the reference model: large enough that a batch is real work, small enough that a slow loader shows.
constexpr std::int64_t kHiddenUnits = 256;

/// A loader that serves one way, and the bytes it keeps on the device in addition to its own buffers.
struct Served {
  Loader loader;
  std::int64_t sample_bytes = 0;
};

/// One way: its description, and how to make it.
struct Way {
  StrategySpeed description;
  std::function<Served()> make;
  std::optional<TrainOptions> training;  ///< how to train a model this way; empty: not measured
};

/// The samples of the split in host memory, as in a program that reads its data itself.
class HostCopy {
 public:
  explicit HostCopy(const Split& split)
      : split_(split),
        codes_(backend::make_backend(Device::cpu()), static_cast<std::size_t>(split.packed_bytes()), "all samples"),
        labels_(backend::make_backend(Device::cpu()),
                static_cast<std::size_t>(split.sample_count() * split.labels().bytes_per_sample()), "their labels") {
    split.read_checked(0, split.sample_count(), {codes_.as<std::int8_t>(), codes_.bytes()},
                       {labels_.as<std::byte>(), labels_.bytes()});
  }

  HostSamples samples(const Statistics& statistics) const {
    return {split_.shape(),
            split_.labels(),
            {codes_.as<std::int8_t>(), codes_.bytes()},
            {labels_.as<std::byte>(), labels_.bytes()},
            split_.class_names(),
            statistics};
  }

 private:
  Split split_;
  backend::DeviceBuffer codes_;
  backend::DeviceBuffer labels_;
};

/// All ways, whether or not the device has room for them.
class Ways {
 public:
  Ways(const Split& split, Device device, const StrategyOptions& options)
      : split_(split),
        device_(device),
        options_(options),
        N_(split.sample_count()),
        batch_size_(std::min(N_, options.batch_size)),
        host_(has_room_for_copies(split) ? std::make_unique<HostCopy>(split) : nullptr),
        statistics_(Store::load(split, device, {.residency = Residency::streamed}).statistics()) {}

  std::vector<Way> all() {
    add_resident();
    add_batch_by_batch();
    for (const std::int64_t count : options_.window_counts) {
      const std::int64_t window = (N_ - 1) / count + 1;
      if (window >= batch_size_) add_windows(window);
    }
    return std::move(ways_);
  }

 private:
  static bool has_room_for_copies(const Split& split) {
    return split.packed_bytes() <= backend::make_backend(Device::cpu())->memory().free_bytes / 8;
  }
  std::int64_t values() const { return split_.shape().values(); }
  std::int64_t label_bytes() const { return split_.labels().bytes_per_sample(); }

  LoaderOptions drawn(Shuffle shuffle) const {
    return {.batch_size = batch_size_, .shuffle = shuffle, .seed = options_.seed};
  }

  TrainOptions training(SampleForm form, LoadOptions load, Shuffle shuffle) const {
    TrainOptions training;
    training.hidden_units = kHiddenUnits;
    training.batch_size = batch_size_;
    training.seed = options_.seed;
    training.train_split = split_.name();
    training.device = device_;
    training.form = form;
    training.load = std::move(load);
    training.shuffle = shuffle;
    return training;
  }

  /// `bytes_per_value`: bytes read and written per value on the way from its storage into a batch.
  void add(const char* name, const char* form, const char* source, Shuffle shuffle, std::int64_t bytes_per_value,
           std::function<Served()> make, std::optional<TrainOptions> training = {}) {
    Way way;
    way.description.name = name;
    way.description.form = form;
    way.description.source = source;
    way.description.order = to_string(shuffle);
    way.description.macro_samples = shuffle.window_samples() > 0 ? shuffle.window_samples() : N_;
    way.description.micro_samples = batch_size_;
    way.description.moved_bytes = N_ * (values() * bytes_per_value + 2 * label_bytes());
    way.make = std::move(make);
    way.training = std::move(training);
    ways_.push_back(std::move(way));
  }

  Served from_store(const Store& store, Shuffle shuffle) const {
    return {Loader(store, drawn(shuffle)), store.device_bytes()};
  }
  Served from_file(LoadOptions load, Shuffle shuffle) const {
    return from_store(Store::load(split_, device_, load), shuffle);
  }
  Served from_host(HostMemory memory, LoadOptions load, Shuffle shuffle) const {
    return from_store(Store::load(host_->samples(statistics_), memory, device_, load), shuffle);
  }
  std::shared_ptr<const store::StoredSamples> stored(Residency residency) const {
    return Store::load(split_, device_, {.residency = residency}).samples();
  }

  void add_resident() {
    const LoadOptions device{.residency = Residency::device};
    add(
        "SA", "int8", "device", true, 5, [=, this] { return from_file(device, true); },
        training(SampleForm::int8, device, true));
    if (host_ && device_.is_cpu()) {
      add("SA", "int8", "host, borrowed", true, 5, [=, this] { return from_host(HostMemory::borrow, device, true); });
    }
    if (N_ * values() * 4 <= backend::make_backend(device_)->memory().free_bytes / 2) {
      add(
          "SA", "float32", "device", true, 8,
          [this] {
            auto server = std::make_shared<comparisons::Float32Server>(
                loader::PackedServer(stored(Residency::device), drawn(true)));
            const std::int64_t bytes = server->resident_bytes();
            return Served{make_loader(std::move(server)), bytes};
          },
          training(SampleForm::float32, {}, true));
    }
    add(
        "SA", "int8", "device", Shuffle::blocks(), 5, [=, this] { return from_file(device, Shuffle::blocks()); },
        training(SampleForm::int8, device, Shuffle::blocks()));
    const LoadOptions half{.residency = Residency::hybrid, .resident_count = N_ / 2};
    add(
        "hybrid", "int8", "device and file", true, 6, [=, this] { return from_file(half, true); },
        training(SampleForm::int8, half, true));
  }

  void add_batch_by_batch() {
    const LoadOptions streamed{.residency = Residency::streamed};
    add(
        "IN", "int8", "file", true, 7, [=, this] { return from_file(streamed, true); },
        training(SampleForm::int8, streamed, true));
    if (host_)
      add("IN", "int8", "host, copied", true, 7, [=, this] { return from_host(HostMemory::copy, streamed, true); });
    if (host_ && !device_.is_cpu()) {  // on the CPU borrowed samples are used in place, which is SA
      add("IN", "int8", "host, borrowed", true, 7, [=, this] { return from_host(HostMemory::borrow, streamed, true); });
    }
    add(
        "IN", "float32", "file, one by one", true, 15,
        [this] {
          return Served{make_loader(std::make_shared<comparisons::OneByOneServer>(split_, stored(Residency::streamed),
                                                                                  drawn(true))),
                        0};
        },
        training(SampleForm::one_by_one, {}, true));
  }

  void add_windows(std::int64_t window) {
    const LoadOptions load{.residency = Residency::window, .window_samples = window};
    const Shuffle order = Shuffle::windows(window);
    add(
        "SB", "int8", "file", order, 7, [=, this] { return from_file(load, order); },
        training(SampleForm::int8, load, order));
    if (host_)
      add("SB", "int8", "host, copied", order, 7, [=, this] { return from_host(HostMemory::copy, load, order); });
    if (host_)
      add("SB", "int8", "host, borrowed", order, device_.is_cpu() ? 5 : 7,
          [=, this] { return from_host(HostMemory::borrow, load, order); });
    add("SB", "float32", "file", order, 15, [=, this] {
      return Served{
          make_loader(std::make_shared<comparisons::Float32WindowServer>(stored(Residency::streamed), drawn(order))),
          0};
    });
  }

  Split split_;
  Device device_;
  const StrategyOptions& options_;
  std::int64_t N_;
  std::int64_t batch_size_;
  std::unique_ptr<HostCopy> host_;  ///< null if there is no room for it and for copies of it
  Statistics statistics_;
  std::vector<Way> ways_;
};

/// Hashes the batches of epoch 0, in order.
std::uint64_t checksum_of(Loader& loader) {
  StreamingHash hash;
  std::vector<std::byte> bytes;
  const auto add = [&](const TensorView& tensor) {
    if (tensor.data == nullptr) return;
    bytes.resize(static_cast<std::size_t>(tensor.byte_count()));
    backend::make_backend(tensor.device)->copy_to_host(bytes.data(), tensor.data, bytes.size(), {});
    hash.add(bytes);
  };
  for (const Batch& batch : loader.epoch(0)) {
    add(batch.images());
    add(batch.labels());
  }
  return hash.value();
}

double epoch_seconds(Loader& loader, Device device, std::int64_t epoch) {
  const auto backend = backend::make_backend(device);
  return measuring::seconds_of([&] {
    for (const Batch& batch : loader.epoch(epoch)) static_cast<void>(batch);
    backend->synchronize({});
  });
}

class Progressing {
 public:
  Progressing(std::string stage, std::size_t total, const ProgressFunction& report)
      : stage_(std::move(stage)), total_(static_cast<std::int64_t>(total)), report_(report) {}
  void step() {
    if (report_) report_({stage_, ++done_, total_, 0, 0});
  }

 private:
  std::string stage_;
  std::int64_t done_ = 0;
  std::int64_t total_;
  const ProgressFunction& report_;
};

/// Skips the ways that do not fit in memory.
void check_served(std::vector<Way>& ways, const StrategyOptions& options) {
  Progressing progress("checking strategies", ways.size(), options.on_progress);
  std::map<std::string, const StrategySpeed*> first_of_order;
  std::vector<Way> possible;
  possible.reserve(ways.size());  // so that pointers into it stay valid
  for (Way& one : ways) {
    progress.step();
    try {
      Served served = one.make();
      one.description.checksum = checksum_of(served.loader);
      one.description.resident_bytes = served.sample_bytes + served.loader.device_bytes();
    } catch (const OutOfMemory&) {
      continue;
    }
    const Way& way = possible.emplace_back(std::move(one));
    const StrategySpeed*& first = first_of_order[way.description.order];
    if (first == nullptr) first = &way.description;
    if (first->checksum != way.description.checksum) {
      throw Error("compare strategies: " + way.description.name + " " + way.description.form + " from " +
                  way.description.source + " serves other batches than " + first->name + " " + first->form + " from " +
                  first->source + "; please report this");
    }
  }
  if (possible.empty()) {
    throw OutOfMemory("compare strategies: no strategy fits in memory; use smaller batches, or free some memory");
  }
  ways = std::move(possible);
}

void time_serving(std::vector<Way>& ways, Device device, const StrategyOptions& options, std::int64_t sample_count) {
  std::vector<std::vector<double>> seconds(ways.size());
  Progressing progress("timing strategies", ways.size() * static_cast<std::size_t>(options.epochs),
                       options.on_progress);
  // Alternate between the ways, so that slow drifts of the machine affect all of them.
  for (int round = 0; round < options.epochs; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      Served served = ways[i].make();
      static_cast<void>(epoch_seconds(served.loader, device, 0));  // touch its memory
      seconds[i].push_back(epoch_seconds(served.loader, device, round + 1));
      progress.step();
    }
  }
  for (std::size_t i = 0; i < ways.size(); ++i) {
    StrategySpeed& speed = ways[i].description;
    const auto [shortest, longest] = std::minmax_element(seconds[i].begin(), seconds[i].end());
    speed.seconds = measuring::quantile(seconds[i], 0.5);
    speed.spread = (*longest - *shortest) / speed.seconds;
    speed.images_per_second = static_cast<double>(sample_count) / speed.seconds;
  }
}

/// Median seconds per epoch of each training, alternating, after one epoch that is not counted.
std::vector<double> training_seconds(const Dataset& dataset, const std::vector<TrainOptions>& trainings,
                                     const StrategyOptions& options) {
  std::vector<std::vector<double>> seconds(trainings.size());
  Progressing progress("training", trainings.size() * static_cast<std::size_t>(options.train_epochs),
                       options.on_progress);
  for (std::int64_t round = 0; round < options.train_epochs; ++round) {
    for (std::size_t i = 0; i < trainings.size(); ++i) {
      TrainOptions training = trainings[i];
      training.epochs = 2;
      training::TrainingTask task = training::make_task(dataset, training);
      task.test.reset();
      training::Trainer trainer(task, training);
      static_cast<void>(trainer.run_epoch(0));
      seconds[i].push_back(trainer.run_epoch(1).seconds);
      progress.step();
    }
  }
  std::vector<double> medians;
  for (const auto& one : seconds) medians.push_back(measuring::quantile(one, 0.5));
  return medians;
}

void time_training(const Dataset& dataset, std::vector<Way>& ways, const StrategyOptions& options,
                   StrategyComparison& comparison) {
  std::vector<TrainOptions> trainings;
  std::vector<Way*> trained;
  for (Way& way : ways) {
    if (!way.training) continue;
    trainings.push_back(*way.training);
    trained.push_back(&way);
  }
  TrainOptions alone = trainings.front();
  alone.form = SampleForm::one_batch;
  alone.load = {};
  trainings.push_back(alone);
  const std::vector<double> seconds = training_seconds(dataset, trainings, options);
  comparison.model_seconds = seconds.back();
  for (std::size_t i = 0; i < trained.size(); ++i) {
    trained[i]->description.train_seconds = seconds[i];
    trained[i]->description.busy_share = std::min(1.0, seconds.back() / seconds[i]);
  }
}

void check_options(const StrategyOptions& options) {
  const auto refuse = [](const std::string& why) { throw InvalidArgument("compare strategies: " + why); };
  if (options.batch_size < 1) refuse("batch_size is " + std::to_string(options.batch_size) + "; it must be at least 1");
  if (options.epochs < 1) refuse("epochs is " + std::to_string(options.epochs) + "; it must be at least 1");
  for (const std::int64_t count : options.window_counts) {
    if (count < 1) refuse("the split cannot be divided into " + std::to_string(count) + " windows; use at least 1");
  }
}

}  // namespace

StrategyComparison compare_strategies(const Dataset& dataset, const StrategyOptions& options) {
  check_options(options);
  const Split split = options.split.empty() ? dataset.training_split() : dataset.split(options.split);
  const Device device = chosen(options.device);
  StrategyComparison comparison;
  comparison.file = dataset.path().string();
  comparison.split = split.name();
  comparison.device = to_string(device);
  comparison.device_name = device_name(device);
  comparison.sample_count = split.sample_count();
  comparison.shape = to_string(split.shape());

  Ways source(split, device, options);
  std::vector<Way> ways = source.all();
  check_served(ways, options);
  time_serving(ways, device, options, split.sample_count());
  // The cost of loading is relative to a model that is fed one batch, which requires the samples on the device.
  const bool is_resident = std::any_of(ways.begin(), ways.end(), [](const Way& way) {
    return way.description.name == std::string("SA") && way.description.source == "device";
  });
  const bool has_classes = split.labels().kind == LabelKind::class_index;
  if (options.train_epochs > 0 && has_classes && is_resident) time_training(dataset, ways, options, comparison);
  for (Way& way : ways) comparison.strategies.push_back(std::move(way.description));
  return comparison;
}

}  // namespace octavo
