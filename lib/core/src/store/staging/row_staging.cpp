#include "store/staging/row_staging.hpp"

namespace octavo::store {

RowStaging::Room::Room(const std::shared_ptr<const StoredSamples>& samples, std::int64_t row_count)
    : most_rows(row_count), slot(samples, row_count), upload(slot.make_upload()) {}

void RowStaging::Room::with_rows(std::span<const std::int64_t> rows, StreamRef stream, const Use& use) {
  slot.fill({{rows.begin(), rows.end()}, {}, {}}, upload.get(), stream, false);
  slot.use(stream, [&] { use(slot.samples(), slot.selection(0)); });
}

void RowStaging::with_rows(std::span<const std::int64_t> rows, StreamRef stream, const Use& use) {
  const auto row_count = static_cast<std::int64_t>(rows.size());
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return Room(samples_, row_count).with_rows(rows, stream, use);
  if (room_ == nullptr || room_->most_rows < row_count) {
    room_.reset();
    room_ = std::make_unique<Room>(samples_, row_count);
  }
  room_->with_rows(rows, stream, use);
}

}  // namespace octavo::store
