#include "loader/float32_server.hpp"

#include <octavo/errors.hpp>

namespace octavo::loader {

Float32Server::Float32Server(const BatchServer& packed)
    : backend_(packed.backend()),
      sample_count_(packed.sample_count()),
      shape_(packed.shape()),
      labels_(packed.labels()),
      layout_(packed.layout()) {
  if (packed.dtype() != DType::float32) {
    throw InvalidArgument("decode all samples to float32: the batches are of another type; ask for float32");
  }
  if (packed.depends_on_batch()) {
    throw InvalidArgument(
        "decode all samples to float32: batches that are centred on themselves have no values beforehand; choose "
        "another "
        "centre");
  }
  values_ = backend::DeviceBuffer(backend_, static_cast<std::size_t>(sample_count_ * shape_.values()) * sizeof(float),
                                  "all samples as float32");
  label_words_ = backend::DeviceBuffer(backend_, static_cast<std::size_t>(sample_count_ * labels_.bytes_per_sample()),
                                       "their labels");
  error_slot_ = backend::DeviceBuffer(backend_, sizeof(std::uint32_t), "an error slot");
  const kernels::OrderKey file_order = kernels::make_order_key(sample_count_, 0, 0, false);
  packed.serve({nullptr, file_order, 0}, sample_count_, values_.data(), label_words_.data(), {});
  backend_->synchronize({});
}

void Float32Server::serve(const kernels::RowSelection& selection, std::int64_t batch_count, void* images, void* labels,
                          StreamRef stream) const {
  if (batch_count == 0) return;
  backend_->row_copy(
      {values_.as<float>(), shape_.values(), selection, batch_count, static_cast<float*>(images),
       label_words_.as<std::uint32_t>(), labels_.width,
       labels_.width == 0 ? nullptr : static_cast<std::uint32_t*>(labels), error_slot_.as<std::uint32_t>()},
      stream);
}

}  // namespace octavo::loader
