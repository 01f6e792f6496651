// Finds the descriptors near a given one without comparing all.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "doctor/copies/descriptor.hpp"

namespace octavo::doctor {

/// A described sample.
struct DescribedSample {
  Descriptor descriptor;
  float reach = 0.0F;  ///< see reach.hpp
  std::int64_t number = 0;
};

/// A k-d tree: each node halves its samples at the median of the coefficient that varies most. Bounded work: the tree
/// of N samples has a depth of log2(N), and a search compares with at most kMostCompared samples.
class DescriptorTree {
 public:
  /// Takes the samples in any order; their order does not change what is found.
  explicit DescriptorTree(std::vector<DescribedSample> samples);

  static constexpr std::int64_t kMostCompared = 4096;

  /// What a search cost.
  struct Work {
    std::int64_t compared = 0;
    bool is_cut = false;  ///< kMostCompared was reached
  };

  /// Calls found(sample, squared distance) for the samples within `radius` of `descriptor`, nearest parts of the tree
  /// first. Thread-safe.
  Work search(const Descriptor& descriptor, double radius,
              const std::function<void(const DescribedSample&, double)>& found) const;

  std::span<const DescribedSample> samples() const { return samples_; }

 private:
  /// A part of samples_. Its children are the nodes `left` and left + 1, or it is a leaf.
  struct Node {
    std::size_t begin = 0, end = 0;
    std::size_t left = 0;  ///< 0: a leaf
    std::size_t coefficient = 0;
    int middle = 0;  ///< left: at most this; right: at least this
  };

  void split(std::size_t node);

  std::vector<DescribedSample> samples_;
  std::vector<Node> nodes_;
};

/// Sets the reach of each sample, by the distances of descriptors.
void measure_reach(std::vector<DescribedSample>& samples, int thread_count);

}  // namespace octavo::doctor
