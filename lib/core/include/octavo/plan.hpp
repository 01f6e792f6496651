// Plans memory: which residency and what batch size fit on a device, which need not be present. Computed, not measured.
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

/// Optimizer, by the state it keeps in addition to parameters and gradients.
enum class Optimizer {
  sgd,       ///< no state
  momentum,  ///< one float32 per parameter
  adam,      ///< two float32 per parameter
};
/// "sgd", "momentum" or "adam".
const char* to_string(Optimizer optimizer);
/// Parses what to_string() returns. Throws InvalidArgument for anything else.
Optimizer parse_optimizer(std::string_view text);

/// The memory use of a model.
struct ModelMemory {
  std::int64_t parameter_count = 0;  ///< trainable parameters; 0 leaves the model out of the plan
  Optimizer optimizer = Optimizer::momentum;
  /// Adds a half-precision copy of the parameters. Parameters, gradients and optimizer state are float32 either way.
  bool mixed_precision = false;
  /// Bytes kept for the backward pass per sample of a batch. 0 leaves them out.
  std::int64_t activation_bytes_per_sample = 0;
};

struct PlanOptions {
  std::string split = {};             ///< empty: `train` if it exists, else the first split
  std::optional<Device> device = {};  ///< plan with the memory that is free there now; empty: Device::best()
  std::int64_t memory_bytes = 0;      ///< plan for a device with this much memory instead of `device`; 0: use `device`
  ModelMemory model = {};
  DType dtype = DType::float32;  ///< element type of batches
  std::int64_t batch_size = 0;   ///< must fit; 0: 256, or all samples if there are fewer, or less if 256 does not fit
  int prefetch = -1;             ///< as in LoaderOptions
  std::int64_t world_size = 1;   ///< devices of this kind that train together, on batches of `batch_size` in all
  /// Encode up to this many samples, of at most 64 MiB, to estimate what other encodings would take. 0: read only the
  /// file's header.
  std::int64_t estimated_samples = 0;
};

/// One use of device memory.
struct PlannedPart {
  std::string name;
  std::int64_t bytes = 0;
};

/// Memory use if all samples are on the device in one data type.
struct PlannedForm {
  std::string name;                ///< "float32", "float16", "int8", and "lp8" if the samples are
  std::int64_t sample_bytes = 0;   ///< all samples, masks and labels
  std::int64_t total_bytes = 0;    ///< samples, labels and everything else at the plan's batch_size
  bool fits = false;               ///< whether total_bytes fit
  std::int64_t largest_batch = 0;  ///< 0 if not even one sample per batch fits
};

/// The samples of a class that were encoded for an estimate.
struct PlannedClass {
  std::int64_t number = 0;
  std::string name;                ///< empty if classes have no names
  std::int64_t encoded_count = 0;  ///< at least 1
  double share = 0.0;              ///< of the bytes of their images that remains
};

/// Memory use if the file were repacked with an encoding that stays compressed on the device. An estimate.
struct PlannedRepack {
  Compression compression = Compression::none;
  PlannedForm form;
  std::int64_t standard_error_bytes = 0;  ///< of form.sample_bytes
  std::int64_t encoded_count = 0;         ///< samples that were encoded for the estimate
  double least_share = 0.0;               ///< of the bytes of an image that remain, among the encoded samples
  double most_share = 0.0;                ///< the same for the sample that shrinks least
  std::int64_t largest_index = 0;         ///< the index of that sample
  double repack_seconds = 0.0;            ///< on all threads of this machine
  std::vector<PlannedClass> classes;      ///< in order of their numbers; empty if labels are not classes
};

/// The same split and model on a well-known device.
struct PlannedDevice {
  std::string name;
  std::int64_t memory_bytes = 0;
  Residency residency = Residency::device;  ///< valid if largest_batch is not 0
  std::int64_t largest_batch = 0;
  double float32_share = 0.0;           ///< share of the samples that fits as float32
  double packed_share = 0.0;            ///< share of the samples that fits as int8, or as LP8 if they are
  std::vector<double> repacked_shares;  ///< the same for each of Plan::repacks
};

/// The same split and model on several such devices. Each of them makes a part of each batch.
struct PlannedRanks {
  std::int64_t world_size = 0;
  bool fits = false;                        ///< whether Plan::batch_size fits in `residency`
  Residency residency = Residency::device;  ///< the first of device, sharded, hybrid and streamed that fits
  std::int64_t resident_count = 0;          ///< samples on each device
  std::int64_t resident_bytes = 0;          ///< of these, with their labels
  std::int64_t exchanged_bytes = 0;         ///< that each device receives for a batch of Plan::batch_size, if sharded
  std::int64_t largest_batch = 0;           ///< over all devices; 0 if not even one sample per device fits
};

/// The result of plan().
struct Plan {
  std::string file;
  std::string split;
  std::int64_t sample_count = 0;
  SampleShape shape;
  std::int64_t packed_bytes = 0;  ///< all samples as int8, without masks
  std::int64_t mask_bytes = 0;    ///< all masks
  Compression compression = Compression::none;
  std::int64_t stored_bytes = 0;            ///< all samples in the file, without masks
  std::int64_t stored_mask_bytes = 0;       ///< all masks in the file
  std::string device;                       ///< "cuda:0", or "a device of 24.0 GiB"
  std::int64_t memory_bytes = 0;            ///< free on the device, or PlanOptions::memory_bytes
  std::int64_t reserved_bytes = 0;          ///< part of memory_bytes kept in reserve
  std::int64_t batch_size = 0;              ///< batch size of `parts`
  int prefetch = 0;                         ///< prefetch depth of `parts`
  bool fits = false;                        ///< whether `batch_size` fits in `residency`
  Residency residency = Residency::device;  ///< the first of device, hybrid and streamed that fits
  std::string reason;                       ///< why this residency was chosen, in one sentence
  std::int64_t resident_count = 0;          ///< samples on the device
  std::int64_t memory_limit_bytes = 0;      ///< the LoadOptions::memory_limit_bytes that gives this result
  std::vector<PlannedPart> parts;           ///< uses of device memory
  std::int64_t host_bytes = 0;              ///< host memory in addition to the device memory
  std::vector<PlannedForm> forms;           ///< float32, float16, int8; last, the form of the samples on the device
  std::vector<PlannedRepack> repacks;       ///< encodings that the file does not have; see estimated_samples
  std::int64_t largest_batch = 0;           ///< in `residency`; 0 if not even one sample per batch fits
  std::int64_t largest_power_of_two = 0;    ///< at most largest_batch
  /// The largest batch in any residency, with samples streamed from the file as needed. At most all samples.
  std::int64_t largest_streamed_batch = 0;
  /// Common rule of thumb, for comparison: free bytes / 4 / (values per sample + parameters). It ignores resident
  /// samples and activations, and counts the parameters once per sample.
  std::int64_t rule_of_thumb_batch = 0;
  std::vector<PlannedDevice> well_known;
  std::optional<PlannedRanks> ranks;  ///< with PlanOptions::world_size above 1

  std::int64_t total_bytes() const;
};

/// Plans the memory for training on a split. Uses only the file's header and the device's free memory, and the samples
/// that PlanOptions asks for. Without a model, samples get four fifths of the memory and everything else one fifth, as
/// with Residency::automatic. Throws InvalidArgument for invalid numbers or an unknown split, and the errors
/// of Split::read() if samples are encoded.
Plan plan(const Dataset& dataset, const PlanOptions& options = {});

/// Formats the plan for people: a summary in one line and what fits on which device; if `is_verbose`, every number.
std::string to_text(const Plan& plan, bool is_verbose = true);
/// Formats the plan as one JSON document with every number.
std::string to_json(const Plan& plan);

}  // namespace octavo
