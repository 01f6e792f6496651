// Makes whole images between the steps of an augmentation: some steps need all pixels of the image before them.
//
// The threads that make an image together are a policy, so that this is the definition, which one thread runs, and the
// CUDA kernel, where a block runs it.
#pragma once

#include <cstdint>

#include "kernels/augment/augmented_image.hpp"
#include "kernels/augment/color.hpp"
#include "kernels/augment/program.hpp"
#include "kernels/augment/steps.hpp"
#include "kernels/augment/warp.hpp"
#include "kernels/host_device.hpp"
#include "kernels/thread_group.hpp"

namespace octavo::kernels {

/// The sum of the eight bytes of two random words less its mean: nearly normal, -1020 to 1020.
OCTAVO_HOST_DEVICE inline std::int32_t noise_of(std::uint32_t first, std::uint32_t second) {
  constexpr std::uint32_t kEven = 0x00FF00FFu;
  const std::uint32_t pairs = (first & kEven) + (first >> 8 & kEven) + (second & kEven) + (second >> 8 & kEven);
  return static_cast<std::int32_t>((pairs & 0xFFFFu) + (pairs >> 16)) - 1020;
}
/// Adds noise to values 2 * pair and 2 * pair + 1 of an image of `count` codes.
OCTAVO_HOST_DEVICE inline void add_noise(const AugmentStep& step, std::int64_t pair, std::int8_t* codes,
                                         std::int64_t count) {
  const PhiloxWords words =
      philox4x32({{static_cast<std::uint32_t>(pair), 0, 0, 0}}, step.key);  // an image has less than 2^31 values
  for (int i = 0; i < 2 && 2 * pair + i < count; ++i) {
    const std::int32_t noise = noise_of(words.word[2 * i], words.word[2 * i + 1]);
    std::int8_t& code = codes[2 * pair + i];
    code = static_cast<std::int8_t>(clamped_level(code + 128 + ((noise * step.amount + (1 << 15)) >> 16)) - 128);
  }
}

/// What the threads that make an image share.
struct ImageStatistics {
  std::uint32_t counts[256];  ///< of the pixels of each level
  std::uint8_t levels[256];   ///< what each level becomes
  unsigned long long sum;     ///< of levels
};

/// Memory for the images of one sample.
struct ImageMemory {
  std::int8_t* images[2];  ///< [C * most_pixels]
  std::uint16_t* columns;  ///< [most_pixels], between the two axes of a blur
};
inline constexpr std::int64_t kImageAlignment = 16;
/// Bytes of the memory for an image of `channels` channels.
inline std::int64_t image_memory_bytes(const AugmentProgram& program, std::int64_t channels) {
  const auto aligned = [](std::int64_t bytes) {
    return (bytes + kImageAlignment - 1) / kImageAlignment * kImageAlignment;
  };
  return 2 * aligned(channels * program.most_pixels) + aligned(2 * program.most_pixels);
}
/// Divides memory of image_memory_bytes(); null stays null.
OCTAVO_HOST_DEVICE inline ImageMemory image_memory(const AugmentProgram& program, std::int64_t channels,
                                                   std::byte* memory) {
  if (memory == nullptr) return {};
  const std::int64_t image_bytes =
      (channels * program.most_pixels + kImageAlignment - 1) / kImageAlignment * kImageAlignment;
  auto* const first = reinterpret_cast<std::int8_t*>(memory);
  return {{first, first + image_bytes}, reinterpret_cast<std::uint16_t*>(memory + 2 * image_bytes)};
}

/// Makes the images of one sample. All threads construct it and call its functions together.
template <typename Threads, typename Filters>
class ImagePasses {
 public:
  OCTAVO_HOST_DEVICE ImagePasses(const Threads& threads, const AugmentProgram& program, const DrawnImage& image,
                                 std::int64_t channels, const ImageMemory& memory, ImageStatistics& statistics,
                                 Filters& filters)
      : threads_(threads),
        program_(program),
        image_(image),
        channels_(channels),
        memory_(memory),
        statistics_(statistics),
        filters_(filters) {}

  /// Applies all steps but the last ones, which augmented_code() follows after this. Returns those steps. The filters
  /// are filled for them; with `keeps_no_filters`, they need none.
  template <typename Codes>
  OCTAVO_HOST_DEVICE StepRange make(const Codes& sample, bool keeps_no_filters = false) {
    StepRange pending = {0, 0};
    bool is_resized = false;
    for (int i = 0; i < program_.op_count; ++i) {
      const StepKind kind = image_.steps[i].kind;
      const bool makes_whole = makes_image(kind), is_second = kind == StepKind::resample && is_resized;
      if (is_second || (makes_whole && (made_ == nullptr || !pending.is_empty()))) {
        make_pending(sample, pending);
        pending.first = i;
        is_resized = false;
      }
      if (makes_whole) {
        apply(i);
        pending.first = i + 1;
      }
      is_resized = is_resized || kind == StepKind::resample;
      pending.last = i + 1;
    }
    if (is_resized && keeps_no_filters) {
      make_pending(sample, pending);
      pending.first = pending.last;
    }
    filters_.fill(program_, image_, pending);
    return pending;
  }
  /// The codes of the image that make() has made; null if it has only steps that augmented_code() follows.
  OCTAVO_HOST_DEVICE const std::int8_t* made() const { return made_; }

 private:
  /// Applies steps that augmented_code() follows.
  template <typename Codes>
  OCTAVO_HOST_DEVICE void make_pending(const Codes& sample, StepRange pending) {
    filters_.fill(program_, image_, pending);
    const std::int32_t width = program_.sizes[pending.first].width;
    if (made_ == nullptr)
      make_pending_from(sample, width, pending);
    else
      make_pending_from(static_cast<const std::int8_t*>(made_), width, pending);
  }
  template <typename Codes>
  OCTAVO_HOST_DEVICE void make_pending_from(const Codes& codes, std::int32_t width, StepRange pending) {
    const ImageSize from = program_.sizes[pending.first], to = program_.sizes[pending.last];
    std::int8_t* const out = other();
    for (std::int64_t c = 0; c < channels_; ++c) {
      const ChannelCodes<Codes> channel = {codes, c * pixels(from), width, c};
      for_pixels(to, [&](std::int64_t p, std::int32_t y, std::int32_t x) {
        out[c * pixels(to) + p] = augmented_code<Filters::kResizes>(program_, image_, pending, channel, filters_, y, x);
      });
    }
    finish(out);
  }

  OCTAVO_HOST_DEVICE void apply(int i) {
    const AugmentStep& step = image_.steps[i];
    const ImageSize size = program_.sizes[i];
    switch (step.kind) {
      case StepKind::brightness:
        return change_levels(size, [&](std::int32_t level) { return blended_level(level, 0, step.amount); });
      case StepKind::contrast: {
        const std::int32_t mean = mean_luma(size);
        return change_levels(size, [&](std::int32_t level) { return blended_level(level, mean, step.amount); });
      }
      case StepKind::saturation:
        return change_pixels(size, [&](const Rgb& pixel) {
          const std::int32_t gray = luma_of(pixel);
          return Rgb{blended_level(pixel.r, gray, step.amount), blended_level(pixel.g, gray, step.amount),
                     blended_level(pixel.b, gray, step.amount)};
        });
      case StepKind::hue:
        return change_pixels(size, [&](const Rgb& pixel) { return with_hue_added(pixel, step.amount); });
      case StepKind::permute:
        return permute(step, size);
      case StepKind::solarize:
        return change_levels(size, [&](std::int32_t level) { return level >= step.amount ? 255 - level : level; });
      case StepKind::solarize_add:
        return change_levels(size, [&](std::int32_t level) { return level < 128 ? level + step.amount : level; });
      case StepKind::posterize:
        return change_levels(size, [&](std::int32_t level) { return level & (0xFF00 >> step.amount & 0xFF); });
      case StepKind::invert:
        return change_levels(size, [](std::int32_t level) { return 255 - level; });
      case StepKind::gamma:
        for_all(256, [&](std::int64_t level) {
          statistics_.levels[level] =
              static_cast<std::uint8_t>(level_to_power(static_cast<std::int32_t>(level), step.power));
        });
        threads_.wait();
        return change_levels(size, [&](std::int32_t level) { return std::int32_t{statistics_.levels[level]}; });
      case StepKind::autocontrast:
      case StepKind::equalize:
        for (std::int64_t c = 0; c < channels_; ++c) stretch(c, size, step.kind == StepKind::equalize);
        return;
      case StepKind::sharpness:
        return sharpen(step, size);
      case StepKind::blur:
        for (std::int64_t c = 0; c < channels_; ++c) blur(c, step, program_.ops[i].radius, size);
        return finish(other());
      case StepKind::warp:
        return warp(step, program_.ops[i], size);
      case StepKind::noise: {
        const std::int64_t count = channels_ * pixels(size);
        for_all((count + 1) / 2, [&](std::int64_t pair) { add_noise(step, pair, made_, count); });
        return threads_.wait();
      }
      default:
        return;
    }
  }

  template <typename Change>
  OCTAVO_HOST_DEVICE void change_levels(ImageSize size, const Change& change) {
    for_all(channels_ * pixels(size), [&](std::int64_t i) { made_[i] = code_of(change(level_of(made_[i]))); });
    threads_.wait();
  }
  template <typename Change>
  OCTAVO_HOST_DEVICE void change_pixels(ImageSize size, const Change& change) {
    if (channels_ != 3) return;  // without colors, nothing changes
    const std::int64_t count = pixels(size);
    for_all(count, [&](std::int64_t p) {
      const Rgb pixel = change(pixel_at(count, p));
      made_[p] = code_of(pixel.r);
      made_[count + p] = code_of(pixel.g);
      made_[2 * count + p] = code_of(pixel.b);
    });
    threads_.wait();
  }
  OCTAVO_HOST_DEVICE void permute(const AugmentStep& step, ImageSize size) {
    const std::int64_t count = pixels(size);
    for_all(count, [&](std::int64_t p) {
      std::int8_t from[kMostPermuted] = {};
      for (std::int64_t c = 0; c < channels_; ++c) from[c] = made_[c * count + p];
      for (std::int64_t c = 0; c < channels_; ++c) made_[c * count + p] = from[step.source[c]];
    });
    threads_.wait();
  }

  /// The mean luma, or that of the only channel, rounded to nearest, halves up.
  OCTAVO_HOST_DEVICE std::int32_t mean_luma(ImageSize size) {
    const std::int64_t count = pixels(size);
    if (threads_.index() == 0) statistics_.sum = 0;
    threads_.wait();
    unsigned long long sum = 0;
    for_all(count, [&](std::int64_t p) {
      sum += static_cast<unsigned long long>(channels_ == 3 ? luma_of(pixel_at(count, p)) : level_of(made_[p]));
    });
    threads_.add(statistics_.sum, sum);
    threads_.wait();
    return static_cast<std::int32_t>((2 * statistics_.sum + static_cast<unsigned long long>(count)) /
                                     static_cast<unsigned long long>(2 * count));
  }

  /// Autocontrast, or equalization, of channel `c`.
  OCTAVO_HOST_DEVICE void stretch(std::int64_t c, ImageSize size, bool equalizes) {
    std::int8_t* const plane = made_ + c * pixels(size);
    for_all(256, [&](std::int64_t level) { statistics_.counts[level] = 0; });
    threads_.wait();
    for_all(pixels(size), [&](std::int64_t p) { threads_.add(statistics_.counts[level_of(plane[p])], 1u); });
    threads_.wait();
    for_all(256, [&](std::int64_t at) {
      const auto level = static_cast<std::int32_t>(at);
      StretchedLevels range = {255, 0};
      std::int64_t below = 0;
      for (std::int32_t other = 0; other < 256; ++other) {
        if (statistics_.counts[other] == 0) continue;
        if (other < range.low) range.low = other;
        range.high = other;
        if (other < level) below += statistics_.counts[other];
      }
      const std::int32_t changed =
          equalizes ? equalized_level(level, pixels(size), statistics_.counts[range.high], below) : range.level(level);
      statistics_.levels[level] = static_cast<std::uint8_t>(changed);
    });
    threads_.wait();
    for_all(pixels(size), [&](std::int64_t p) { plane[p] = code_of(statistics_.levels[level_of(plane[p])]); });
    threads_.wait();
  }

  OCTAVO_HOST_DEVICE void sharpen(const AugmentStep& step, ImageSize size) {
    std::int8_t* const out = other();
    for (std::int64_t c = 0; c < channels_; ++c) {
      const std::int8_t* const plane = made_ + c * pixels(size);
      for_pixels(size, [&](std::int64_t p, std::int32_t y, std::int32_t x) {
        const bool is_border = y == 0 || y == size.height - 1 || x == 0 || x == size.width - 1;
        std::int32_t level = level_of(plane[p]);
        if (!is_border) {
          std::int32_t sum = 0;
          for (std::int64_t row = p - size.width; row <= p + size.width; row += size.width) {
            sum += level_of(plane[row - 1]) + level_of(plane[row]) + level_of(plane[row + 1]);
          }
          level = blended_level(level, smoothed_level(sum, level), step.amount);
        }
        out[c * pixels(size) + p] = code_of(level);
      });
    }
    finish(out);
  }

  /// First along columns, to multiples of 2^-8, then along rows, like resizing. Borders are reflected.
  OCTAVO_HOST_DEVICE void blur(std::int64_t c, const AugmentStep& step, std::int32_t radius, ImageSize size) {
    constexpr BetweenFormat kBetween = between_format(false);
    const std::int8_t* const plane = made_ + c * pixels(size);
    std::int8_t* const out = other() + c * pixels(size);
    for_pixels(size, [&](std::int64_t p, std::int32_t y, std::int32_t x) {
      std::int32_t sum = kBetween.first_start();
      for (std::int32_t d = -radius; d <= radius; ++d) {
        const std::int64_t row = inside(Border::reflect, y + d, size.height);
        sum += step.weights[d < 0 ? -d : d] * level_of(plane[row * size.width + x]);
      }
      memory_.columns[p] = static_cast<std::uint16_t>(sum >> kBetween.first_shift());
    });
    threads_.wait();
    for_pixels(size, [&](std::int64_t p, std::int32_t, std::int32_t x) {
      const std::uint16_t* const row = memory_.columns + p - x;
      std::int32_t sum = kBetween.second_start();
      for (std::int32_t d = -radius; d <= radius; ++d) {
        sum += step.weights[d < 0 ? -d : d] * row[inside(Border::reflect, x + d, size.width)];
      }
      out[p] = code_of(sum >> kBetween.second_shift());
    });
    threads_.wait();
  }

  OCTAVO_HOST_DEVICE void warp(const AugmentStep& step, const AugmentOp& op, ImageSize size) {
    std::int8_t* const out = other();
    for_pixels(size, [&](std::int64_t p, std::int32_t y, std::int32_t x) {
      const WarpPlace place = step.warp.place(y, x);
      for (std::int64_t c = 0; c < channels_; ++c) {
        const std::int64_t first = c * pixels(size);
        out[first + p] = code_at_place(made_ + first, size, place, op.is_bilinear, op.fill.at(c));
      }
    });
    finish(out);
  }

  /// Calls visit(i) for 0 to count - 1, shared out over the threads.
  template <typename Visit>
  OCTAVO_HOST_DEVICE void for_all(std::int64_t count, const Visit& visit) const {
    for (std::int64_t i = threads_.index(); i < count; i += threads_.count()) visit(i);
  }
  /// Calls visit(pixel, y, x) for all pixels of an image.
  template <typename Visit>
  OCTAVO_HOST_DEVICE void for_pixels(ImageSize size, const Visit& visit) const {
    for_all(pixels(size), [&](std::int64_t p) {
      // H*W < 2^31, so 32-bit division is enough.
      const auto pixel = static_cast<std::uint32_t>(p), width = static_cast<std::uint32_t>(size.width);
      visit(p, static_cast<std::int32_t>(pixel / width), static_cast<std::int32_t>(pixel % width));
    });
  }

  OCTAVO_HOST_DEVICE Rgb pixel_at(std::int64_t count, std::int64_t p) const {
    return {level_of(made_[p]), level_of(made_[count + p]), level_of(made_[2 * count + p])};
  }
  OCTAVO_HOST_DEVICE std::int8_t* other() const {
    return made_ == memory_.images[0] ? memory_.images[1] : memory_.images[0];
  }
  OCTAVO_HOST_DEVICE void finish(std::int8_t* made) {
    made_ = made;
    threads_.wait();
  }
  OCTAVO_HOST_DEVICE static std::int64_t pixels(ImageSize size) {
    return static_cast<std::int64_t>(size.height) * size.width;
  }
  OCTAVO_HOST_DEVICE static std::int32_t level_of(std::int8_t code) { return code + 128; }
  OCTAVO_HOST_DEVICE static std::int8_t code_of(std::int32_t level) { return static_cast<std::int8_t>(level - 128); }

  const Threads& threads_;
  const AugmentProgram& program_;
  const DrawnImage& image_;
  std::int64_t channels_;
  ImageMemory memory_;
  ImageStatistics& statistics_;
  Filters& filters_;
  std::int8_t* made_ = nullptr;
};

}  // namespace octavo::kernels
