// The memory report: measures the cost and savings of keeping samples as int8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/device.hpp>
#include <octavo/level_use.hpp>
#include <octavo/measurements.hpp>
#include <octavo/progress.hpp>
#include <octavo/source_notes.hpp>

namespace octavo {

struct ReportOptions {
  std::string split = {};             ///< empty: `train` if there is one, else the first
  std::optional<Device> device = {};  ///< default: Device::best()
  std::int64_t batch_size = 512;      ///< of the batch buffers and the measured gathers
  /// Device memory that training a model needs in addition to samples and batches; see training_model_bytes() in
  /// octavo/train.hpp. Without it, the report has no `training`.
  std::optional<std::int64_t> model_bytes = {};
  ProgressFunction on_progress = {};
};

/// What packing did to the values.
struct QuantizationCertificate {
  bool lossless = false;              ///< the packed values equal the source values byte for byte
  std::string compared_with;          ///< "the source, read again", "the digest stored at packing", or why nothing
  std::vector<double> largest_error;  ///< [C], source units; 0 if lossless
  std::vector<double> mean_error;     ///< [C], mean absolute error
  std::vector<std::int64_t> clipped_count;  ///< [C], values outside the range of the codes
  std::optional<double> psnr_db;            ///< absent if lossless
  std::optional<LevelUse> level_use;        ///< of a split that was quantized; absent in files of older versions
};

/// What quantizing the split lost, as packing recorded it in the file: "6 of 256 levels used, 0.4 effective bits, error
/// 76 % of the standard deviation; the range percentile:99.9 keeps more". Empty if the values are exact; "unknown,
/// because the file does not record it" if the source did not have bytes.
std::string recorded_loss(const Dataset& dataset, const std::string& split_name);

/// The loss of each channel that packing recorded; empty if there is none.
std::vector<ChannelLoss> recorded_channel_losses(const Dataset& dataset, const std::string& split_name);

/// The device memory that training a model on the split needs; computed, not measured.
struct TrainingFootprint {
  std::int64_t sample_bytes = 0;   ///< int8, of the reported split
  std::int64_t batch_bytes = 0;    ///< batch buffers, at ReportOptions::batch_size
  std::int64_t model_bytes = 0;    ///< ReportOptions::model_bytes
  std::int64_t float32_bytes = 0;  ///< the samples if stored as float32
  std::int64_t total() const { return sample_bytes + batch_bytes + model_bytes; }
  std::int64_t float32_total() const { return float32_bytes + batch_bytes + model_bytes; }
};

/// The contents of the report; measure_report() describes how each figure is measured.
struct MemoryReport {
  std::string file;
  std::string split;
  std::string device;
  std::string device_name;
  std::int64_t sample_count = 0;
  std::string shape;
  std::optional<std::int64_t> source_bytes;  ///< size of the source files that still exist
  std::int64_t file_bytes = 0;
  std::vector<ResidencyCost> residencies;     ///< float32, float16, int8
  std::optional<GatherSpeed> gather;          ///< absent if the split is too small to time
  std::optional<TrainingFootprint> training;  ///< absent without ReportOptions::model_bytes
  QuantizationCertificate certificate;
  std::string normalization;  ///< the normalization of batches, and the split it comes from
};

/// Measures `dataset` on the device. No other thread of the process may allocate or free memory during the call.
///
/// Residency: allocates each form on the device, in turn, and measures the drop in free device memory (on CPU, the
/// growth of the resident set). Speed: alternates gathers of whole batches in shuffled order with copies of as many
/// bytes, by the device's fastest method (on CPU, the faster of memcpy and a non-temporal copy, on all threads), until
/// the relation holds still; reports medians and quartiles.
/// Certificate: compares the packed bytes with the source if it still exists and was packed unchanged, otherwise with
/// the digest stored at packing.
/// Throws InvalidArgument if batch_size is below 1 or the split does not exist; also what Store::load throws.
MemoryReport measure_report(const Dataset& dataset, const ReportOptions& options = {});

/// The report for people: a summary in one line and the cost of each residency; if `is_verbose`, all figures.
std::string to_text(const MemoryReport& report, bool is_verbose = true);
/// The report as one JSON document with every figure.
std::string to_json(const MemoryReport& report);

}  // namespace octavo
