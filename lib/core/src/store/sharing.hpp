// The ranks that load a split together, with the residency `sharded`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"
#include "exchange/group.hpp"
#include "store/rank_rows.hpp"

namespace octavo::store {

/// Every function is collective: all ranks call the same ones in the same order, and an error is one on all of them.
class Sharing {
 public:
  /// Throws InvalidArgument if the ranks load different samples. `check` is called while ranks wait, and may throw.
  /// With `shares_memory`, ranks of one machine share the memory of what they load.
  Sharing(std::shared_ptr<Exchange> exchange, const std::string& what, std::int64_t sample_count,
          std::uint64_t data_hash, bool shares_memory, std::function<void()> check);

  const std::shared_ptr<exchange::Group>& group() const { return group_; }
  const RankRows& ranks() const { return ranks_; }
  /// What this rank loads, and what it has at hand.
  RowRange loaded() const { return ranks_.loaded_by(group_->rank()); }
  RowRange at_hand() const { return ranks_.at_hand(group_->rank()); }

  /// Throws OutOfMemory, on all ranks, unless all of them have room.
  void require_room(bool has_room) const;
  /// Memory for something that this rank has at hand; as many bytes on all ranks that share it. Throws OutOfMemory.
  backend::DeviceBuffer allocate(const std::shared_ptr<backend::Backend>& backend, std::size_t bytes,
                                 std::string_view what) const;
  /// Calls load() and waits until all ranks have done so. Throws what it throws.
  void load(const std::function<void()>& load) const;

 private:
  std::vector<std::int64_t> agree(std::int64_t value) const { return group_->agree(value, check_); }

  std::string what_;
  std::function<void()> check_;
  std::shared_ptr<exchange::Group> group_;
  RankRows ranks_;
  std::vector<std::int64_t> processes_;  ///< by rank
};

}  // namespace octavo::store
