// Reads the rows of a batch from the shards that have them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/thread_pool.hpp"
#include "dataset_file/rows/row_source.hpp"
#include "dataset_file/split_data.hpp"

namespace octavo::dataset_file {

/// The samples of a split that are in one shard.
struct ShardPart {
  std::shared_ptr<const SplitData> data;
  std::int64_t first_row = 0;  ///< of the whole split
};

/// The number of the part that has `row`, which exists. The parts are in the order of their rows.
std::size_t part_of_row(std::span<const ShardPart> parts, std::int64_t row);

/// Reads several shards at once, each into its places of the target. Thread-safe.
class ShardRows final : public RowSource {
 public:
  /// `whole` describes the whole split, and is not kept. Throws IoError.
  ShardRows(std::span<const ShardPart> parts, const SplitDescription& whole, const RowReading& reading);

  void read(std::span<const std::int64_t> rows, const RowTarget& target,
            const std::atomic<bool>& cancelled) const override;
  std::int64_t start(std::span<const std::int64_t> rows) const noexcept override;
  bool is_remote() const noexcept override { return sources_.front()->is_remote(); }

 private:
  struct Share;
  void read_share(const Share& share, const RowTarget& target, const std::atomic<bool>& cancelled) const;

  std::vector<ShardPart> parts_;
  SampleShape shape_;
  std::size_t label_bytes_;
  bool with_masks_;
  std::vector<std::unique_ptr<const RowSource>> sources_;  ///< of each part
  mutable backend::ThreadPool pool_;
};

}  // namespace octavo::dataset_file
