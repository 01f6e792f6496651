// Keeps packed samples on a device and makes batches from them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <octavo/batch_spec.hpp>
#include <octavo/dataset.hpp>
#include <octavo/device.hpp>
#include <octavo/exchange.hpp>
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
}  // namespace store

/// Connects the ranks that share the samples of a split; see Exchange. Returns null if there are none.
using ExchangeFunction = std::function<std::shared_ptr<Exchange>()>;

/// How a split is loaded onto a device.
struct LoadOptions {
  bool verify_checksums = true;  ///< compare every sample with its checksum while it is loaded
  bool with_masks = true;        ///< load the masks, if the split has any
  int thread_count = 0;          ///< 0: all threads available to this process
  ProgressFunction on_progress = {};
  Residency residency = Residency::automatic;
  /// Device memory that samples and labels may use. 0: four fifths of the free memory, which leaves one fifth for the
  /// model and its batches. `automatic`, `hybrid` without resident_count and `window` without window_samples keep what
  /// fits; of `sharded`, it is the memory of each rank; the others throw InvalidArgument if the limit is given and they
  /// need more.
  std::int64_t memory_limit_bytes = 0;
  std::int64_t resident_count = -1;  ///< for `hybrid`: samples on the device; -1: as many as the limit allows
  std::int64_t window_samples =
      0;  ///< for `window`: samples per window; 0: an eighth of the split, or less if the limit requires it
  /// With `sharded`, on the CPU: ranks of one machine share the memory of their parts, so that they exchange nothing.
  bool shares_host_memory = true;
  /// For `sharded`, and for `automatic` if the samples do not fit on one device: Store::load() calls it, on every rank.
  ExchangeFunction exchange = {};
};

/// A BatchSpec folded for one store. Its maps are in the memory of the store's device. Cheap to copy. The memory is
/// freed when the last copy is destroyed and the gathers that use it are done.
class PreparedSpec {
 public:
  const BatchSpec& spec() const;
  /// Bytes on the device.
  std::int64_t device_bytes() const;

 private:
  friend class Store;
  friend class Loader;
  explicit PreparedSpec(std::shared_ptr<const store::PreparedMaps> maps) : maps_(std::move(maps)) {}
  std::shared_ptr<const store::PreparedMaps> maps_;
};

/// How stored codes become the values of images: value = fmaf(code, scale, shift) (docs/numerics.md, "One
/// multiply-add"). Without augmentation, which may change values before or after.
struct ValueMaps {
  std::vector<float> scales;  ///< [C]
  std::vector<float> shifts;  ///< [C]; with Center::pixel [C*H*W], in the layout of the spec
};

/// The packed samples of one split, one byte per value, in the memory of one device or partly in the file (see
/// Residency). A cheap handle; copies share the memory. Thread-safe.
class Store {
 public:
  /// Loads `split` onto `device` and checks each sample; on CUDA through pinned double buffers. Samples that are not
  /// resident are checked when they are read. With the residency `sharded`, all ranks load the same split at the same
  /// time, and an error of one is an error of all. If memory is short, Residency::automatic keeps fewer samples
  /// resident and residency_reason() explains why; any other residency is used exactly as named or fails. Throws
  /// FormatError with the sample if one is damaged, IoError if the file cannot be read or changes during loading,
  /// OutOfMemory if there is not enough memory for the requested residency, DeviceError if the device fails,
  /// Unavailable if this build or machine has no such device, InvalidArgument for invalid options.
  static Store load(const Split& split, Device device, const LoadOptions& options = {});

  /// Loads samples from host memory. A GPU gets them by a plain copy. Samples that are not resident are read from that
  /// memory, or from a copy of it. verify_checksums has no effect, because there are no checksums. Throws
  /// InvalidArgument if the shape is invalid, `codes` is not a whole number of samples, or the labels have another
  /// size.
  static Store load(const HostSamples& samples, HostMemory memory, Device device, const LoadOptions& options = {});

  Device device() const;
  std::int64_t sample_count() const;
  SampleShape shape() const;
  LabelLayout labels() const;
  /// Whether samples have masks: the split has them, and they were loaded.
  bool has_masks() const;
  const std::vector<std::string>& class_names() const;
  /// The statistics used to center batches: those of the split `train` if it exists and has the same shape, else of
  /// this split.
  const Statistics& statistics() const;
  /// The split that statistics() belongs to.
  const std::string& statistics_split() const;
  /// The requested residency, or the one that `automatic` chose.
  Residency residency() const;
  /// Why `automatic` kept fewer samples resident, in a sentence or two; empty otherwise.
  const std::string& residency_reason() const;
  /// The number of samples in device memory.
  std::int64_t resident_count() const;
  /// Samples in a window of the residency `window`; else 0.
  std::int64_t window_samples() const;
  /// Bytes on the device: packed samples, masks and labels.
  std::int64_t device_bytes() const;

  /// Folds `spec` for this store. Throws InvalidArgument if it does not match: a wrong number of values, a zero
  /// divisor, a channel with zero standard deviation, or a center that is not finite.
  PreparedSpec prepare(const BatchSpec& spec) const;
  /// The maps of `spec` for this store; nothing with Center::batch, where each batch has its own. Throws like
  /// prepare().
  std::optional<ValueMaps> value_maps(const BatchSpec& spec) const;

  /// Decodes and normalizes the given samples into `images`, and copies their labels into `labels`.
  ///
  /// indices  B sample indices in host memory, each in [0, sample_count()); any order, repetition allowed
  /// images   B times batch_shape().values() elements of the spec's type and layout, on this store's device
  /// labels   B*K elements: int32 or int64 for class indices; int32, int64 or float32 for multi-labels; float32 for
  ///          targets; data == nullptr for none
  /// epoch    of the samples, not negative: each epoch augments them differently
  /// masks    B times batch_shape().mask_values() elements of spec.mask_dtype; data == nullptr for none
  /// The tensors must be aligned to their element size.
  /// Ordered on `stream`; may return before the work is done. The tensors must live until the stream has
  /// completed it. `indices`, the store and the spec may be destroyed as soon as the call returns. If some samples are
  /// not resident, waits until they are read; throws what reading throws, or OutOfMemory. Staging memory for the
  /// largest such batch is kept for the next call. Throws InvalidArgument, and writes nothing, if an index or the epoch
  /// is out of range, if a tensor has another size, type, device or alignment, or if `stream` is being captured into a
  /// CUDA graph, whose replays would all make this one batch (see GraphLoader).
  void gather(std::span<const std::int64_t> indices, const PreparedSpec& spec, const TensorView& images,
              const TensorView& labels = {}, StreamRef stream = {}, std::int64_t epoch = 0,
              const TensorView& masks = {}) const;
  /// Prepares the spec, gathers the batch and waits for it. For occasional calls.
  void gather(std::span<const std::int64_t> indices, const BatchSpec& spec, const TensorView& images,
              const TensorView& labels = {}, StreamRef stream = {}, std::int64_t epoch = 0,
              const TensorView& masks = {}) const;

  /// With the residency `sharded`: tells the other ranks that this one leaves, and stops using the Exchange. Batches
  /// that need samples of other ranks are an IoError afterwards, on all ranks. The last owner of the samples does the
  /// same.
  void leave_ranks() const;

  /// For the library: the samples, and where they are.
  const std::shared_ptr<const store::StoredSamples>& samples() const { return samples_; }

 private:
  explicit Store(std::shared_ptr<const store::StoredSamples> samples);
  std::shared_ptr<const store::StoredSamples> samples_;
  std::shared_ptr<store::RowStaging> staging_;  ///< for gather(); null if all samples are resident
};

}  // namespace octavo
