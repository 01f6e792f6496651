#include "store/staging/upload.hpp"

#include <utility>

#include <octavo/errors.hpp>

namespace octavo::store {

Upload::Upload(std::shared_ptr<backend::Backend> backend, std::int64_t block_bytes)
    : backend_(std::move(backend)), block_bytes_(block_bytes) {
  blocks_.push_back(
      {backend::PinnedBuffer(backend_, static_cast<std::size_t>(block_bytes_)), backend::OwnedEvent(backend_)});
}

Upload::~Upload() {
  for (const Block& block : blocks_) backend::finish(*backend_, block.copied.get());
}

std::byte* Upload::begin_block() {
  if (turn_ == blocks_.size()) add_second_block();
  const Block& block = blocks_[turn_];
  backend_->synchronize_event(block.copied.get());
  return block.memory.data();
}

void Upload::add_second_block() {
  if (may_grow_) {
    try {
      blocks_.push_back(
          {backend::PinnedBuffer(backend_, static_cast<std::size_t>(block_bytes_)), backend::OwnedEvent(backend_)});
      return;
    } catch (const OutOfMemory&) {
      may_grow_ = false;
    }
  }
  turn_ = 0;
}

void Upload::copy(void* to, const std::byte* from, std::int64_t bytes, StreamRef stream) {
  if (bytes == 0) return;
  try {
    backend_->copy_pinned_to_device(to, from, static_cast<std::size_t>(bytes), stream);
  } catch (...) {
    // Copies from this block that were enqueued before have no event yet.
    backend::finish(*backend_, stream);
    throw;
  }
}

void Upload::finish_block(StreamRef stream) {
  backend::record_or_finish(*backend_, blocks_[turn_].copied.get(), stream);
  turn_ = turn_ == 0 ? 1 : 0;
}

}  // namespace octavo::store
