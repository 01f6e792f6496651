#include "comparisons/one_by_one_server.hpp"

#include <octavo/errors.hpp>

#include "kernels/affine.hpp"
#include "loader/options_check.hpp"

namespace octavo::comparisons {

OneByOneServer::OneByOneServer(const Split& split, std::shared_ptr<const store::StoredSamples> samples,
                               LoaderOptions options)
    : split_(split),
      samples_(std::move(samples)),
      order_(loader::checked(std::move(options), *samples_), samples_->sample_count),
      folded_(store::fold_spec(order_.options().spec, samples_->statistics, samples_->quantization, samples_->shape)) {
  const BatchSpec& spec = order_.options().spec;
  if (is_augmented(spec) || spec.dtype != DType::float32 || spec.layout != Layout::nchw || folded_.center_on_batch) {
    throw InvalidArgument(
        "serve samples one by one: expected float32, NCHW, no centering per batch and no augmentation");
  }
}

void OneByOneServer::serve(std::int64_t epoch, std::int64_t step, const store::BatchTarget& to,
                           StreamRef stream) const {
  const std::vector<std::int64_t> rows = order_.indices(epoch, step);
  const auto values = static_cast<std::size_t>(samples_->shape.values());
  const auto label_bytes = static_cast<std::size_t>(samples_->layout.label_bytes);
  std::vector<std::int8_t> codes(values);
  std::vector<float> batch(rows.size() * values);
  std::vector<std::byte> batch_labels(rows.size() * label_bytes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto label = std::span(batch_labels).subspan(i * label_bytes, label_bytes);
    split_.read(rows[i], 1, codes);
    split_.read_labels(rows[i], 1, label);
    decode(codes, batch.data() + i * values);
  }
  backend::Backend& device = *samples_->backend;
  device.copy_to_device(to.images, batch.data(), batch.size() * sizeof(float), stream);
  if (to.labels.data != nullptr)
    device.copy_to_device(to.labels.data, batch_labels.data(), batch_labels.size(), stream);
}

void OneByOneServer::decode(const std::vector<std::int8_t>& codes, float* out) const {
  const auto plane = static_cast<std::size_t>(samples_->shape.values_per_channel());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    kernels::Affine map = folded_.maps[folded_.maps.size() == 1 ? 0 : i / plane];
    if (!folded_.pixel_shifts.empty()) map.shift = folded_.pixel_shifts[i];
    out[i] = kernels::decode(codes[i], map);
  }
}

}  // namespace octavo::comparisons
