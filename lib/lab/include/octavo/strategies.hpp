// The ways in which a batch can travel, side by side: measured on one file and one machine in one run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/device.hpp>
#include <octavo/progress.hpp>

namespace octavo {

struct StrategyOptions {
  std::string split = {};             ///< empty: `train` if there is one, else the first
  std::optional<Device> device = {};  ///< without one: Device::best()
  std::int64_t batch_size = 512;
  std::vector<std::int64_t> window_counts = {1, 10, 100};  ///< macro-batches: windows that the split is divided into;
                                                           ///< those that a batch does not fit are left out
  std::uint64_t seed = 0;
  int epochs = 3;                 ///< timed, by turns; the median counts
  std::int64_t train_epochs = 3;  ///< of the training view; 0: none
  ProgressFunction on_progress = {};
};

/// One way, measured over whole epochs.
struct StrategySpeed {
  std::string name;                ///< "SA", "SB", "IN", "hybrid": the classic names, and ours
  std::string form;                ///< "int8" or "float32": what travels
  std::string source;              ///< "device", "file", "device and file", "file, one by one", "host, copied" ...
  std::string order;               ///< "global", "blocks" or "windows:600"
  std::int64_t macro_samples = 0;  ///< of a window, else of the split
  std::int64_t micro_samples = 0;  ///< of a batch
  double seconds = 0.0;            ///< median, of an epoch
  double spread = 0.0;             ///< (longest - shortest) / median
  double images_per_second = 0.0;
  std::int64_t moved_bytes = 0;     ///< an epoch: read and written to make the batches; and what is brought for them
  std::int64_t resident_bytes = 0;  ///< on the device: samples and buffers
  std::uint64_t checksum = 0;       ///< XXH3-64 of all batches of epoch 0, images and labels, one after the other
  std::optional<double>
      train_seconds;  ///< median, of an epoch of the reference model (an mlp of 256 hidden units) fed this way
  std::optional<double> busy_share;  ///< of that epoch, the share in which the model computes: the time of an epoch
                                     ///< on a batch that is made once, over train_seconds; at most 1
};

struct StrategyComparison {
  std::string file;
  std::string split;
  std::string device;
  std::string device_name;
  std::int64_t sample_count = 0;
  std::string shape;
  std::optional<double> model_seconds;  ///< an epoch of the reference model alone
  std::vector<StrategySpeed> strategies;
};

/// Measures the strategies on the split: SA, all resident; SB, macro-batches of windows; IN, batch by batch; each as
/// int8 and, for comparison, as float32, with copied and with borrowed host memory. Ways of equal order serve equal
/// bits, which is checked before anything is timed; ways for which memory does not suffice are left out. The file is
/// read once before, so it comes from the page cache. Throws InvalidArgument for options that make no sense,
/// OutOfMemory if there is room for no way, Error if the ways do not serve equal bits, what Store::load throws.
StrategyComparison compare_strategies(const Dataset& dataset, const StrategyOptions& options = {});

}  // namespace octavo
