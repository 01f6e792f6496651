#include "comparisons/float32_server.hpp"

#include <octavo/errors.hpp>

namespace octavo::comparisons {

Float32Server::Float32Server(const loader::PackedServer& packed)
    : backend_(packed.backend()), order_(packed.order()), shape_(packed.shape()), labels_(packed.labels()) {
  if (is_augmented(order_.options().spec)) {
    throw InvalidArgument("decode all samples to float32: each epoch augments them differently; omit `augment`");
  }
  if (shape_.dtype != DType::float32) {
    throw InvalidArgument("decode all samples to float32: the batches have another type; use float32");
  }
  if (order_.options().shuffle.kind() == Shuffle::Kind::windows) {
    throw InvalidArgument("decode all samples to float32: the order windows is not supported; choose another order");
  }
  if (packed.depends_on_batch()) {
    throw InvalidArgument(
        "decode all samples to float32: values that are centered per batch are not known beforehand; choose another "
        "center");
  }
  const std::int64_t N = order_.sample_count();
  values_ = backend::DeviceBuffer(backend_, static_cast<std::size_t>(N * shape_.values()) * sizeof(float),
                                  "all samples as float32");
  label_words_ =
      backend::DeviceBuffer(backend_, static_cast<std::size_t>(N * labels_.bytes_per_sample()), "their labels");
  const backend::FinishAtEnd finish_at_end(backend_, {});
  packed.serve_first(N, values_.data(), label_words_.data(), nullptr);
  backend_->synchronize({});
}

void Float32Server::serve(std::int64_t epoch, std::int64_t step, const store::BatchTarget& to, StreamRef stream) const {
  const std::int64_t batch_count = order_.part(epoch, step).count();
  const auto selection = order_.selection(epoch, step);
  if (batch_count == 0) return;
  backend_->row_copy({values_.as<float>(), shape_.values(), *selection, batch_count, static_cast<float*>(to.images),
                      label_words_.as<std::uint32_t>(), labels_.width,
                      labels_.width == 0 ? nullptr : static_cast<std::uint32_t*>(to.labels.data)},
                     stream);
}

}  // namespace octavo::comparisons
