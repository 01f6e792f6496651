// Any batch of any epoch, by its number, into tensors of the caller's.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <octavo/loader.hpp>
#include <octavo/store.hpp>
#include <octavo/tensor.hpp>

namespace octavo {

/// Makes the batches that a Loader with the same options serves, in any order and as often as wanted, in memory that
/// the caller has allocated: for frameworks with an allocator of their own. Keeps no place. Where samples are read from
/// the file, the batches after the one that was made last are read ahead, `prefetch` of them; elsewhere that option has
/// no meaning here. Safe to use from several threads.
class BatchMaker {
 public:
  /// Throws InvalidArgument as Loader does.
  BatchMaker(const Store& store, LoaderOptions options);

  const LoaderOptions& options() const;
  /// Batches in an epoch; the same on every rank.
  std::int64_t batches_per_epoch() const;
  /// B: this rank's samples of batch `step`, possibly 0. Throws InvalidArgument if there is no such batch.
  std::int64_t batch_count(std::int64_t step) const;
  /// The B row numbers of these samples. Throws InvalidArgument if there is no such batch.
  std::vector<std::int64_t> rows(std::int64_t epoch, std::int64_t step) const;
  /// Bytes on the device beside the store's.
  std::int64_t device_bytes() const;

  /// Makes batch `step` of `epoch`: `images`, B*C*H*W numbers of the spec's type and layout, and `labels` (data ==
  /// nullptr for none), as Store::gather() takes them. Ordered on `stream`; may return before the work is done. The
  /// tensors and this object must live until the stream has passed this call. Throws InvalidArgument, and writes
  /// nothing, if there is no such batch or a tensor does not fit; where samples are read from the file, IoError and
  /// FormatError.
  void make(std::int64_t epoch, std::int64_t step, const TensorView& images, const TensorView& labels = {},
            StreamRef stream = {}) const;

 private:
  class Implementation;
  std::shared_ptr<const Implementation> implementation_;
};

}  // namespace octavo
