// The shape of the images of a batch.
#pragma once

#include <cstdint>
#include <vector>

#include <octavo/batch_spec.hpp>
#include <octavo/sample.hpp>
#include <octavo/types.hpp>

namespace octavo {

/// The images that a BatchSpec makes from a sample: their shape, type and layout. Everyone who needs to know asks here.
struct BatchShape {
  SampleShape image;       ///< C', H', W' of each image
  std::int64_t views = 1;  ///< images per sample
  DType dtype = DType::float32;
  Layout layout = Layout::nchw;

  /// Values per sample of the batch.
  std::int64_t values() const { return views * image.values(); }
  /// Bytes per sample of the batch.
  std::int64_t bytes() const { return values() * bytes_of(dtype); }
  /// The axes of a tensor of `batch_count` samples, outermost first: [B*views,C',H',W'] in the order of the layout.
  std::vector<std::int64_t> axes(std::int64_t batch_count) const;
  /// The strides, in values, of the axes [B*views,C',H',W'], whatever the layout.
  std::vector<std::int64_t> nchw_strides() const;

  bool operator==(const BatchShape&) const = default;
};

/// The shape of the batches that `spec` makes from samples of `sample`.
BatchShape batch_shape(const BatchSpec& spec, const SampleShape& sample);

/// The axes of a tensor of the labels of `batch_count` samples: [B] class numbers, else [B,K].
std::vector<std::int64_t> label_axes(const LabelLayout& labels, std::int64_t batch_count);

}  // namespace octavo
