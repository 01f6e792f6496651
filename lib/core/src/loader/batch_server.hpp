// What a pipeline draws its batches from: samples on a device, in some form.
#pragma once

#include <cstdint>
#include <memory>

#include <octavo/batch_spec.hpp>
#include <octavo/loader.hpp>
#include <octavo/sample.hpp>
#include <octavo/store.hpp>

#include "backend/backend.hpp"
#include "loader/batch_order.hpp"

namespace octavo::loader {

class BatchServer {
 public:
  virtual ~BatchServer() = default;

  virtual const std::shared_ptr<backend::Backend>& backend() const = 0;
  /// Which samples a batch holds.
  virtual const BatchOrder& order() const = 0;
  virtual SampleShape shape() const = 0;
  virtual LabelLayout labels() const = 0;
  virtual DType dtype() const = 0;
  virtual Layout layout() const = 0;
  /// Whether a sample's values depend on the batch that it is in.
  virtual bool depends_on_batch() const { return false; }
  /// Bytes on the device beside the resident samples.
  virtual std::int64_t device_bytes() const = 0;

  /// Batches that it prepares ahead by itself; if there are some, a pipeline need not.
  virtual int depth() const { return 0; }

  /// Enqueues batch `step` of `epoch`; `labels`, as they are stored, may be null. Throws what reading samples throws.
  virtual void serve(std::int64_t epoch, std::int64_t step, void* images, void* labels, StreamRef stream) const = 0;
};

}  // namespace octavo::loader

namespace octavo {

/// A loader over any server, in its order; the public constructor is the case of a Store.
Loader make_loader(std::shared_ptr<loader::BatchServer> server);

}  // namespace octavo
