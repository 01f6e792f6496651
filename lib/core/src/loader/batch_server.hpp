// The interface that a pipeline gets its batches from.
#pragma once

#include <cstdint>
#include <memory>

#include <octavo/batch_shape.hpp>
#include <octavo/loader.hpp>
#include <octavo/sample.hpp>
#include <octavo/store.hpp>

#include "backend/backend.hpp"
#include "loader/batch_order.hpp"
#include "store/spec/batch_target.hpp"

namespace octavo::loader {

class BatchServer {
 public:
  virtual ~BatchServer() = default;

  virtual const std::shared_ptr<backend::Backend>& backend() const = 0;
  /// Which samples a batch holds.
  virtual const BatchOrder& order() const = 0;
  /// The state of a loader whose next batch is this one.
  virtual LoaderState state(std::int64_t epoch, std::int64_t step) const { return order().state(epoch, step); }
  virtual BatchShape shape() const = 0;
  virtual LabelLayout labels() const = 0;
  /// Whether a sample's values depend on the batch that it is in.
  virtual bool depends_on_batch() const { return false; }
  /// Bytes on the device in addition to the resident samples.
  virtual std::int64_t device_bytes() const = 0;

  /// The server's own prefetch depth. If it is not 0, a pipeline does not prefetch.
  virtual int depth() const { return 0; }

  /// Whether batches have masks, of BatchSpec::mask_dtype.
  virtual bool has_masks() const { return false; }

  /// Enqueues batch `step` of `epoch`. Throws the errors of reading. Servers that serve no masks ignore their memory;
  /// all but PackedServer expect labels of the stored type.
  virtual void serve(std::int64_t epoch, std::int64_t step, const store::BatchTarget& to, StreamRef stream) const = 0;
};

}  // namespace octavo::loader

namespace octavo {

/// Makes a loader over any server, in its order. The public constructor is the special case of a Store.
Loader make_loader(std::shared_ptr<loader::BatchServer> server);

}  // namespace octavo
