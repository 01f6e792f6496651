#include "arrays/value_range.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include <octavo/errors.hpp>

#include "arrays/image_axes.hpp"
#include "support/threads.hpp"

namespace octavo::arrays {
namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{1} << 20;
constexpr double kLargestValue = 255.0;
// 8-bit values stored as floats, resized or not, come close to 255; if all stay far below, the unit is different.
constexpr double kLeastOfBytes = 128.0;
// Histogram bins per channel for percentiles.
constexpr std::size_t kBins = 1 << 16;

/// Calls visit(thread, doubles) for blocks of rows of all sets; doubles are [rows, row values].
template <typename Visit>
void for_each_block(const std::vector<const ArraySet*>& sets, int thread_count, const Visit& visit) {
  for (const ArraySet* const set : sets) {
    Array& images = *set->images;
    const std::int64_t rows = std::max<std::int64_t>(1, kBlockBytes / images.row_bytes());
    std::atomic<std::int64_t> next = 0;
    // A sequential stream is read by one thread.
    run_on_threads(images.is_random_access() ? thread_count : 1, [&](int) {
      std::vector<std::byte> bytes;
      std::vector<double> numbers;
      for (std::int64_t first; (first = next.fetch_add(rows)) < images.row_count();) {
        const std::int64_t count = std::min(rows, images.row_count() - first);
        bytes.resize(static_cast<std::size_t>(count * images.row_bytes()));
        images.read_rows(first, count, bytes);
        numbers.resize(bytes.size() / static_cast<std::size_t>(bytes_of(images.element())));
        to_doubles(images.element(), bytes, numbers);
        visit(*set, std::span<const double>(numbers));
      }
    });
  }
}

/// Calls visit(channel, number) for each finite number of a block.
template <typename Visit>
void for_each_number(const ArraySet& set, std::span<const double> numbers, const Visit& visit) {
  const ImageAxes axes = image_axes(*set.images, set.order);
  const auto row_values = static_cast<std::size_t>(axes.shape.values());
  const auto channels = static_cast<std::size_t>(axes.shape.channels);
  const auto step = static_cast<std::size_t>(axes.channel_step);
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    // Channels are either innermost or outermost in a row.
    const std::size_t channel = step == 1 ? at % channels : at % row_values / step;
    if (std::isfinite(numbers[at])) visit(channel, numbers[at]);
  }
}

struct Bounds {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double number) {
    low = std::min(low, number);
    high = std::max(high, number);
  }
};

using ChannelBounds = std::vector<Bounds>;

ChannelBounds measure_bounds(const std::vector<const ArraySet*>& sets, std::size_t channels, int thread_count) {
  ChannelBounds all(channels);
  std::mutex mutex;
  for_each_block(sets, thread_count, [&](const ArraySet& set, std::span<const double> numbers) {
    ChannelBounds here(channels);
    for_each_number(set, numbers, [&](std::size_t channel, double number) { here[channel].include(number); });
    const std::lock_guard lock(mutex);
    for (std::size_t c = 0; c < channels; ++c) {
      if (here[c].low > here[c].high) continue;  // a block without any number
      all[c].include(here[c].low);
      all[c].include(here[c].high);
    }
  });
  for (const Bounds& bounds : all) {
    if (bounds.low > bounds.high) {
      throw FormatError("measure the images " + sets[0]->images->name() + ": a channel has no finite number");
    }
    if (!std::isfinite(bounds.high - bounds.low)) {
      throw FormatError("measure the images " + sets[0]->images->name() +
                        ": their range is too large; give one with `range`");
    }
  }
  return all;
}

/// The bounds that exclude `share` of the numbers at each end, to a precision of 1 / kBins of the range.
ChannelBounds cut_ends(const std::vector<const ArraySet*>& sets, const ChannelBounds& whole, double share,
                       int thread_count) {
  std::vector<std::vector<std::int64_t>> counts(whole.size(), std::vector<std::int64_t>(kBins));
  std::mutex mutex;
  const auto width = [&](std::size_t c) { return (whole[c].high - whole[c].low) / kBins; };
  for_each_block(sets, thread_count, [&](const ArraySet& set, std::span<const double> numbers) {
    const std::lock_guard lock(mutex);
    for_each_number(set, numbers, [&](std::size_t c, double number) {
      const double at = width(c) > 0.0 ? (number - whole[c].low) / width(c) : 0.0;
      ++counts[c][std::min(static_cast<std::size_t>(at), kBins - 1)];
    });
  });
  ChannelBounds cut = whole;
  for (std::size_t c = 0; c < whole.size(); ++c) {
    std::int64_t total = 0;
    for (const std::int64_t count : counts[c]) total += count;
    const auto dropped = static_cast<std::int64_t>(share * static_cast<double>(total));
    std::size_t first = 0, last = kBins - 1;
    for (std::int64_t below = counts[c][first]; below <= dropped && first < last;) below += counts[c][++first];
    for (std::int64_t above = counts[c][last]; above <= dropped && last > first;) above += counts[c][--last];
    cut[c] = {whole[c].low + width(c) * static_cast<double>(first),
              whole[c].low + width(c) * static_cast<double>(last + 1)};
  }
  return cut;
}

ChannelQuantization covering(const Bounds& bounds) {
  const double span = bounds.high - bounds.low;
  return {span > 0.0 ? span / kLargestValue : 1.0, bounds.low};
}

/// One quantization for all channels if the numbers are in byte range, in [0,1] or [-1,1], or whole numbers in a small
/// range; else each channel's own range.
std::vector<ChannelQuantization> natural_quantization(const ArraySet& set, const ChannelBounds& bounds) {
  Bounds all;
  for (const Bounds& one : bounds) all.include(one.low), all.include(one.high);
  const bool are_whole = is_integer(set.images->element());
  std::optional<ChannelQuantization> common;
  if (are_whole && all.low >= 0.0 && all.high <= kLargestValue) {
    common = {1.0, 0.0};
  } else if (are_whole && all.high - all.low <= kLargestValue) {
    common = {1.0, all.low};
  } else if (!are_whole && all.low >= 0.0 && all.high <= 1.0) {
    common = covering({0.0, 1.0});
  } else if (!are_whole && all.low >= -1.0 && all.high <= 1.0) {
    common = covering({-1.0, 1.0});
  } else if (!are_whole && all.low >= 0.0 && all.high >= kLeastOfBytes && all.high <= kLargestValue) {
    common = {1.0, 0.0};
  }
  if (common) return std::vector<ChannelQuantization>(bounds.size(), *common);
  std::vector<ChannelQuantization> each;
  for (const Bounds& one : bounds) each.push_back(covering(one));
  return each;
}

void check_range(const ValueRange& range) {
  const auto refuse = [](const std::string& problem) {
    throw InvalidArgument("choose the range of values: " + problem);
  };
  if (range.kind == ValueRange::Kind::given && !(range.low < range.high && std::isfinite(range.high - range.low))) {
    refuse("the lower end must be below the upper end");
  }
  if (range.kind == ValueRange::Kind::percentile && !(range.percentile > 50.0 && range.percentile <= 100.0)) {
    refuse("the percentile must be above 50 and at most 100");
  }
}

}  // namespace

bool holds_bytes(const Array& images) {
  return images.element() == Element::uint8 || images.element() == Element::boolean;
}

std::vector<ChannelQuantization> find_quantization(const std::vector<const ArraySet*>& sets, const ValueRange& range,
                                                   int thread_count) {
  check_range(range);
  const auto channels = static_cast<std::size_t>(image_axes(*sets[0]->images, sets[0]->order).shape.channels);
  if (range.kind == ValueRange::Kind::given) {
    return std::vector<ChannelQuantization>(channels, covering({range.low, range.high}));
  }
  // int8 always has the same quantization, whatever the samples.
  if (range.kind == ValueRange::Kind::automatic && sets[0]->images->element() == Element::int8) {
    return std::vector<ChannelQuantization>(channels, {1.0, -128.0});
  }
  const int threads = resolve_thread_count(thread_count);
  ChannelBounds bounds = measure_bounds(sets, channels, threads);
  if (range.kind == ValueRange::Kind::automatic) return natural_quantization(*sets[0], bounds);
  if (range.kind == ValueRange::Kind::percentile) {
    bounds = cut_ends(sets, bounds, 1.0 - range.percentile / 100.0, threads);
  }
  std::vector<ChannelQuantization> each;
  for (const Bounds& one : bounds) each.push_back(covering(one));
  return each;
}

}  // namespace octavo::arrays
