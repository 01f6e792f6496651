#include "sources/choice/balanced_parts.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

namespace octavo::sources {
namespace {

// The size of a part matters more than the mean of all classes: small classes can rarely be divided as wanted, and
// together they would leave a small part too small.
constexpr double kSizeWeight = 8.0;
// Almost all moves are in the first two passes; a bound keeps the time linear.
constexpr int kMostPasses = 8;

double squared(double value) { return value * value; }

/// The samples of each part so far.
class Parts {
 public:
  Parts(std::span<const GroupCounts> groups, std::span<const double> shares)
      : shares_(shares), sample_counts_(shares.size()), group_counts_(shares.size()), costs_(shares.size()) {
    std::int64_t sample_count = 0;
    for (const GroupCounts& group : groups) {
      sample_count += group.sample_count;
      for (const ClassCount& counted : group.classes) {
        const auto at = static_cast<std::size_t>(counted.class_number);
        if (at >= classes_.size()) classes_.resize(at + 1);
        classes_[at].sample_count += counted.sample_count;
        ++classes_[at].group_count;
      }
    }
    const auto class_count = std::ranges::count_if(classes_, [](const Class& one) { return one.group_count > 1; });
    for (Class& one : classes_) {
      if (one.group_count > 1) {
        one.weight = 1.0 / (static_cast<double>(class_count) * squared(static_cast<double>(one.sample_count)));
      }
    }
    size_weight_ = kSizeWeight / squared(static_cast<double>(sample_count));
  }

  std::int64_t group_count(std::size_t part) const { return group_counts_[part]; }

  /// The part where the group, which is in none, adds the least; of equal ones `first`, then the lowest.
  std::size_t best_for(const GroupCounts& group, std::size_t first) {
    find_costs(group);
    std::size_t best = first;
    for (std::size_t part = 0; part < costs_.size(); ++part) {
      if (costs_[part] < costs_[best]) best = part;
    }
    return best;
  }

  void add(const GroupCounts& group, std::size_t part) { count(group, part, 1); }
  void remove(const GroupCounts& group, std::size_t part) { count(group, part, -1); }

 private:
  struct PartCount {
    std::size_t part = 0;
    std::int64_t sample_count = 0;
  };
  struct Class {
    std::int64_t sample_count = 0;
    std::int64_t group_count = 0;
    double weight = 0.0;                ///< of squares of counts; 0 if the class cannot be divided
    std::vector<PartCount> parts = {};  ///< those that have had samples of it, a few of many
  };

  Class& class_of(const ClassCount& counted) { return classes_[static_cast<std::size_t>(counted.class_number)]; }

  /// (n + g)^2 - n^2 = g * (2 * n + g), weighted, for all samples and for each class of the group.
  void find_costs(const GroupCounts& group) {
    const auto size = static_cast<double>(group.sample_count);
    double own = size_weight_ * squared(size);
    for (std::size_t part = 0; part < costs_.size(); ++part) {
      costs_[part] = 2.0 * size_weight_ * size * static_cast<double>(sample_counts_[part]);
    }
    for (const ClassCount& counted : group.classes) {
      const Class& one = class_of(counted);
      const double weighted = one.weight * static_cast<double>(counted.sample_count);
      own += weighted * static_cast<double>(counted.sample_count);
      for (const PartCount& there : one.parts) {
        costs_[there.part] += 2.0 * weighted * static_cast<double>(there.sample_count);
      }
    }
    for (std::size_t part = 0; part < costs_.size(); ++part) costs_[part] = (costs_[part] + own) / shares_[part];
  }

  void count(const GroupCounts& group, std::size_t part, int sign) {
    sample_counts_[part] += sign * group.sample_count;
    group_counts_[part] += sign;
    for (const ClassCount& counted : group.classes) {
      auto& parts = class_of(counted).parts;
      auto there = std::ranges::find(parts, part, &PartCount::part);
      if (there == parts.end()) there = parts.insert(there, {part, 0});
      there->sample_count += sign * counted.sample_count;
    }
  }

  std::span<const double> shares_;
  double size_weight_ = 0.0;
  std::vector<std::int64_t> sample_counts_, group_counts_;  ///< of each part
  std::vector<Class> classes_;
  std::vector<double> costs_;  ///< for each part, of the group at hand
};

/// Those with more samples first, by powers of two; then by hash, so that the seed changes the result.
std::vector<std::size_t> placing_order(std::span<const GroupCounts> groups) {
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t at) {
    const GroupCounts& group = groups[at];
    return std::tuple(-std::bit_width(static_cast<std::uint64_t>(group.sample_count)), group.hash, group.name);
  });
  return order;
}

/// Fills empty parts with the groups that were placed last, which are the smallest.
void fill_empty_parts(std::span<const GroupCounts> groups, const std::vector<std::size_t>& order,
                      std::size_t part_count, Parts& parts, std::vector<std::int32_t>& part_of) {
  auto next = order.rbegin();
  for (std::size_t part = 0; part < part_count; ++part) {
    if (parts.group_count(part) > 0) continue;
    while (parts.group_count(static_cast<std::size_t>(part_of[*next])) < 2) ++next;
    parts.remove(groups[*next], static_cast<std::size_t>(part_of[*next]));
    parts.add(groups[*next], part);
    part_of[*next++] = static_cast<std::int32_t>(part);
  }
}

}  // namespace

std::vector<std::int32_t> balanced_parts(std::span<const GroupCounts> groups, std::span<const double> shares) {
  Parts parts(groups, shares);
  std::vector<std::int32_t> part_of(groups.size(), 0);
  const std::vector<std::size_t> order = placing_order(groups);
  for (const std::size_t at : order) {
    const std::size_t part = parts.best_for(groups[at], 0);
    parts.add(groups[at], part);
    part_of[at] = static_cast<std::int32_t>(part);
  }
  bool is_settled = false;
  for (int pass = 0; pass < kMostPasses && !is_settled; ++pass) {
    is_settled = true;
    for (const std::size_t at : order) {
      const auto old_part = static_cast<std::size_t>(part_of[at]);
      parts.remove(groups[at], old_part);
      const std::size_t part = parts.best_for(groups[at], old_part);
      parts.add(groups[at], part);
      part_of[at] = static_cast<std::int32_t>(part);
      is_settled = is_settled && part == old_part;
    }
  }
  fill_empty_parts(groups, order, shares.size(), parts, part_of);
  return part_of;
}

}  // namespace octavo::sources
