#include "store/loading.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <octavo/errors.hpp>

namespace octavo::store {
namespace {

/// With less of the samples on the device it is not worth having two places.
constexpr std::int64_t kLeastHybridShare = 20;  // 1/20
/// Windows in a split unless told otherwise, if two of them fit.
constexpr std::int64_t kUsualWindows = 8;

[[noreturn]] void refuse(const Split& split, const std::string& why) {
  throw InvalidArgument("load split " + split.name() + ": " + why);
}

void check_options(const Split& split, const LoadOptions& options) {
  if (options.memory_limit_bytes < 0) refuse(split, "memory_limit_bytes is negative; 0 is for none");
  if (options.resident_count < -1 || options.resident_count > split.sample_count()) {
    refuse(split, "resident_count is " + std::to_string(options.resident_count) + " of " +
                      std::to_string(split.sample_count()) + " samples; -1 is for as many as fit");
  }
  if (options.resident_count >= 0 && options.residency != Residency::hybrid) {
    refuse(split, "resident_count is of use only with the residency hybrid; ask for that");
  }
  if (options.window_samples < 0) refuse(split, "window_samples is negative; 0 is for the usual windows");
  if (options.window_samples > 0 && options.residency != Residency::window) {
    refuse(split, "window_samples is of use only with the residency window; ask for that");
  }
}

/// The split whose statistics centre the batches of `split`.
Split statistics_source(const Split& split) {
  const Dataset dataset = split.dataset();
  return dataset.has_split("train") && dataset.split("train").shape() == split.shape() ? dataset.split("train") : split;
}

/// Loads one split in one way after another.
class Loading {
 public:
  Loading(const Split& split, Device device, const LoadOptions& options)
      : split_(split), options_(options), backend_(backend::make_backend(device)) {
    sample_bytes_ = row_stride_bytes(split.shape().values(), backend_->is_host()) + split.labels().bytes_per_sample();
    limit_bytes_ = options.memory_limit_bytes > 0 ? options.memory_limit_bytes : backend_->memory().free_bytes / 5 * 4;
  }

  std::shared_ptr<const StoredSamples> run() {
    switch (options_.residency) {
      case Residency::automatic:
        return load_what_fits();
      case Residency::device:
        return load_resident(split_.sample_count(), Residency::device);
      case Residency::hybrid:
        return load_resident(options_.resident_count >= 0 ? options_.resident_count : fitting_count(),
                             Residency::hybrid);
      case Residency::streamed:
        return load_resident(0, Residency::streamed);
      case Residency::window:
        return load_windows();
    }
    refuse(split_, "there is no such residency");
  }

 private:
  /// Samples that the limit has room for.
  std::int64_t fitting_count() const { return std::min(split_.sample_count(), limit_bytes_ / sample_bytes_); }

  std::shared_ptr<const StoredSamples> load_what_fits() {
    const std::int64_t N = split_.sample_count();
    std::int64_t count = fitting_count();
    bool has_failed = false;
    if (count == N) {
      try {
        return load_resident(N, Residency::device);
      } catch (const OutOfMemory& problem) {
        reason_ = std::string(problem.what()) + ". ";
        count = N / 2;
        has_failed = true;
      }
    } else {
      reason_ = "The " + std::to_string(N * sample_bytes_) + " bytes of split " + split_.name() +
                " are more than the " + std::to_string(limit_bytes_) + " that it may take of " +
                to_string(backend_->device()) + ". ";
    }
    for (; count >= (N + kLeastHybridShare - 1) / kLeastHybridShare; count /= 2) {
      try {
        if (has_failed) leave_room_beside(count);
        return load_resident(count, Residency::hybrid);
      } catch (const OutOfMemory&) {
        has_failed = true;  // again, with fewer or none
      }
    }
    return load_resident(0, Residency::streamed);
  }

  /// Throws OutOfMemory unless there is memory for twice as many samples. When the device had less than it said, nobody
  /// knows what is left for the model: then at most half of what there is is taken.
  void leave_room_beside(std::int64_t count) const {
    backend::DeviceBuffer(backend_, static_cast<std::size_t>(2 * count * sample_bytes_), "samples and what needs them");
  }

  std::shared_ptr<StoredSamples> load_resident(std::int64_t count, Residency residency) {
    auto samples = describe(residency);
    samples->resident_count = count;
    const std::string what = "samples of split " + split_.name();
    // The products fit: the reader has compared them with the real size of the file.
    samples->codes = backend::DeviceBuffer(backend_, static_cast<std::size_t>(count * samples->row_stride_bytes),
                                           "the packed " + what);
    samples->label_words = backend::DeviceBuffer(backend_, static_cast<std::size_t>(count * samples->label_bytes()),
                                                 "the labels of the " + what);
    if (!samples->is_resident()) add_reader(*samples);
    read_samples(split_, options_, *samples);
    if (!reason_.empty()) {
      samples->residency_reason = reason_ + (count == 0 ? "None" : std::to_string(count) + " of its samples") +
                                  " are kept there; the others are read from the file when a batch needs them";
    }
    return samples;
  }

  std::shared_ptr<StoredSamples> load_windows() {
    auto samples = describe(Residency::window);
    samples->window_samples = options_.window_samples;
    const std::int64_t N = split_.sample_count();
    if (samples->window_samples == 0) {
      const std::int64_t most =
          std::clamp<std::int64_t>(limit_bytes_ / 2 / sample_bytes_, 1, (N + kUsualWindows - 1) / kUsualWindows);
      // As equal as they can be.
      const std::int64_t windows = (N + most - 1) / most;
      samples->window_samples = (N + windows - 1) / windows;
    }
    samples->window_samples = std::min(samples->window_samples, N);
    add_reader(*samples);
    return samples;
  }

  /// Everything but the samples.
  std::shared_ptr<StoredSamples> describe(Residency residency) const {
    auto samples = std::make_shared<StoredSamples>();
    samples->backend = backend_;
    samples->split_name = split_.name();
    samples->sample_count = split_.sample_count();
    samples->shape = split_.shape();
    samples->labels = split_.labels();
    samples->class_names = split_.class_names();
    const Split source = statistics_source(split_);
    samples->statistics = source.statistics();
    samples->statistics_split = source.name();
    samples->row_stride_bytes = row_stride_bytes(samples->shape.values(), backend_->is_host());
    samples->residency = residency;
    samples->error_slot = backend::DeviceBuffer(backend_, sizeof(std::uint32_t), "an error slot");
    backend_->fill_zero(samples->error_slot.data(), samples->error_slot.bytes(), {});
    return samples;
  }

  void add_reader(StoredSamples& samples) const {
    samples.reader = std::make_unique<const RowReader>(split_, options_.verify_checksums, options_.thread_count);
  }

  const Split& split_;
  const LoadOptions& options_;
  std::shared_ptr<backend::Backend> backend_;
  std::int64_t sample_bytes_;  ///< of a sample on the device, with its label
  std::int64_t limit_bytes_;
  std::string reason_;
};

}  // namespace

std::shared_ptr<const StoredSamples> load_samples(const Split& split, Device device, const LoadOptions& options) {
  check_options(split, options);
  return Loading(split, device, options).run();
}

}  // namespace octavo::store
