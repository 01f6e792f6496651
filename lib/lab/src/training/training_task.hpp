// The checked task of a training: the splits and sizes from the options and the file.
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
  Device device;  ///< from the options, or Device::best()
  Split train;
  std::optional<Split> test;
  ModelShape shape;
  std::int64_t largest_batch = 0;
  std::int64_t largest_split = 0;  ///< samples
};

/// Chooses the device and the splits, and checks them and the options. Throws as train() does.
TrainingTask make_task(const Dataset& dataset, const TrainOptions& options);

/// Bytes of the results of an epoch: one loss and one hit per sample.
inline std::int64_t result_bytes(const TrainingTask& task) { return task.largest_split * 8; }

/// One more than the largest label of `split`, or `named_count` if that is not 0. Throws FormatError, naming the
/// sample, for a label below 0 or not below `named_count`.
std::int64_t count_classes(const Split& split, std::int64_t named_count);

/// The same for labels in memory, starting at sample `first_row`.
std::int64_t count_classes(std::span<const std::int32_t> labels, std::int64_t first_row, std::int64_t named_count,
                           const std::string& split_name);

}  // namespace octavo::training
