// Finds pixels that show the class of every image.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "doctor/sample_pass.hpp"

namespace octavo::doctor {

/// A value of the samples that no two classes share.
struct LeakingPixel {
  std::int64_t channel = 0, y = 0, x = 0;
  std::int64_t value_count = 0;  ///< different values that occur there
};

/// A visitor. Watches up to kMostPositions values of each sample of a split: all, or else those of the border and
/// others evenly chosen. A position is dropped when two classes share a value there, which in real images happens soon.
class LabelLeaks final : public SampleVisitor {
 public:
  static constexpr std::int64_t kMostPositions = 4096;
  explicit LabelLeaks(const SampleSet& samples);
  void visit(const SampleBlock& block) override;

  /// The first position of the split whose value shows the class, after all samples were visited; nothing if there is
  /// none, or too few samples show it: 20, and 5 for each value. In so many samples, the values of two classes do not
  /// stay apart by chance.
  std::optional<LeakingPixel> of(std::size_t split) const;

 private:
  static constexpr std::int32_t kUnseen = -1;
  /// The watched positions of a split.
  struct Watch {
    std::vector<std::int64_t> positions;  ///< in [0, C*H*W)
    std::vector<bool> is_shared;          ///< whether two classes share a value there
    std::vector<std::int32_t> classes;    ///< [positions, 256]: the class of each value that occurred, or kUnseen
    std::size_t open_count = 0;           ///< positions that are not shared
  };

  void watch(Watch& watched, const SampleBlock& block, std::int64_t index, std::int32_t label) const;

  const SampleSet& samples_;
  std::mutex mutex_;
  std::vector<Watch> watches_;  ///< of each split; without positions if it has no class labels
};

}  // namespace octavo::doctor
