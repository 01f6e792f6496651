// Packed samples resident on a device, and batches made from them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <octavo/batch_spec.hpp>
#include <octavo/dataset.hpp>
#include <octavo/device.hpp>
#include <octavo/host_samples.hpp>
#include <octavo/progress.hpp>
#include <octavo/residency.hpp>
#include <octavo/sample.hpp>
#include <octavo/statistics.hpp>
#include <octavo/tensor.hpp>

namespace octavo {

namespace store {
class StoredSamples;
class PreparedMaps;
class RowStaging;
struct StoreAccess;
}  // namespace store

/// How a split is brought to a device.
struct LoadOptions {
  bool verify_checksums = true;  ///< compare every sample with its checksum on the way
  int thread_count = 0;          ///< 0: all that this process may use
  ProgressFunction on_progress = {};
  Residency residency = Residency::automatic;
  /// Bytes of the device's memory that the samples and their labels may take; 0: four fifths of what is free, so that a
  /// fifth is left to the model and its batches. It decides where nothing else does: not for the residency `device`,
  /// and not beside resident_count or window_samples.
  std::int64_t memory_limit_bytes = 0;
  std::int64_t resident_count = -1;  ///< for `hybrid`: samples on the device; -1: as many as the limit allows
  std::int64_t window_samples =
      0;  ///< for `window`: samples in one; 0: an eighth of the split, or what the limit allows
};

/// A BatchSpec folded for one store: its maps are in the memory of the store's device. Cheap to copy. The memory is freed
/// when the last copy goes and the gathers that use it are done.
class PreparedSpec {
 public:
  const BatchSpec& spec() const;
  /// Bytes that it takes on the device.
  std::int64_t device_bytes() const;

 private:
  friend class Store;
  friend class Loader;
  explicit PreparedSpec(std::shared_ptr<const store::PreparedMaps> maps) : maps_(std::move(maps)) {}
  std::shared_ptr<const store::PreparedMaps> maps_;
};

/// The samples of one split, packed, one byte a value: in the memory of one device, or as far as it has room (see
/// Residency). A cheap handle; copies share the memory. Safe to use from several threads.
class Store {
 public:
  /// Brings `split` to `device`, checking each sample; on CUDA through pinned double buffers. Samples that are not
  /// resident are checked when they are read. With Residency::automatic, memory that does not suffice means that fewer
  /// samples are resident; residency_reason() says so.
  /// Throws FormatError naming the sample if one is damaged, IoError if the file cannot be read or changes meanwhile,
  /// OutOfMemory if the memory does not suffice for the residency that was asked for, DeviceError if the device fails,
  /// Unavailable if this build or machine has no such device, InvalidArgument for options that make no sense.
  static Store load(const Split& split, Device device, const LoadOptions& options = {});

  /// The same of samples in host memory, which are copied to a GPU as they lie there. Where they are not resident,
  /// windows and batches are taken from that memory, or from a copy of it. verify_checksums has no meaning: there are
  /// none. Throws InvalidArgument for samples of no shape, no whole number of them, or labels of another size.
  static Store load(const HostSamples& samples, HostMemory memory, Device device, const LoadOptions& options = {});

  Device device() const;
  std::int64_t sample_count() const;
  SampleShape shape() const;
  LabelLayout labels() const;
  const std::vector<std::string>& class_names() const;
  /// The statistics that batches are centered by: those of the split `train` where the file has one, else this split's.
  const Statistics& statistics() const;
  /// The split that statistics() belongs to.
  const std::string& statistics_split() const;
  /// What was asked for, or, of `automatic`, what came of it.
  Residency residency() const;
  /// Why less is resident than could be, in a sentence or two; empty if there is nothing to say.
  const std::string& residency_reason() const;
  /// Samples [0, resident_count()) are in the memory of the device.
  std::int64_t resident_count() const;
  /// Samples of a window of the residency `window`; else 0.
  std::int64_t window_samples() const;
  /// Bytes on the device: packed samples and labels.
  std::int64_t device_bytes() const;

  /// Folds `spec` for this store. Throws InvalidArgument if it does not fit: number of values, a zero divisor, a
  /// channel without spread, a center that is not finite.
  PreparedSpec prepare(const BatchSpec& spec) const;

  /// Decodes the given rows, normalized, into `images`, and their labels into `labels`.
  ///
  /// rows    B row numbers in host memory, each in [0, sample_count()); order and repetition are the caller's choice
  /// images  B*C*H*W numbers of the spec's type and layout, on this store's device
  /// labels  B*K numbers: int32, or widened to int64, or of multi-labels as float32; float32 for targets; or
  ///         data == nullptr for none
  /// Both begin at a multiple of the size of their numbers.
  /// Ordered on `stream`; may return before the work is done. `images` and `labels` must live until the stream has
  /// passed this call; `rows` may go at once, and the store and the spec too. Throws InvalidArgument if a row is out of
  /// range or a tensor has another size, type, device or alignment, or if `stream` is captured into a CUDA graph, which
  /// would make this one batch again and again (see GraphLoader); nothing is written then. Of samples that are not
  /// resident it waits until they are read; throws what reading them throws, and OutOfMemory. Memory for the largest
  /// batch of those is kept for the next call.
  void gather(std::span<const std::int64_t> rows, const PreparedSpec& spec, const TensorView& images,
              const TensorView& labels = {}, StreamRef stream = {}) const;
  /// The same, preparing the spec first, and waiting for the batch; for occasional calls.
  void gather(std::span<const std::int64_t> rows, const BatchSpec& spec, const TensorView& images,
              const TensorView& labels = {}, StreamRef stream = {}) const;

 private:
  friend class Loader;
  friend struct store::StoreAccess;
  explicit Store(std::shared_ptr<const store::StoredSamples> samples);
  std::shared_ptr<const store::StoredSamples> samples_;
  std::shared_ptr<store::RowStaging> staging_;  ///< for gather(); null if all samples are resident
};

}  // namespace octavo
