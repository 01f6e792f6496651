// What is to be trained: the splits and sizes that the options and the file name, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <octavo/dataset.hpp>
#include <octavo/train.hpp>

#include "training/model_layout.hpp"

namespace octavo::training {

struct TrainingTask {
  Device device;  ///< that the options name, or Device::best()
  Split train;
  std::optional<Split> test;
  ModelShape shape;
  std::int64_t largest_batch = 0;
  std::int64_t largest_split = 0;  ///< samples
};

/// Chooses the device and the splits, and checks them and the options; see train() for what is thrown.
TrainingTask make_task(const Dataset& dataset, const TrainOptions& options);

/// Bytes of the results of an epoch, a loss and a hit a sample.
inline std::int64_t result_bytes(const TrainingTask& task) { return task.largest_split * 8; }

/// One more than the largest label of `split`, or `named_count` if that is not 0. Throws FormatError, naming the
/// sample, for a label below 0 or not below `named_count`.
std::int64_t count_classes(const Split& split, std::int64_t named_count);

/// The same for labels in memory, the first of which is that of sample `first_row`.
std::int64_t count_classes(std::span<const std::int32_t> labels, std::int64_t first_row, std::int64_t named_count,
                           const std::string& split_name);

}  // namespace octavo::training
