// The memory savings report: what int8 residency costs and saves, measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/device.hpp>
#include <octavo/measurements.hpp>
#include <octavo/progress.hpp>

namespace octavo {

struct ReportOptions {
  std::string split = {};             ///< empty: `train` if there is one, else the first
  std::optional<Device> device = {};  ///< without one: Device::best()
  std::int64_t batch_size = 512;      ///< of the batch buffers, and of the measured gathers
  /// Device memory that training a model takes in addition to samples and batches; see training_model_bytes() of
  /// octavo/train.hpp. Without it the report has no `training`.
  std::optional<std::int64_t> model_bytes = {};
  ProgressFunction on_progress = {};
};

/// What packing did to the values.
struct QuantizationCertificate {
  bool lossless = false;              ///< the packed values are, byte for byte, the source's
  std::string compared_with;          ///< "the source, read again", "the digest stored at packing", or why nothing
  std::vector<double> largest_error;  ///< [C], source units; 0 if lossless
  std::vector<double> mean_error;     ///< [C], mean absolute error
  std::vector<std::int64_t> clipped_count;  ///< [C] values outside the range of the codes
  std::optional<double> psnr_db;            ///< none if lossless
};

/// The device memory that training a model on the split takes: computed.
struct TrainingFootprint {
  std::int64_t sample_bytes = 0;   ///< int8, of the reported split
  std::int64_t batch_bytes = 0;    ///< batch buffers, at ReportOptions::batch_size
  std::int64_t model_bytes = 0;    ///< ReportOptions::model_bytes
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
  std::optional<TrainingFootprint> training;  ///< none without ReportOptions::model_bytes
  QuantizationCertificate certificate;
  std::string normalization;  ///< what batches are centered by, and from which split
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
