#include "sources/choice/balanced_parts.hpp"

#include <algorithm>
#include <random>
#include <string>

#include "catch.hpp"

using namespace octavo::sources;

namespace {

/// Groups with their classes and names.
class Groups {
 public:
  /// `classes` are the numbers of samples of classes 0, 1, ...
  void add(std::uint64_t hash, const std::vector<std::int64_t>& classes) {
    names_.push_back("group " + std::to_string(names_.size()));
    classes_.emplace_back();
    hashes_.push_back(hash);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes[i] > 0) classes_.back().push_back({static_cast<std::int32_t>(i), classes[i]});
    }
  }
  std::vector<GroupCounts> counts() const {
    std::vector<GroupCounts> counts;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      counts.push_back({hashes_[i], names_[i], 0, classes_[i]});
      for (const ClassCount& one : classes_[i]) counts.back().sample_count += one.sample_count;
    }
    return counts;
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<ClassCount>> classes_;
  std::vector<std::uint64_t> hashes_;
};

using Parts = std::vector<std::int32_t>;

Parts parts_of(const Groups& groups, const std::vector<double>& shares) {
  const auto counts = groups.counts();
  return balanced_parts(counts, shares);
}

}  // namespace

TEST_CASE("large groups are placed before small ones, which fill the gaps", "[unit][pack][groups]") {
  Groups groups;
  groups.add(1, {2}), groups.add(2, {2}), groups.add(9, {4});
  // The group of 4 comes first, in spite of its hash, and takes part 0; the others fit only into part 1.
  CHECK(parts_of(groups, {0.5, 0.5}) == Parts{1, 1, 0});
}

TEST_CASE("each class is divided in the shares of the parts", "[unit][pack][groups]") {
  // Two groups of each of two classes: whatever their order, a half of each class is in each part.
  std::vector<std::uint64_t> hashes = {1, 2, 3, 4};
  do {
    Groups groups;
    for (std::size_t i = 0; i < 4; ++i)
      groups.add(hashes[i], i < 2 ? std::vector<std::int64_t>{3} : std::vector<std::int64_t>{0, 3});
    const Parts parts = parts_of(groups, {0.5, 0.5});
    CHECK(parts[0] + parts[1] == 1);
    CHECK(parts[2] + parts[3] == 1);
  } while (std::ranges::next_permutation(hashes).found);

  // A quarter of eight equal groups are two: one of each class.
  Groups groups;
  for (std::uint64_t i = 0; i < 8; ++i)
    groups.add(i, i % 2 == 0 ? std::vector<std::int64_t>{5} : std::vector<std::int64_t>{0, 5});
  const Parts parts = parts_of(groups, {0.75, 0.25});
  CHECK(parts[0] + parts[2] + parts[4] + parts[6] == 1);
  CHECK(parts[1] + parts[3] + parts[5] + parts[7] == 1);
}

TEST_CASE("a class in one group only does not keep other groups out of a part", "[unit][pack][groups]") {
  // Ten groups of four samples, each of a class of its own: a fifth of the samples are two groups.
  Groups groups;
  for (std::size_t i = 0; i < 10; ++i) {
    std::vector<std::int64_t> classes(i + 1);
    classes.back() = 4;
    groups.add(i, classes);
  }
  CHECK(std::ranges::count(parts_of(groups, {0.8, 0.2}), 1) == 2);
}

TEST_CASE("no part is empty, however small its share", "[unit][pack][groups]") {
  Groups groups;
  groups.add(5, {100}), groups.add(6, {100}), groups.add(7, {1});
  CHECK(parts_of(groups, {1.0 - 1e-9, 1e-9}) == Parts{0, 0, 1});  // the smallest group
  const Parts parts = parts_of(groups, {1e-9, 1.0 - 2e-9, 1e-9});
  for (std::int32_t part = 0; part < 3; ++part) CHECK(std::ranges::count(parts, part) == 1);
}

TEST_CASE("equal hashes are decided by name", "[unit][pack][groups]") {
  Groups groups;
  groups.add(1, {1}), groups.add(1, {1});
  CHECK(parts_of(groups, {0.5, 0.5}) == Parts{0, 1});
}

TEST_CASE("shares are met within a group, and the order of the groups does not matter", "[unit][pack][groups]") {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const std::size_t group_count = 20 + random() % 200, class_count = 1 + random() % 5;
    Groups groups;
    for (std::size_t i = 0; i < group_count; ++i) {
      std::vector<std::int64_t> classes(class_count);
      for (std::int64_t& count : classes) count = static_cast<std::int64_t>(random() % 20);
      classes[0] += 1;
      groups.add(random(), classes);
    }
    const auto counts = groups.counts();
    const std::vector<double> shares = {0.5, 0.3, 0.2};
    const Parts parts = balanced_parts(counts, shares);

    std::int64_t total = 0, largest_group = 0;
    std::vector<std::int64_t> sums(3);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      total += counts[i].sample_count;
      largest_group = std::max(largest_group, counts[i].sample_count);
      sums.at(static_cast<std::size_t>(parts[i])) += counts[i].sample_count;
    }
    for (std::size_t part = 0; part < 3; ++part) {
      const double wanted = shares[part] * static_cast<double>(total);
      CHECK(std::abs(static_cast<double>(sums[part]) - wanted) <= static_cast<double>(largest_group));
    }

    std::vector<std::size_t> order(counts.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::shuffle(order, random);
    std::vector<GroupCounts> shuffled;
    for (const std::size_t at : order) shuffled.push_back(counts[at]);
    const Parts again = balanced_parts(shuffled, shares);
    for (std::size_t i = 0; i < order.size(); ++i) REQUIRE(again[i] == parts[order[i]]);
  }
}
