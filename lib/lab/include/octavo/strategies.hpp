// Compares ways to serve batches, measured on one file and one machine in one run.
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
  std::string split = {};             ///< empty: `train` if it exists, else the first split
  std::optional<Device> device = {};  ///< empty: Device::best()
  std::int64_t batch_size = 512;
  std::vector<std::int64_t> window_counts = {1, 10, 100};  ///< numbers of windows to divide the split into; those with
                                                           ///< windows smaller than a batch are skipped
  std::uint64_t seed = 0;
  int epochs = 3;                 ///< timed epochs per strategy, alternating between strategies; the median counts
  std::int64_t train_epochs = 3;  ///< training epochs per strategy; 0: do not measure training
  ProgressFunction on_progress = {};
};

/// One strategy, measured over whole epochs.
struct StrategySpeed {
  std::string name;                ///< "SA" (all resident), "SB" (windows), "IN" (batch by batch) or "hybrid"
  std::string form;                ///< "int8" or "float32": the form of the samples
  std::string source;              ///< "device", "file", "device and file", "file, one by one", "host, copied" ...
  std::string order;               ///< "global", "blocks" or "windows:600"
  std::int64_t macro_samples = 0;  ///< of a window, else of the split
  std::int64_t micro_samples = 0;  ///< of a batch
  double seconds = 0.0;            ///< median, of an epoch
  double spread = 0.0;             ///< (longest - shortest) / median
  double images_per_second = 0.0;
  std::int64_t moved_bytes = 0;     ///< per epoch: read and written to make the batches and to load their samples
  std::int64_t resident_bytes = 0;  ///< on the device: samples and buffers
  std::uint64_t checksum = 0;       ///< XXH3-64 of all batches of epoch 0, images and labels, in order
  std::optional<double>
      train_seconds;  ///< median, of an epoch of the reference model (an MLP with 256 hidden units) fed this way
  std::optional<double> busy_share;  ///< the fraction of that epoch in which the model computes: the time of an epoch
                                     ///< on one fixed batch, over train_seconds; at most 1
};

struct StrategyComparison {
  std::string file;
  std::string split;
  std::string device;
  std::string device_name;
  std::int64_t sample_count = 0;
  std::string shape;
  std::optional<double> model_seconds;  ///< an epoch of the reference model without loading
  std::vector<StrategySpeed> strategies;
};

/// Measures the strategies on the split: SA, all resident; SB, windows; IN, batch by batch; each as int8 and, for
/// comparison, as float32, from the file and from copied or borrowed host memory. Strategies with the same order serve
/// the same bits; this is checked before anything is timed. Strategies that do not fit in memory are skipped. The file
/// is read once before, so it is in the page cache. Throws InvalidArgument for invalid options, OutOfMemory if no
/// strategy fits in memory, Error if strategies serve different bits, and whatever Store::load throws.
StrategyComparison compare_strategies(const Dataset& dataset, const StrategyOptions& options = {});

}  // namespace octavo
