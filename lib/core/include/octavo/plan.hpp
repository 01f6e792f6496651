// What fits: which residency, how large a batch, on a device that is here or on one that is not. Computed, not
// measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/compression.hpp>
#include <octavo/dataset.hpp>
#include <octavo/device.hpp>
#include <octavo/residency.hpp>
#include <octavo/tensor.hpp>

namespace octavo {

/// What an optimizer keeps beside the parameters and their gradients.
enum class Optimizer {
  sgd,       ///< nothing
  momentum,  ///< a float32 for each parameter
  adam,      ///< two
};
/// "sgd", "momentum" or "adam".
const char* to_string(Optimizer optimizer);
/// Throws InvalidArgument for anything else.
Optimizer parse_optimizer(std::string_view text);

/// A model as far as memory is concerned.
struct ModelMemory {
  std::int64_t parameter_count = 0;  ///< trainable ones; 0: the model is left out of the plan
  Optimizer optimizer = Optimizer::momentum;
  /// Parameters, gradients and optimizer state are float32; with mixed precision there is a half-size copy of the
  /// parameters beside them.
  bool mixed_precision = false;
  /// Bytes that are kept for the backward pass for each sample of a batch: what grows with the batch. 0: left out.
  std::int64_t activation_bytes_per_sample = 0;
};

struct PlanOptions {
  std::string split = {};             ///< empty: `train` if there is one, else the first
  std::optional<Device> device = {};  ///< the memory that is free there now; without one: Device::best()
  std::int64_t memory_bytes = 0;      ///< of a device that is not here, then `device` is not used; 0: of `device`
  ModelMemory model = {};
  DType dtype = DType::float32;  ///< of batches
  std::int64_t batch_size = 0;   ///< that must fit; 0: 256, all samples if they are fewer, or less if that must be
  int prefetch = -1;             ///< as of LoaderOptions
};

/// Bytes of the device, and what they are for.
struct PlannedPart {
  std::string name;
  std::int64_t bytes = 0;
};

/// One way to keep the samples, all of them on the device.
struct PlannedForm {
  std::string name;                ///< "float32", "float16" or "int8"
  std::int64_t sample_bytes = 0;   ///< all samples and labels
  std::int64_t total_bytes = 0;    ///< with everything else at the plan's batch_size
  bool fits = false;               ///< total_bytes do
  std::int64_t largest_batch = 0;  ///< 0: not even one sample a batch
};

/// The same split and model on a well-known device.
struct PlannedDevice {
  std::string name;
  std::int64_t memory_bytes = 0;
  Residency residency = Residency::device;  ///< if largest_batch is not 0
  std::int64_t largest_batch = 0;
  double float32_share = 0.0;  ///< of the samples that its memory holds as float32
  double int8_share = 0.0;     ///< as int8
};

/// What plan() has found.
struct Plan {
  std::string file;
  std::string split;
  std::int64_t sample_count = 0;
  SampleShape shape;
  std::int64_t packed_bytes = 0;  ///< of all samples, int8
  Compression compression = Compression::none;
  std::int64_t stored_bytes = 0;            ///< what they take in the file
  std::string device;                       ///< "cuda:0", or "a device of 24.0 GiB"
  std::int64_t memory_bytes = 0;            ///< free on the device, or given
  std::int64_t reserved_bytes = 0;          ///< of these, left alone: libraries, fragmentation, what was forgotten
  std::int64_t batch_size = 0;              ///< that the parts are for
  int prefetch = 0;                         ///< likewise
  bool fits = false;                        ///< with that batch size, in the residency below
  Residency residency = Residency::device;  ///< the first of device, hybrid and streamed that fits
  std::string reason;                       ///< why this one, in a sentence
  std::int64_t resident_count = 0;          ///< samples on the device
  std::int64_t memory_limit_bytes = 0;      ///< LoadOptions::memory_limit_bytes that makes it so
  std::vector<PlannedPart> parts;           ///< of the device
  std::int64_t host_bytes = 0;              ///< of host memory beside the device's
  std::vector<PlannedForm> forms;           ///< float32, float16, int8
  std::int64_t largest_batch = 0;           ///< in the residency; 0: not even one sample a batch
  std::int64_t largest_power_of_two = 0;    ///< at most largest_batch
  /// The largest batch of all, with samples read from the file as far as they leave no room; at most all samples.
  std::int64_t largest_streamed_batch = 0;
  /// The known rule: free bytes / 4 / (values of a sample + parameters). For comparison: it forgets the samples that
  /// stay, and counts the parameters once a sample and activations not at all.
  std::int64_t rule_of_thumb_batch = 0;
  std::vector<PlannedDevice> well_known;

  std::int64_t total_bytes() const;
};

/// Plans the memory of training on a split, from the file's header and the device's free memory alone; nothing is
/// loaded. Without a model, four fifths of the memory are for samples and a fifth for all else, as
/// Residency::automatic does.
/// Throws InvalidArgument for numbers that make no sense, or a split that is not there.
Plan plan(const Dataset& dataset, const PlanOptions& options = {});

/// The plan as tables for people.
std::string to_text(const Plan& plan);
/// The plan as one JSON document with every figure.
std::string to_json(const Plan& plan);

}  // namespace octavo
