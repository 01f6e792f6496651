#include <octavo/store.hpp>

#include <utility>

#include <octavo/errors.hpp>

#include "store/prepared_maps.hpp"
#include "store/resident_samples.hpp"
#include "store/tensor_check.hpp"

namespace octavo {
namespace {

/// The split whose statistics centre the batches of `split`.
Split statistics_source(const Split& split) {
  const Dataset dataset = split.dataset();
  return dataset.has_split("train") && dataset.split("train").shape() == split.shape() ? dataset.split("train") : split;
}

void check_rows(std::span<const std::int64_t> rows, std::int64_t sample_count) {
  for (const std::int64_t row : rows) {
    if (row < 0 || row >= sample_count) {
      throw InvalidArgument("gather a batch: row " + std::to_string(row) + " is not in [0, " +
                            std::to_string(sample_count) + ")");
    }
  }
}

/// Row numbers on the device, for as long as it lives.
class LentRows {
 public:
  LentRows(backend::Backend& backend, std::span<const std::int64_t> rows, StreamRef stream)
      : backend_(backend), stream_(stream), rows_(backend.lend_rows(rows, stream)) {}
  ~LentRows() {
    try {
      backend_.return_rows(rows_, stream_);
    } catch (const DeviceError&) {
      // The device has failed: the next call on it says so.
    }
  }
  LentRows(const LentRows&) = delete;
  LentRows& operator=(const LentRows&) = delete;
  const std::int64_t* rows() const { return rows_; }

 private:
  backend::Backend& backend_;
  StreamRef stream_;
  const std::int64_t* rows_;
};

}  // namespace

const BatchSpec& PreparedSpec::spec() const { return maps_->spec(); }
std::int64_t PreparedSpec::device_bytes() const { return maps_->device_bytes(); }

Store Store::load(const Split& split, Device device, const LoadOptions& options) {
  auto samples = std::make_shared<store::ResidentSamples>();
  samples->backend = backend::make_backend(device);
  samples->split_name = split.name();
  samples->sample_count = split.sample_count();
  samples->shape = split.shape();
  samples->labels = split.labels();
  samples->class_names = split.class_names();
  const Split source = statistics_source(split);
  samples->statistics = source.statistics();
  samples->statistics_split = source.name();
  samples->row_stride_bytes = store::row_stride_bytes(samples->shape.values(), samples->backend->is_host());

  // The products fit: the reader has compared them with the real size of the file.
  const std::string what = "samples of split " + split.name();
  samples->codes = backend::DeviceBuffer(samples->backend,
                                         static_cast<std::size_t>(samples->sample_count * samples->row_stride_bytes),
                                         "the packed " + what);
  samples->label_words = backend::DeviceBuffer(
      samples->backend, static_cast<std::size_t>(samples->sample_count * samples->labels.bytes_per_sample()),
      "the labels of the " + what);
  samples->error_slot = backend::DeviceBuffer(samples->backend, sizeof(std::uint32_t), "an error slot");
  samples->backend->fill_zero(samples->error_slot.data(), samples->error_slot.bytes(), {});
  store::read_samples(split, options, *samples);
  return Store(std::move(samples));
}

Device Store::device() const { return samples_->backend->device(); }
std::int64_t Store::sample_count() const { return samples_->sample_count; }
SampleShape Store::shape() const { return samples_->shape; }
LabelLayout Store::labels() const { return samples_->labels; }
const std::vector<std::string>& Store::class_names() const { return samples_->class_names; }
const Statistics& Store::statistics() const { return samples_->statistics; }
const std::string& Store::statistics_split() const { return samples_->statistics_split; }
std::int64_t Store::device_bytes() const { return samples_->device_bytes(); }
std::int64_t Store::padding_bytes() const {
  return samples_->sample_count * (samples_->row_stride_bytes - samples_->shape.values());
}

PreparedSpec Store::prepare(const BatchSpec& spec) const {
  return PreparedSpec(std::make_shared<store::PreparedMaps>(samples_, spec));
}

void Store::gather(std::span<const std::int64_t> rows, const PreparedSpec& spec, const TensorView& images,
                   const TensorView& labels, StreamRef stream) const {
  const auto batch_count = static_cast<std::int64_t>(rows.size());
  check_rows(rows, sample_count());
  store::check_batch_tensors(*samples_, spec.spec(), batch_count, images, labels);
  if (rows.empty()) return;
  backend::Backend& backend = *samples_->backend;
  const LentRows lent(backend, rows, stream);
  spec.maps_->gather({lent.rows(), kernels::make_order_key(sample_count(), 0, 0, false), 0}, batch_count, images.data,
                     store::label_target(labels, samples_->labels.kind), stream);
}

void Store::gather(std::span<const std::int64_t> rows, const BatchSpec& spec, const TensorView& images,
                   const TensorView& labels, StreamRef stream) const {
  gather(rows, prepare(spec), images, labels, stream);
}

}  // namespace octavo
