// The memory savings report: what int8 residency costs and saves, measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/device.hpp>
#include <octavo/progress.hpp>

namespace octavo {

struct ReportOptions {
  std::string split = {};             ///< empty: `train` if there is one, else the first
  std::optional<Device> device = {};  ///< without one: Device::best()
  std::int64_t batch_size = 512;      ///< of the batch buffers, and of the measured gathers
  ProgressFunction on_progress = {};
};

/// What one way of keeping the split costs.
struct ResidencyCost {
  std::string name;                            ///< "float32", "float16", "int8"
  std::int64_t computed_bytes = 0;             ///< values and labels
  std::optional<std::int64_t> measured_bytes;  ///< by which the device's free memory (CPU: the resident set) changed;
                                               ///< none if it would not fit half of the free memory
  std::int64_t batch_buffer_bytes = 0;         ///< of the batches on their way to the model; none are needed twice
};

/// A gather, measured against a copy in the same run.
struct GatherSpeed {
  std::int64_t batch_size = 0;
  std::int64_t moved_bytes = 0;        ///< read and written by one gather
  double median_seconds = 0.0;         ///< of one gather
  double spread = 0.0;                 ///< (third quartile - first quartile) / median
  double copy_bytes_per_second = 0.0;  ///< best copy of the same device in the same run, read + written
  bool fits_cache = false;             ///< samples and batch fit the last cache, so memory was hardly asked: the
                                       ///< fraction of the copy, which does not, then says little
  double fraction_of_copy() const { return static_cast<double>(moved_bytes) / median_seconds / copy_bytes_per_second; }
  double images_per_second() const { return static_cast<double>(batch_size) / median_seconds; }
};

/// What packing did to the values.
struct QuantisationCertificate {
  bool lossless = false;              ///< the packed values are, byte for byte, the source's
  std::string compared_with;          ///< "the source, read again", "the digest stored at packing", or why nothing
  std::vector<double> largest_error;  ///< [C], source units; 0 if lossless
  std::vector<double> mean_error;     ///< [C], mean absolute error
  std::vector<std::int64_t> clipped_count;  ///< [C] values outside the range of the codes
  std::optional<double> psnr_db;            ///< none if lossless
};

/// What training the default model of octavo/train.hpp on the split would take of the device: computed.
struct TrainingFootprint {
  std::int64_t sample_bytes = 0;   ///< int8, of the reported split
  std::int64_t batch_bytes = 0;    ///< batch buffers, at ReportOptions::batch_size
  std::int64_t model_bytes = 0;    ///< of the mlp with TrainOptions' hidden units: weights, gradients, activations ...
  std::int64_t float32_bytes = 0;  ///< what the samples would take as float32
  std::int64_t total() const { return sample_bytes + batch_bytes + model_bytes; }
  std::int64_t float32_total() const { return float32_bytes + batch_bytes + model_bytes; }
};

/// Everything that the report says; measure_report() says how each figure is measured.
struct MemoryReport {
  std::string file;
  std::string split;
  std::string device;
  std::string device_name;
  std::int64_t sample_count = 0;
  std::string shape;
  std::optional<std::int64_t> source_bytes;  ///< of the files it was packed from, those that are still there
  std::int64_t file_bytes = 0;
  std::vector<ResidencyCost> residencies;     ///< float32, float16, int8
  std::optional<GatherSpeed> gather;          ///< none if the split is too small to be timed
  std::optional<TrainingFootprint> training;  ///< none if the labels are no class numbers
  QuantisationCertificate certificate;
  std::string normalisation;  ///< what batches are centred by, and from which split
};

/// Measures `dataset` on the device. To be called while nothing else of the process takes or frees memory.
///
/// Residency: each form is really made on the device, and what the device's free memory (CPU: the resident set) lost by
/// it is the measured figure; each is released before the next. Speed: gathers of whole batches in a shuffled order
/// take turns with the best copy of the device (CPU: the larger of memcpy and a copy past the cache, on all threads) of
/// as much as 256 MiB; medians. Certificate: the packed bytes are compared with the source, where it is still there and
/// was packed as it is, else with the digest that was stored at packing.
/// Throws InvalidArgument for a batch_size below 1 or a split that is not there; what Store::load throws.
MemoryReport measure_report(const Dataset& dataset, const ReportOptions& options = {});

/// The report as a table for people.
std::string to_text(const MemoryReport& report);
/// The report as one JSON document with every figure.
std::string to_json(const MemoryReport& report);

}  // namespace octavo
