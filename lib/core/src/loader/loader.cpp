#include <octavo/loader.hpp>

#include <utility>

#include "loader/packed_server.hpp"
#include "loader/pipeline.hpp"

namespace octavo {

const Batch& EpochRange::Iterator::operator*() const { return pipeline_->current(); }
EpochRange::Iterator& EpochRange::Iterator::operator++() {
  pipeline_->advance();
  return *this;
}
bool EpochRange::Iterator::operator==(std::default_sentinel_t) const { return pipeline_->is_done(); }
EpochRange::Iterator EpochRange::begin() const { return Iterator(pipeline_); }

Loader::Loader(const Store& store, LoaderOptions options)
    : pipeline_(std::make_unique<loader::Pipeline>(
          std::make_shared<loader::PackedServer>(store.samples(), std::move(options)))) {}
Loader::Loader(std::unique_ptr<loader::Pipeline> pipeline) : pipeline_(std::move(pipeline)) {}
Loader::~Loader() = default;
Loader::Loader(Loader&&) noexcept = default;
Loader& Loader::operator=(Loader&&) noexcept = default;

std::int64_t Loader::batches_per_epoch(std::int64_t epoch) const { return pipeline_->batches_per_epoch(epoch); }
const LoaderOptions& Loader::options() const { return pipeline_->options(); }
EpochRange Loader::epoch(std::int64_t epoch, StreamRef stream) {
  pipeline_->begin(epoch, stream);
  return EpochRange(pipeline_.get());
}
LoaderState Loader::state() const { return pipeline_->state(); }
void Loader::restore(const LoaderState& state) { pipeline_->restore(state); }
std::int64_t Loader::device_bytes() const { return pipeline_->device_bytes(); }

Loader make_loader(std::shared_ptr<loader::BatchServer> server) {
  return Loader(std::make_unique<loader::Pipeline>(std::move(server)));
}

}  // namespace octavo
