// The samples that ranks send each other for a batch.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <octavo/exchange.hpp>

#include "backend/backend.hpp"
#include "dataset_file/rows/row_source.hpp"
#include "loader/batch_order.hpp"
#include "store/stored_samples.hpp"

namespace octavo::loader {

/// Exchanges rows, masks and labels for one batch after another. Every rank knows the order, so it knows what the
/// others need: no row numbers travel. Not thread-safe.
class RowExchange {
 public:
  /// `samples` are a part of a split, whose ranks are those of `order`. Copies are ordered on `stream`.
  RowExchange(std::shared_ptr<const store::StoredSamples> samples, const BatchOrder& order, StreamRef stream);

  /// Collects what the other ranks need of this one for a batch, and what this one needs: `wanted` samples, each once,
  /// in the order of the split.
  void prepare(std::int64_t epoch, std::int64_t step, std::span<const std::int64_t> wanted);
  /// Exchanges it. The samples that this rank needs come to `target`, one after the other.
  void run(Exchange& exchange, const dataset_file::RowTarget& target);

  /// May be called while another thread uses the object.
  std::int64_t device_bytes() const { return device_bytes_; }

 private:
  /// Rows, masks or labels.
  struct Kind {
    backend::DeviceBuffer buffer;              ///< what is sent
    std::vector<std::int64_t> sent, received;  ///< bytes by rank
  };
  /// Appends those of the `rows` of a rank that this one loaded and that rank has not at hand, each once, in order.
  void append_needed_rows(std::int64_t rank, std::vector<std::int64_t> rows);
  /// `from` has the samples of this rank; bytes_of(row) and place_of(row) are those of a sample in it.
  template <typename BytesOf, typename PlaceOf>
  void prepare_kind(Kind& kind, const backend::DeviceBuffer& from, const BytesOf& bytes_of, const PlaceOf& place_of,
                    std::span<const std::int64_t> wanted);
  void make_room(Kind& kind, std::int64_t bytes);

  std::shared_ptr<const store::StoredSamples> samples_;
  BatchOrder order_;
  StreamRef stream_;
  std::vector<std::int64_t> sent_rows_;  ///< of all ranks, one after the other
  std::vector<std::size_t> sent_ends_;   ///< where those of each rank end
  Kind rows_, masks_, labels_;
  std::atomic<std::int64_t> device_bytes_ = 0;
};

}  // namespace octavo::loader
