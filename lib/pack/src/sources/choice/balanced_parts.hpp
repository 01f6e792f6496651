// Dividing groups of samples into parts with given shares of the samples and of each class.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace octavo::sources {

struct ClassCount {
  std::int32_t class_number = 0;  ///< from 0
  std::int64_t sample_count = 0;  ///< at least 1
};

struct GroupCounts {
  std::uint64_t hash = 0;  ///< decides between groups of similar size; depends on the name and on the seed
  std::string_view name;   ///< unique; decides between equal hashes
  std::int64_t sample_count = 0;
  std::span<const ClassCount> classes;  ///< each class of its samples once
};

/// The part of each group. The shares of the parts, which are above 0 and add up to 1, are approximated as far as whole
/// groups allow, for all samples and for each class that is in more than one group. No part is empty.
///
/// Minimizes sum over parts p of 1/shares[p] * (weight * (n_p/n)^2 + mean over classes c of (n_pc/n_c)^2), which has
/// its minimum where all fractions n_p/n and n_pc/n_c equal shares[p]. Groups are placed one by one, those with more
/// samples first (by powers of two, then by hash), where they add the least; then single groups move, and groups of
/// similar size change places, as long as this is better, in a bounded number of passes. This is the idea of
/// scikit-learn's StratifiedGroupKFold, with sums of squares instead of the mean deviation, so that the cost of a group
/// depends only on its own classes.
///
/// The result depends only on the groups and the shares, not on the order of the groups. Memory is proportional to the
/// groups and their classes. Requires at least as many groups as parts.
std::vector<std::int32_t> balanced_parts(std::span<const GroupCounts> groups, std::span<const double> shares);

}  // namespace octavo::sources
