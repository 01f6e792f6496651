#include "arrays/value_range.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>

#include <octavo/errors.hpp>

#include "arrays/image_axes.hpp"
#include "support/text/text_units.hpp"
#include "support/threads.hpp"

namespace octavo::arrays {
namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{1} << 20;
constexpr double kLargestValue = 255.0;
// 8-bit values stored as floats, resized or not, come close to 255; if all stay far below, the unit is different.
constexpr double kLeastOfBytes = 128.0;
// Histogram bins per channel for percentiles.
constexpr std::size_t kBins = 1 << 16;

using Visitor = std::function<void(const NumberBlock&)>;

void read_blocks(const std::vector<const ArraySet*>& sets, int thread_count, const Visitor& visit) {
  for (const ArraySet* const set : sets) {
    Array& images = *set->images;
    const ImageAxes axes = image_axes(images, set->order);
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
        visit({numbers, axes.shape.values(), axes.channel_step});
      }
    });
  }
}

/// Calls visit(channel, number) for each finite number of a block.
template <typename Visit>
void for_each_number(const NumberBlock& block, std::size_t channels, const Visit& visit) {
  const auto row_values = static_cast<std::size_t>(block.row_values);
  const auto step = static_cast<std::size_t>(block.channel_step);
  for (std::size_t at = 0; at < block.numbers.size(); ++at) {
    // Channels are either innermost or outermost in a row.
    const std::size_t channel = step == 1 ? at % channels : at % row_values / step;
    if (std::isfinite(block.numbers[at])) visit(channel, block.numbers[at]);
  }
}

struct Bounds {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  // Programs that write 8-bit values as 16 bits multiply them by 257, so that 255 becomes 65535, or shift them.
  bool are_multiples_of_257 = true;
  bool are_multiples_of_256 = true;

  bool is_empty() const { return low > high; }
  void include(double number) {
    low = std::min(low, number);
    high = std::max(high, number);
    if (are_multiples_of_257) are_multiples_of_257 = std::fmod(number, 257.0) == 0.0;
    if (are_multiples_of_256) are_multiples_of_256 = std::fmod(number, 256.0) == 0.0;
  }
  void include(const Bounds& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    are_multiples_of_257 = are_multiples_of_257 && other.are_multiples_of_257;
    are_multiples_of_256 = are_multiples_of_256 && other.are_multiples_of_256;
  }
};

using ChannelBounds = std::vector<Bounds>;

ChannelBounds measure_bounds(const NumberSource& source) {
  const auto channels = static_cast<std::size_t>(source.channels);
  ChannelBounds all(channels);
  std::mutex mutex;
  source.read_all([&](const NumberBlock& block) {
    ChannelBounds here(channels);
    for_each_number(block, channels, [&](std::size_t channel, double number) { here[channel].include(number); });
    const std::lock_guard lock(mutex);
    for (std::size_t c = 0; c < channels; ++c) {
      if (!here[c].is_empty()) all[c].include(here[c]);
    }
  });
  for (const Bounds& bounds : all) {
    if (bounds.is_empty()) throw FormatError("measure " + source.name + ": a channel has no finite number");
    if (!std::isfinite(bounds.high - bounds.low)) {
      throw FormatError("measure " + source.name + ": the range of values is too large; give one with `range`");
    }
  }
  return all;
}

/// The bounds that exclude `share` of the numbers at each end, to a precision of 1 / kBins of the range `whole`.
/// Numbers may be outside of it.
ChannelBounds cut_ends_once(const NumberSource& source, const ChannelBounds& whole, double share) {
  std::vector<std::vector<std::int64_t>> counts(whole.size(), std::vector<std::int64_t>(kBins));
  std::mutex mutex;
  const auto width = [&](std::size_t c) { return (whole[c].high - whole[c].low) / kBins; };
  source.read_all([&](const NumberBlock& block) {
    const std::lock_guard lock(mutex);
    for_each_number(block, whole.size(), [&](std::size_t c, double number) {
      const double at = width(c) > 0.0 ? (number - whole[c].low) / width(c) : 0.0;
      ++counts[c][static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(kBins - 1)))];
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
    cut[c].low = whole[c].low + width(c) * static_cast<double>(first);
    cut[c].high = whole[c].low + width(c) * static_cast<double>(last + 1);
  }
  return cut;
}

/// The same, to that precision of the resulting range, or nearly so: outliers can be so far away that all other numbers
/// are in one bin.
ChannelBounds cut_ends(const NumberSource& source, const ChannelBounds& whole, double share) {
  constexpr int kMostPasses = 6;
  constexpr double kNarrow = 1.0 / 64;
  const auto is_narrow = [](const Bounds& part, const Bounds& all) {
    return part.high - part.low < kNarrow * (all.high - all.low);
  };
  ChannelBounds bounds = whole;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const ChannelBounds before = std::exchange(bounds, cut_ends_once(source, bounds, share));
    if (std::ranges::equal(bounds, before, std::not_fn(is_narrow))) break;
  }
  return bounds;
}

ChannelQuantization covering(double low, double high) {
  const double span = high - low;
  return {span > 0.0 ? span / kLargestValue : 1.0, low};
}

std::vector<ChannelQuantization> covering_each(const ChannelBounds& bounds) {
  std::vector<ChannelQuantization> each;
  for (const Bounds& one : bounds) each.push_back(covering(one.low, one.high));
  return each;
}

/// One quantization for all channels if the numbers are in byte range, in [0,1] or [-1,1], whole numbers in a small
/// range, or 8-bit values written as 16 bits; else the measured range.
std::vector<ChannelQuantization> natural_quantization(const NumberSource& source, const ChannelBounds& bounds) {
  Bounds all;
  for (const Bounds& one : bounds) all.include(one);
  const bool are_whole = is_integer(source.element);
  std::optional<ChannelQuantization> common;
  if (are_whole && all.low >= 0.0 && all.high <= kLargestValue) {
    common = {1.0, 0.0};
  } else if (are_whole && all.high - all.low <= kLargestValue) {
    common = {1.0, all.low};
  } else if (source.element == Element::uint16 && all.are_multiples_of_257) {
    common = {257.0, 0.0};
  } else if (source.element == Element::uint16 && all.are_multiples_of_256) {
    common = {256.0, 0.0};
  } else if (!are_whole && all.low >= 0.0 && all.high <= 1.0) {
    common = covering(0.0, 1.0);
  } else if (!are_whole && all.low >= -1.0 && all.high <= 1.0) {
    common = covering(-1.0, 1.0);
  } else if (!are_whole && all.low >= 0.0 && all.high >= kLeastOfBytes && all.high <= kLargestValue) {
    common = {1.0, 0.0};
  } else if (source.keeps_colors) {
    common = covering(all.low, all.high);
  }
  return common ? std::vector<ChannelQuantization>(bounds.size(), *common) : covering_each(bounds);
}

/// The low and high of each channel.
std::vector<std::pair<double, double>> given_ranges(const ValueRange& range, std::size_t channels) {
  if (!range.by_channel.empty()) return range.by_channel;
  return std::vector<std::pair<double, double>>(channels, {range.low, range.high});
}

void check_range(const ValueRange& range, std::size_t channels) {
  const auto refuse = [](const std::string& problem) {
    throw InvalidArgument("choose the range of values: " + problem);
  };
  if (range.kind == ValueRange::Kind::given) {
    const auto ranges = given_ranges(range, channels);
    if (ranges.size() != channels) {
      refuse(counted(std::ssize(ranges), "range") + " for " + counted(static_cast<std::int64_t>(channels), "channel") +
             "; give one for all channels, or one for each");
    }
    for (const auto& [low, high] : ranges) {
      if (!(low < high && std::isfinite(high - low))) refuse("the lower end must be below the upper end");
    }
  }
  if (range.kind == ValueRange::Kind::percentile && !(range.percentile > 50.0 && range.percentile <= 100.0)) {
    refuse("the percentile must be above 50 and at most 100");
  }
}

}  // namespace

bool holds_bytes(const Array& images) {
  return images.element() == Element::uint8 || images.element() == Element::boolean;
}

NumberSource numbers_of(const std::vector<const ArraySet*>& sets, int thread_count) {
  const Array& images = *sets[0]->images;
  const int threads = resolve_thread_count(thread_count);
  return {.name = "the images " + images.name(),
          .element = images.element(),
          .channels = image_axes(images, sets[0]->order).shape.channels,
          .read_all = [sets, threads](const Visitor& visit) { read_blocks(sets, threads, visit); }};
}

std::vector<ChannelQuantization> find_quantization(const NumberSource& numbers, const ValueRange& range) {
  const auto channels = static_cast<std::size_t>(numbers.channels);
  check_range(range, channels);
  if (range.kind == ValueRange::Kind::given) {
    std::vector<ChannelQuantization> each;
    for (const auto& [low, high] : given_ranges(range, channels)) each.push_back(covering(low, high));
    return each;
  }
  // int8 always has the same quantization, whatever the samples.
  if (range.kind == ValueRange::Kind::automatic && numbers.element == Element::int8) {
    return std::vector<ChannelQuantization>(channels, {1.0, -128.0});
  }
  ChannelBounds bounds = measure_bounds(numbers);
  if (range.kind == ValueRange::Kind::automatic) return natural_quantization(numbers, bounds);
  if (range.kind == ValueRange::Kind::percentile) {
    bounds = cut_ends(numbers, bounds, 1.0 - range.percentile / 100.0);
  }
  return covering_each(bounds);
}

}  // namespace octavo::arrays
