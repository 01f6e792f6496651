// Measures the memory use of a split on a device as float32, float16 and int8.
#include <octavo/loader.hpp>
#include <octavo/measurements.hpp>

#include "dataset_file/split_data.hpp"
#include "loader/packed_server.hpp"
#include "measuring/device_probe.hpp"
#include "store/row_layout.hpp"
#include "store/stored_samples.hpp"

namespace octavo {
namespace {

using measuring::taken_bytes;

BatchSpec spec_of(DType type) {
  BatchSpec spec;
  spec.dtype = type;
  return spec;
}

/// `has_masks`: each sample has a mask, whose bytes do not depend on the type of the values.
std::int64_t computed_bytes(std::int64_t sample_count, SampleShape shape, LabelLayout labels, bool has_masks,
                            std::int64_t bytes_per_value) {
  const std::int64_t mask_bytes = has_masks ? shape.values_per_channel() : 0;
  return sample_count * (shape.values() * bytes_per_value + mask_bytes + labels.bytes_per_sample());
}

/// Decodes all samples into a buffer and returns how much device memory that takes. Returns nothing if it would need
/// more than half of the free memory.
std::optional<std::int64_t> measure_all(const loader::PackedServer& server) {
  const auto& backend = server.backend();
  const std::int64_t N = server.order().sample_count();
  const std::int64_t value_bytes = N * server.shape().bytes();
  const std::int64_t label_bytes = N * server.labels().bytes_per_sample();
  const std::int64_t mask_bytes = server.has_masks() ? N * server.shape().mask_values() : 0;  // uint8
  if (value_bytes + label_bytes + mask_bytes > backend->memory().free_bytes / 2) return std::nullopt;
  const auto decode = [&](std::int64_t count) {
    const backend::DeviceBuffer values(backend, static_cast<std::size_t>(value_bytes / N * count), "decoded samples");
    const backend::DeviceBuffer labels(backend, static_cast<std::size_t>(label_bytes / N * count), "their labels");
    const backend::DeviceBuffer masks(backend, static_cast<std::size_t>(mask_bytes / N * count), "their masks");
    const backend::FinishAtEnd finish_at_end(backend, {});
    server.serve_first(count, values.data(), labels.data(), masks.data());
    backend->synchronize({});
    return taken_bytes(*backend);
  };
  decode(1);  // excludes what the device loads at first use, such as the kernel itself
  const std::int64_t before = taken_bytes(*backend);
  return decode(N) - before;
}

/// Bytes on the device used by a loader over `store` for batches of `type`.
std::int64_t batch_buffer_bytes(const Store& store, std::int64_t batch_size, DType type) {
  LoaderOptions options;
  options.batch_size = batch_size;
  options.spec = spec_of(type);
  return Loader(store, options).device_bytes();
}

ResidencyCost measure_as(const Store& store, std::int64_t batch_size, DType type, const char* name) {
  const auto& samples = store.samples();
  const loader::PackedServer server(samples, {.spec = spec_of(type)});
  ResidencyCost cost;
  cost.name = name;
  cost.computed_bytes =
      computed_bytes(store.sample_count(), store.shape(), store.labels(), store.has_masks(), bytes_of(type));
  cost.measured_bytes = measure_all(server);
  cost.batch_buffer_bytes = batch_buffer_bytes(store, batch_size, type);
  return cost;
}

}  // namespace

std::vector<ResidencyCost> measure_decoded(const Store& store, std::int64_t batch_size) {
  return {measure_as(store, batch_size, DType::float32, "float32"),
          measure_as(store, batch_size, DType::float16, "float16")};
}

ResidencyCost measure_packed(const Split& split, Device device, std::int64_t batch_buffer_bytes) {
  ResidencyCost cost;
  cost.name = "int8";
  cost.computed_bytes = computed_bytes(split.sample_count(), split.shape(), split.labels(), split.has_masks(), 1);
  const dataset_file::SplitDescription& stored = split.data()->description();
  if (!stored.rows.have_one_size()) {
    // Compressed rows, and what decodes them, instead of the codes.
    cost.name = to_string(split.compression());
    cost.computed_bytes = split.sample_count() * split.labels().bytes_per_sample();
    for (const dataset_file::RowOffsets* const rows : {&stored.rows, &stored.mask_rows}) {
      if (rows->have_one_size()) continue;  // no masks
      cost.computed_bytes += store::resident_bytes(*rows, split.sample_count());
    }
  }
  cost.batch_buffer_bytes = batch_buffer_bytes;
  const auto backend = backend::make_backend(device);
  const std::int64_t before = taken_bytes(*backend);
  LoadOptions options;
  options.verify_checksums = false;  // already verified by the first load
  options.residency = Residency::device;
  const Store store = Store::load(split, device, options);
  cost.measured_bytes = taken_bytes(*backend) - before;
  return cost;
}

}  // namespace octavo
