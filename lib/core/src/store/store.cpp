#include <octavo/store.hpp>

#include <utility>

#include <octavo/errors.hpp>

#include "backend/capture.hpp"
#include "exchange/group.hpp"
#include "store/loading.hpp"
#include "store/spec/folded_spec.hpp"
#include "store/spec/prepared_maps.hpp"
#include "store/spec/tensor_check.hpp"
#include "store/staging/lent_rows.hpp"
#include "store/staging/row_staging.hpp"

namespace octavo {
namespace {

void check_indices(std::span<const std::int64_t> indices, std::int64_t sample_count) {
  for (const std::int64_t row : indices) {
    if (row < 0 || row >= sample_count) {
      throw InvalidArgument("gather a batch: index " + std::to_string(row) + " is not in [0, " +
                            std::to_string(sample_count) + ")");
    }
  }
}

}  // namespace

Store::Store(std::shared_ptr<const store::StoredSamples> samples)
    : samples_(std::move(samples)),
      staging_(samples_->is_resident() ? nullptr : std::make_shared<store::RowStaging>(samples_)) {}

const BatchSpec& PreparedSpec::spec() const { return maps_->spec(); }
std::int64_t PreparedSpec::device_bytes() const { return maps_->device_bytes(); }

Store Store::load(const Split& split, Device device, const LoadOptions& options) {
  return Store(store::load_samples(split, device, options));
}

Store Store::load(const HostSamples& samples, HostMemory memory, Device device, const LoadOptions& options) {
  return Store(store::load_samples(samples, memory, device, options));
}

Device Store::device() const { return samples_->backend->device(); }
std::int64_t Store::sample_count() const { return samples_->sample_count; }
SampleShape Store::shape() const { return samples_->shape; }
LabelLayout Store::labels() const { return samples_->labels; }
bool Store::has_masks() const { return samples_->has_masks; }
const std::vector<std::string>& Store::class_names() const { return samples_->class_names; }
const Statistics& Store::statistics() const { return samples_->statistics; }
const std::string& Store::statistics_split() const { return samples_->statistics_split; }
std::int64_t Store::device_bytes() const { return samples_->device_bytes(); }
Residency Store::residency() const { return samples_->residency; }
const std::string& Store::residency_reason() const { return samples_->residency_reason; }
std::int64_t Store::resident_count() const { return samples_->resident.count(); }
std::int64_t Store::window_samples() const { return samples_->window_samples; }
void Store::leave_ranks() const {
  if (samples_->group != nullptr) samples_->group->leave();
}
PreparedSpec Store::prepare(const BatchSpec& spec) const {
  return PreparedSpec(std::make_shared<store::PreparedMaps>(samples_, spec));
}

std::optional<ValueMaps> Store::value_maps(const BatchSpec& spec) const {
  const store::FoldedSpec folded = store::fold_spec(spec, statistics(), samples_->quantization, shape());
  if (folded.center_on_batch) return std::nullopt;
  ValueMaps maps;
  maps.shifts = folded.pixel_shifts;
  for (std::size_t c = 0; c < static_cast<std::size_t>(shape().channels); ++c) {
    const kernels::Affine& map = folded.maps[folded.maps.size() == 1 ? 0 : c];
    maps.scales.push_back(map.scale);
    if (folded.pixel_shifts.empty()) maps.shifts.push_back(map.shift);
  }
  return maps;
}

void Store::gather(std::span<const std::int64_t> indices, const PreparedSpec& spec, const TensorView& images,
                   const TensorView& labels, StreamRef stream, std::int64_t epoch, const TensorView& masks) const {
  const auto batch_count = static_cast<std::int64_t>(indices.size());
  check_indices(indices, sample_count());
  if (epoch < 0) throw InvalidArgument("gather a batch: epoch " + std::to_string(epoch) + " is negative");
  store::check_batch_tensors(*samples_, spec.spec(), batch_count, images, labels, masks);
  backend::refuse_capture(*samples_->backend, stream, "gather a batch");
  if (indices.empty()) return;
  const store::BatchTarget target = {images.data, store::label_target(labels, samples_->labels.kind), masks.data};
  const auto gather_from = [&](const kernels::PackedSamples& samples, kernels::RowSelection selection) {
    selection.epoch = static_cast<std::uint64_t>(epoch);
    spec.maps_->gather(samples, selection, batch_count, target, stream);
  };
  if (samples_->is_resident()) {
    const store::LentRows lent(*samples_->backend, indices, stream);
    return gather_from(samples_->resident_samples(), kernels::given_rows(lent.rows(), sample_count()));
  }
  staging_->with_rows(indices, stream, gather_from);
}

void Store::gather(std::span<const std::int64_t> indices, const BatchSpec& spec, const TensorView& images,
                   const TensorView& labels, StreamRef stream, std::int64_t epoch, const TensorView& masks) const {
  gather(indices, prepare(spec), images, labels, stream, epoch, masks);
}

}  // namespace octavo
