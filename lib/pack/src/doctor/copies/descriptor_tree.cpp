#include "doctor/copies/descriptor_tree.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "doctor/reach.hpp"
#include "support/threads.hpp"

namespace octavo::doctor {
namespace {

constexpr std::size_t kLeafSamples = 32;

/// The coefficient that varies most.
std::size_t widest_coefficient(std::span<const DescribedSample> samples) {
  std::array<double, Descriptor::kSize> sums = {}, squares = {};
  for (const DescribedSample& sample : samples) {
    for (std::size_t i = 0; i < Descriptor::kSize; ++i) {
      const double value = sample.descriptor.coefficients[i];
      sums[i] += value;
      squares[i] += value * value;
    }
  }
  std::array<double, Descriptor::kSize> variances = {};
  for (std::size_t i = 0; i < Descriptor::kSize; ++i) {
    variances[i] = squares[i] - sums[i] * sums[i] / static_cast<double>(samples.size());
  }
  return static_cast<std::size_t>(std::ranges::max_element(variances) - variances.begin());
}

/// A part of the tree, and how far away it is at least: by the offset from it in each coefficient.
struct Region {
  std::size_t node = 0;
  double squared_distance = 0.0;
  std::array<float, Descriptor::kSize> offsets = {};

  void move_away(std::size_t coefficient, double offset) {
    float& known = offsets[coefficient];
    if (std::abs(offset) <= std::abs(double{known})) return;
    squared_distance += offset * offset - double{known} * double{known};
    known = static_cast<float>(offset);
  }
};

}  // namespace

DescriptorTree::DescriptorTree(std::vector<DescribedSample> samples) : samples_(std::move(samples)) {
  std::ranges::sort(samples_, {}, &DescribedSample::number);
  nodes_.push_back({0, samples_.size()});
  for (std::size_t node = 0; node < nodes_.size(); ++node) split(node);
}

void DescriptorTree::split(std::size_t node) {
  const std::size_t begin = nodes_[node].begin, end = nodes_[node].end;
  if (end - begin <= kLeafSamples) return;
  const std::size_t coefficient = widest_coefficient(std::span(samples_).subspan(begin, end - begin));
  const std::size_t middle = begin + (end - begin) / 2;
  const auto value_of = [&](const DescribedSample& sample) { return sample.descriptor.coefficients[coefficient]; };
  const auto at = [&](std::size_t i) { return samples_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(begin), at(middle), at(end), [&](const DescribedSample& a, const DescribedSample& b) {
    return std::pair(value_of(a), a.number) < std::pair(value_of(b), b.number);
  });
  nodes_[node].coefficient = coefficient;
  nodes_[node].middle = value_of(samples_[middle]);
  nodes_[node].left = nodes_.size();
  nodes_.push_back({begin, middle});
  nodes_.push_back({middle, end});
}

DescriptorTree::Work DescriptorTree::search(const Descriptor& descriptor, double radius,
                                            const std::function<void(const DescribedSample&, double)>& found) const {
  Work work;
  const double squared_radius = radius * radius;
  std::vector<Region> open = {{}};  // at most one for each level, and one
  while (!open.empty()) {
    const Region region = open.back();
    open.pop_back();
    const Node& node = nodes_[region.node];
    if (node.left != 0) {
      const double offset = (descriptor.coefficients[node.coefficient] - node.middle) / Descriptor::kUnit;
      Region near = region, far = region;
      near.node = offset < 0 ? node.left : node.left + 1;
      far.node = offset < 0 ? node.left + 1 : node.left;
      far.move_away(node.coefficient, offset);
      if (far.squared_distance <= squared_radius) open.push_back(far);
      open.push_back(near);
      continue;
    }
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const double squared = squared_distance(descriptor, samples_[i].descriptor);
      if (squared <= squared_radius) found(samples_[i], squared);
    }
    work.compared += static_cast<std::int64_t>(node.end - node.begin);
    if (work.compared < kMostCompared || open.empty()) continue;
    work.is_cut = true;
    break;
  }
  return work;
}

void measure_reach(std::vector<DescribedSample>& samples, int thread_count) {
  std::vector<DescribedSample> references;
  for (const std::size_t i : reference_numbers(samples.size())) references.push_back(samples[i]);
  constexpr std::size_t kSamplesAtOnce = 256;
  std::atomic<std::size_t> next = 0;
  run_on_threads(resolve_thread_count(thread_count), [&](int) {
    std::vector<double> distances;
    for (std::size_t first; (first = next.fetch_add(kSamplesAtOnce)) < samples.size();) {
      for (std::size_t i = first; i < std::min(first + kSamplesAtOnce, samples.size()); ++i) {
        distances.clear();
        for (const DescribedSample& reference : references) {
          if (reference.number == samples[i].number) continue;
          distances.push_back(squared_distance(samples[i].descriptor, reference.descriptor));
        }
        samples[i].reach = static_cast<float>(reach_of(distances));
      }
    }
  });
}

}  // namespace octavo::doctor
