#include "loader/rows/row_exchange.hpp"

#include <algorithm>
#include <utility>

namespace octavo::loader {

RowExchange::RowExchange(std::shared_ptr<const store::StoredSamples> samples, const BatchOrder& order, StreamRef stream)
    : samples_(std::move(samples)), order_(order), stream_(stream) {}

void RowExchange::prepare(std::int64_t epoch, std::int64_t step, std::span<const std::int64_t> wanted) {
  const std::int64_t own = order_.options().rank;
  sent_rows_.clear();
  sent_ends_.clear();
  for (std::int64_t rank = 0; rank < samples_->ranks.world_size(); ++rank) {
    if (rank != own) append_needed_rows(rank, order_.rows(epoch, step, rank).rows);
    sent_ends_.push_back(sent_rows_.size());
  }
  const store::RowLayout& layout = samples_->layout;
  const auto bytes_in = [](const dataset_file::RowOffsets& rows) {
    return [&rows](std::int64_t row) { return rows.bytes(row); };
  };
  const auto label_bytes = [&](std::int64_t) { return layout.label_bytes; };
  const std::int64_t first = samples_->resident.ranges().empty() ? 0 : samples_->resident.ranges().front().first;
  const auto slot_in = [first](const dataset_file::RowOffsets& rows) {
    return [&rows, first](std::int64_t row) { return rows[row - first]; };
  };
  prepare_kind(rows_, samples_->codes, bytes_in(samples_->rows_in_source), slot_in(samples_->resident_rows), wanted);
  prepare_kind(masks_, samples_->masks, bytes_in(samples_->masks_in_source), slot_in(samples_->resident_masks), wanted);
  prepare_kind(
      labels_, samples_->label_words, label_bytes, [&, first](std::int64_t row) { return layout.labels(row - first); },
      wanted);
}

void RowExchange::append_needed_rows(std::int64_t rank, std::vector<std::int64_t> rows) {
  const store::RowRange own = samples_->ranks.loaded_by(order_.options().rank);
  const store::RowRange at_hand = samples_->ranks.at_hand(rank);
  std::erase_if(rows, [&](std::int64_t row) { return !store::contains(own, row) || store::contains(at_hand, row); });
  std::ranges::sort(rows);
  sent_rows_.insert(sent_rows_.end(), rows.begin(), std::unique(rows.begin(), rows.end()));
}

template <typename BytesOf, typename PlaceOf>
void RowExchange::prepare_kind(Kind& kind, const backend::DeviceBuffer& from, const BytesOf& bytes_of,
                               const PlaceOf& place_of, std::span<const std::int64_t> wanted) {
  const auto R = static_cast<std::size_t>(samples_->ranks.world_size());
  kind.sent.assign(R, 0);
  kind.received.assign(R, 0);
  std::int64_t rank = 0;
  for (const std::int64_t row : wanted) {
    while (!store::contains(samples_->ranks.loaded_by(rank), row)) ++rank;
    kind.received[static_cast<std::size_t>(rank)] += bytes_of(row);
  }
  std::int64_t total = 0;
  for (std::size_t i = 0, to = 0; i < sent_rows_.size(); ++i) {
    while (i >= sent_ends_[to]) ++to;
    kind.sent[to] += bytes_of(sent_rows_[i]);
    total += bytes_of(sent_rows_[i]);
  }
  make_room(kind, total);
  // Rows that follow each other are copied together.
  std::byte* out = kind.buffer.as<std::byte>();
  for (std::size_t i = 0; i < sent_rows_.size();) {
    const std::int64_t begin = place_of(sent_rows_[i]);
    std::int64_t bytes = bytes_of(sent_rows_[i]);
    std::size_t next = i + 1;
    for (; next < sent_rows_.size() && sent_rows_[next] == sent_rows_[next - 1] + 1; ++next) {
      bytes += bytes_of(sent_rows_[next]);
    }
    if (bytes > 0) {
      samples_->backend->copy_on_device(out, from.as<std::byte>() + begin, static_cast<std::size_t>(bytes), stream_);
    }
    out += bytes;
    i = next;
  }
}

/// Makes the buffer of a kind at least this large.
void RowExchange::make_room(Kind& kind, std::int64_t bytes) {
  if (bytes <= static_cast<std::int64_t>(kind.buffer.bytes())) return;
  backend::finish(*samples_->backend, stream_);  // the last exchange may still read it
  kind.buffer = {};
  kind.buffer = backend::DeviceBuffer(samples_->backend, static_cast<std::size_t>(bytes + bytes / 4),
                                      "the samples for other ranks");
  device_bytes_ = static_cast<std::int64_t>(rows_.buffer.bytes() + masks_.buffer.bytes() + labels_.buffer.bytes());
}

void RowExchange::run(Exchange& exchange, const dataset_file::RowTarget& target) {
  const Device device = samples_->backend->device();
  const auto exchange_kind = [&](const Kind& kind, std::byte* to) {
    exchange.all_to_all({kind.buffer.as<std::byte>(), kind.sent}, {to, kind.received}, device, stream_);
  };
  exchange_kind(rows_, target.rows);
  if (samples_->has_masks) exchange_kind(masks_, target.masks);
  if (samples_->layout.label_bytes != 0) exchange_kind(labels_, target.labels);
}

}  // namespace octavo::loader
