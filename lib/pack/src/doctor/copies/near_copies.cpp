#include "doctor/copies/near_copies.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "doctor/copies/copy_residual.hpp"
#include "doctor/copies/descriptor_tree.hpp"
#include "doctor/reach.hpp"
#include "format/statistics/codes.hpp"
#include "support/threads.hpp"

namespace octavo::doctor {
namespace {

// docs/results/doctor.md has the measurements behind these three.
/// Descriptors of candidates are at most this part of the reach apart.
constexpr double kMostDistance = 0.2;
/// Pixels of a copy leave at most this part of the reach unexplained, and of a turned copy this part: three turns are
/// three more chances for a false alarm.
constexpr double kMostDifference = 0.11, kMostTurnedDifference = 0.075;
/// N samples have N^2 / 2 pairs, and the share of them within a distance d of each other grows like d^m, where m is the
/// dimension of the data: 5 to 10. So below this number of samples, the limits may rise by its ratio to N, to the power
/// of 2 / 10, without more false alarms; up to a limit, and not for tiny images, where two digits 1 are almost equal.
constexpr double kManySamples = 10'000, kRise = 0.2, kMostRise = 1.6;
constexpr std::int64_t kTinyCells = 256;
/// A turned candidate is at most this far away, relative to its distance without the turn. Symmetric images are near
/// their own mirror image, and so are all that look like them.
constexpr double kMostTurnedShare = 0.5;

constexpr std::array<Turn, 4> kTurns = {Turn::none, Turn::left_right, Turn::upside_down, Turn::half_turn};
/// Of one sample, this many candidates in its split and this many in others are verified.
constexpr std::size_t kMostCandidates = 3;
/// These bound the memory: 32 bytes for a candidate, and 4 KiB for an image that is compared.
constexpr std::size_t kSearchesAtOnce = 1 << 15, kPairsAtOnce = 1 << 13;

/// The nearest candidates of a sample.
class NearestCandidates {
 public:
  void add(const NearPair& pair) {
    const auto before = [](const NearPair& a, const NearPair& b) {
      return std::tuple(a.difference, a.second, a.turn) < std::tuple(b.difference, b.second, b.turn);
    };
    pairs_.insert(std::upper_bound(pairs_.begin(), pairs_.end(), pair, before), pair);
    if (pairs_.size() > kMostCandidates) pairs_.pop_back();
  }
  void move_to(std::vector<NearPair>& all) {
    all.insert(all.end(), pairs_.begin(), pairs_.end());
    pairs_.clear();
  }

 private:
  std::vector<NearPair> pairs_;
};

class NearCopySearch {
 public:
  NearCopySearch(const SampleSet& samples, int thread_count, const ProgressFunction& on_progress)
      : samples_(samples), thread_count_(resolve_thread_count(thread_count)), on_progress_(on_progress) {
    for (const Split& split : samples.splits()) {
      if (Describer::can_describe(split.shape())) grid_.fit(split.shape());
    }
  }

  NearCopies run(std::vector<DescribedSample> described) {
    measure_reach(described, thread_count_);
    result_.sample_count = std::ssize(described);
    if (grid_.rows * grid_.columns >= kTinyCells) {
      rise_ = std::clamp(std::pow(kManySamples / static_cast<double>(described.size()), kRise), 1.0, kMostRise);
    }
    const DescriptorTree tree(std::move(described));
    const auto all = tree.samples();
    read_references(all);
    for (std::size_t first = 0; first < all.size(); first += kSearchesAtOnce) {
      const auto candidates = find_candidates(tree, all.subspan(first, std::min(kSearchesAtOnce, all.size() - first)));
      for (std::size_t pair = 0; pair < candidates.size(); pair += kPairsAtOnce) {
        verify(std::span(candidates).subspan(pair, std::min(kPairsAtOnce, candidates.size() - pair)));
      }
    }
    std::ranges::sort(result_.pairs, {}, [](const NearPair& pair) { return std::pair(pair.first, pair.second); });
    return std::move(result_);
  }

 private:
  /// The candidates around some samples of the tree, sorted.
  std::vector<NearPair> find_candidates(const DescriptorTree& tree, std::span<const DescribedSample> some) {
    std::vector<NearPair> candidates;
    constexpr std::size_t kSamplesAtOnce = 256;
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    run_on_threads(thread_count_, [&](int) {
      for (std::size_t first; (first = next.fetch_add(kSamplesAtOnce)) < some.size();) {
        NearCopies work;
        std::vector<NearPair> found;
        const std::size_t end = std::min(first + kSamplesAtOnce, some.size());
        for (std::size_t i = first; i < end; ++i) search_around(tree, some[i], work, found);
        const std::lock_guard lock(mutex);
        result_.compared_count += work.compared_count;
        result_.cut_count += work.cut_count;
        candidates.insert(candidates.end(), found.begin(), found.end());
        done_ += static_cast<std::int64_t>(end - first);
        if (on_progress_) on_progress_({"looking for near-identical images", done_, result_.sample_count, 0, 0});
      }
    });
    std::ranges::sort(candidates, {},
                      [](const NearPair& pair) { return std::tuple(pair.first, pair.second, pair.turn); });
    return candidates;
  }

  void search_around(const DescriptorTree& tree, const DescribedSample& sample, NearCopies& work,
                     std::vector<NearPair>& found) const {
    NearestCandidates in_split, in_others;
    const std::size_t split = samples_.split_of(sample.number);
    bool is_cut = false;
    for (const Turn turn : kTurns) {
      const auto consider = [&](const DescribedSample& other, double squared) {
        // The search around the other sample finds the same pair.
        if (other.number <= sample.number) return;
        const double distance = std::sqrt(squared);
        if (distance > kMostDistance * double{std::min(sample.reach, other.reach)}) return;
        const double limit =
            kMostTurnedShare * kMostTurnedShare * squared_distance(sample.descriptor, other.descriptor);
        if (turn != Turn::none && squared > limit) return;
        (samples_.split_of(other.number) == split ? in_split : in_others)
            .add({sample.number, other.number, turn, distance});
      };
      const auto searched =
          tree.search(turned(sample.descriptor, turn), kMostDistance * double{sample.reach}, consider);
      work.compared_count += searched.compared;
      is_cut |= searched.is_cut;
    }
    work.cut_count += is_cut ? 1 : 0;
    in_split.move_to(found);
    in_others.move_to(found);
  }

  void verify(std::span<const NearPair> candidates) {
    const auto images = read_images(candidates);
    std::vector<double> differences(candidates.size());
    std::atomic<std::size_t> next = 0;
    run_on_threads(thread_count_, [&](int) {
      CopyResidual residual(grid_);
      constexpr std::size_t kPairsOfThread = 64;
      for (std::size_t begin; (begin = next.fetch_add(kPairsOfThread)) < candidates.size();) {
        for (std::size_t i = begin; i < std::min(begin + kPairsOfThread, candidates.size()); ++i) {
          const NearPair& pair = candidates[i];
          const ComparedImage &first = images.at(pair.first), &second = images.at(pair.second);
          differences[i] = residual.between(first.image, pair.turn, second.image) / std::min(first.reach, second.reach);
        }
      }
    });
    result_.verified_count += std::ssize(candidates);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const double most = candidates[i].turn == Turn::none ? kMostDifference : kMostTurnedDifference;
      if (differences[i] <= most * rise_) add_pair(candidates[i], differences[i]);
    }
  }

  /// Of two turns of one pair, the better counts.
  void add_pair(NearPair pair, double difference) {
    pair.difference = difference;
    const bool is_known = !result_.pairs.empty() && result_.pairs.back().first == pair.first &&
                          result_.pairs.back().second == pair.second;
    if (!is_known) {
      result_.pairs.push_back(pair);
    } else if (difference < result_.pairs.back().difference) {
      result_.pairs.back() = pair;
    }
  }

  /// An image whose pixels are compared.
  struct ComparedImage {
    ReducedImage image;
    double reach = 0.0;  ///< see reach.hpp; by the distances of coarse images
  };
  using ComparedImages = std::map<std::int64_t, ComparedImage>;

  void read_references(std::span<const DescribedSample> all) {
    for (const std::size_t i : reference_numbers(all.size())) references_[all[i].number];
    read_into(references_);
  }

  ComparedImages read_images(std::span<const NearPair> candidates) const {
    ComparedImages images;
    for (const NearPair& pair : candidates) {
      images[pair.first];
      images[pair.second];
    }
    read_into(images);
    return images;
  }

  /// Reads the images of all numbers in the map.
  void read_into(ComparedImages& images) const {
    std::vector<std::int64_t> numbers;
    for (const auto& [number, image] : images) numbers.push_back(number);
    constexpr std::size_t kImagesAtOnce = 64;
    std::atomic<std::size_t> next = 0;
    run_on_threads(thread_count_, [&](int) {
      for (std::size_t first; (first = next.fetch_add(kImagesAtOnce)) < numbers.size();) {
        const std::size_t end = std::min(first + kImagesAtOnce, numbers.size());
        read_some(std::span(numbers).subspan(first, end - first), images);
      }
    });
  }

  void read_some(std::span<const std::int64_t> numbers, ComparedImages& images) const {
    std::vector<std::uint8_t> values;
    std::vector<std::byte> label;
    std::optional<ImageReducer> reducer;
    std::size_t split_of_reducer = samples_.splits().size();
    for (const std::int64_t number : numbers) {
      const std::size_t split_number = samples_.split_of(number);
      const Split& split = samples_.splits()[split_number];
      values.resize(static_cast<std::size_t>(split.shape().values()));
      label.resize(static_cast<std::size_t>(split.labels().bytes_per_sample()));
      split.read_checked(samples_.row_of(number), 1, {reinterpret_cast<std::int8_t*>(values.data()), values.size()},
                         label);
      statistics::flip_top_bits(values);
      if (split_of_reducer != split_number) reducer.emplace(split.shape(), grid_);
      split_of_reducer = split_number;
      ComparedImage& compared = images.at(number);
      compared.image = reducer->reduce(values);
      if (&images != &references_) compared.reach = reach_among_references(number, compared.image);
    }
  }

  double reach_among_references(std::int64_t number, const ReducedImage& image) const {
    std::vector<double> distances;
    for (const auto& [other, reference] : references_) {
      if (other != number) distances.push_back(squared_distance(image, reference.image));
    }
    return reach_of(distances);
  }

  const SampleSet& samples_;
  int thread_count_;
  const ProgressFunction& on_progress_;
  ReducedGrid grid_;
  double rise_ = 1.0;          ///< of the limits, see kRise
  ComparedImages references_;  ///< without their reach
  std::int64_t done_ = 0;
  NearCopies result_;
};

}  // namespace

NearCopies find_near_copies(const SampleSet& samples, const Descriptors& descriptors,
                            const std::vector<std::int64_t>& numbers, int thread_count,
                            const ProgressFunction& on_progress) {
  std::vector<DescribedSample> described;
  for (const std::int64_t number : numbers) {
    if (descriptors.is_described(number)) described.push_back({descriptors.of(number), 0.0F, number});
  }
  if (described.size() < 2) return {};
  return NearCopySearch(samples, thread_count, on_progress).run(std::move(described));
}

}  // namespace octavo::doctor
