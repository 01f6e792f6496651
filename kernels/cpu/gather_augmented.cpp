// The augmented gather with SIMD instructions, compiled once per instruction set and chosen at run time (Highway).
//
// An image is made as codes, some rows at a time: a byte permutation moves 16 pixels. These rows are decoded while they
// are in the L1 cache, like those of a plain sample, which is the longer part of the work.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gather_augmented.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "kernels/cpu/decode_run-inl.hpp"
#include "kernels/cpu/decoders-inl.hpp"
#include "kernels/cpu/floating_point_mode.hpp"
#include "kernels/cpu/gather.hpp"
#include "kernels/cpu/gather_output-inl.hpp"
#include "kernels/cpu/resample.hpp"
#include "kernels/cpu/row_window.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {
#if HWY_NATIVE_FMA

/// Where the pixels of an axis come from: pixel i of the output is pixel start + step * i of the input, step is 1 or
/// -1.
struct AxisMap {
  std::int32_t start = 0, step = 1;

  bool is_identity() const { return start == 0 && step == 1; }
  std::int32_t at(std::int32_t out) const { return start + step * out; }
  /// The map of an output that begins at `first` of this output.
  AxisMap from(std::int32_t first) const { return {at(first), step}; }
  /// The map of this output, mirrored.
  AxisMap mirrored(std::int32_t count) const { return {at(count - 1), -step}; }
};

/// Bytes that one instruction permutes.
constexpr std::int32_t kVectorBytes = 16;
using ByteVector = hn::FixedTag<std::uint8_t, kVectorBytes>;

/// Moves the pixels of rows: along an axis of at least 16 pixels, 16 pixels of the output come from 16 neighbors in the
/// input, also at a border, in an order that is the same for all rows.
class RowMover {
 public:
  /// Prepares for rows of `count` pixels, of which `map` selects `out_count`.
  void prepare(AxisMap map, std::int32_t count, std::int32_t out_count, Border border) {
    map_ = map;
    count_ = count;
    out_count_ = out_count;
    border_ = border;
    has_groups_ = count >= kVectorBytes && count <= kMostCount && out_count >= kVectorBytes &&
                  out_count <= kMostGroups * kVectorBytes;
    if (!has_groups_) return;
    group_count_ = (out_count + kVectorBytes - 1) / kVectorBytes;
    for (std::int32_t g = 0; g < group_count_; ++g)
      prepare_group(std::min(g * kVectorBytes, out_count - kVectorBytes), groups_[g]);
  }

  /// Makes `row_count` rows of the output, the first at `to`. Row i is row offsets[i] / count of `plane`, or the fill
  /// value if offsets[i] is negative.
  void move(const std::int8_t* plane, const std::int32_t* offsets, std::int32_t row_count, std::int8_t fill,
            std::int8_t* to) const {
    if (has_groups_) {
      if (border_ == Border::constant)
        move_groups<true>(plane, offsets, row_count, fill, to);
      else
        move_groups<false>(plane, offsets, row_count, fill, to);
      return;
    }
    for (std::int32_t i = 0; i < row_count; ++i, to += out_count_) {
      if (offsets[i] < 0)
        std::memset(to, fill, static_cast<std::size_t>(out_count_));
      else
        move_one_by_one(plane + offsets[i], fill, to);
    }
  }

 private:
  /// 16 pixels of the output.
  struct Group {
    alignas(kVectorBytes) std::uint8_t places[kVectorBytes];  ///< in the 16 pixels from `base` on; 0x80: none
    alignas(kVectorBytes) std::uint8_t filled[kVectorBytes];  ///< 0xFF for the fill value, else 0
    std::int32_t first;                                       ///< pixel of the output
    std::int32_t base;                                        ///< pixel of the input
  };
  static constexpr std::int32_t kMostGroups = 32;
  /// Places of longer rows might not fit in 16 bits.
  static constexpr std::int32_t kMostCount = 8192;

  /// All rows of one group after the other, so that its places stay in registers.
  template <bool kFills>
  void move_groups(const std::int8_t* plane, const std::int32_t* offsets, std::int32_t row_count, std::int8_t fill,
                   std::int8_t* to) const {
    const ByteVector bytes;
    const auto* const in = reinterpret_cast<const std::uint8_t*>(plane);
    const auto fill_bytes = hn::Set(bytes, static_cast<std::uint8_t>(fill));
    for (std::int32_t g = 0; g < group_count_; ++g) {
      const Group& group = groups_[g];
      const auto places = hn::Load(bytes, group.places);
      const auto filled = hn::And(hn::Load(bytes, group.filled), fill_bytes);
      const std::uint8_t* const from = in + group.base;
      auto* out = reinterpret_cast<std::uint8_t*>(to) + group.first;
      for (std::int32_t i = 0; i < row_count; ++i, out += out_count_) {
        if constexpr (kFills) {
          if (offsets[i] < 0) {
            hn::StoreU(fill_bytes, bytes, out);
            continue;
          }
          // A place with the upper bit set gives 0, instead of which the fill value is set.
          hn::StoreU(hn::Or(hn::TableLookupBytesOr0(hn::LoadU(bytes, from + offsets[i]), places), filled), bytes, out);
        } else {
          hn::StoreU(hn::TableLookupBytes(hn::LoadU(bytes, from + offsets[i]), places), bytes, out);
        }
      }
    }
  }

  void prepare_group(std::int32_t first, Group& group) const {
    const std::int32_t one = map_.at(first), other = map_.at(first + kVectorBytes - 1);
    const std::int32_t low = std::min(one, other), high = std::max(one, other);
    group.first = first;
    group.base = std::clamp(least_inside(low, high), 0, count_ - kVectorBytes);
    constexpr std::int32_t kHalf = kVectorBytes / 2;
    const hn::FixedTag<std::int16_t, kHalf> numbers;
    const hn::Rebind<std::uint8_t, decltype(numbers)> bytes;
    const auto zero = hn::Zero(numbers), last = hn::Set(numbers, static_cast<std::int16_t>(count_ - 1));
    const auto base = hn::Set(numbers, static_cast<std::int16_t>(group.base));
    const auto iota = hn::Iota(numbers, 0);
    for (std::int32_t half = 0; half < kVectorBytes; half += kHalf) {
      const auto start = hn::Set(numbers, static_cast<std::int16_t>(map_.at(first + half)));
      auto at = map_.step == 1 ? hn::Add(start, iota) : hn::Sub(start, iota);
      auto filled = zero;
      if (border_ == Border::reflect) {
        at = hn::Sub(last, hn::Abs(hn::Sub(last, hn::Abs(at))));
      } else {
        const auto nearest = hn::Min(hn::Max(at, zero), last);
        if (border_ == Border::constant) filled = hn::VecFromMask(numbers, hn::Ne(nearest, at));
        at = nearest;
      }
      const auto places = hn::Or(hn::And(filled, hn::Set(numbers, std::int16_t{0x80})), hn::Sub(at, base));
      hn::StoreU(hn::DemoteTo(bytes, hn::And(places, hn::Set(numbers, std::int16_t{0xFF}))), bytes,
                 group.places + half);
      hn::StoreU(hn::DemoteTo(bytes, hn::And(filled, hn::Set(numbers, std::int16_t{0xFF}))), bytes,
                 group.filled + half);
    }
  }
  /// The first pixel of the input that a group shows, if its pixels lie at `low` to `high`.
  std::int32_t least_inside(std::int32_t low, std::int32_t high) const {
    if (border_ != Border::reflect) return low;
    const std::int32_t mirrored = 2 * (count_ - 1) - high;
    if (low < 0) return high < 0 ? -high : 0;
    return std::min(low, mirrored);
  }
  void move_one_by_one(const std::int8_t* from, std::int8_t fill, std::int8_t* to) const {
    for (std::int32_t x = 0; x < out_count_; ++x) {
      const std::int32_t at = inside(border_, map_.at(x), count_);
      to[x] = at < 0 ? fill : from[at];
    }
  }

  AxisMap map_;
  std::int32_t count_ = 0, out_count_ = 0, group_count_ = 0;
  Border border_ = Border::constant;
  bool has_groups_ = false;
  Group groups_[kMostGroups];
};

/// Memory for the filter of an axis.
struct AxisScratch {
  std::int32_t* first;    ///< [output_count]
  std::int16_t* weights;  ///< [output_count, tap_count]

  /// The most weights of a filter that resizes up to `count` pixels.
  static std::int64_t weight_count(std::int64_t count, std::int64_t out_count) {
    return 2 * std::max(count, out_count) + 2 * out_count;
  }
};

/// Memory for resizing one channel.
struct ResampleScratch {
  AxisScratch down, across;
  std::uint16_t* rows;  ///< [kTileRows, width of the input]
  std::uint16_t* tile;  ///< the same, transposed
};

/// The filter in the form of the resampling kernels: every output has as many weights, the first or last of which may
/// be 0.
ResampleAxis axis_of(const AxisFilter& filter, const AxisScratch& scratch) {
  const std::int32_t taps = filter.most_taps();
  std::fill_n(scratch.weights, std::int64_t{filter.out_count} * taps, std::int16_t{0});
  for (std::int32_t out = 0; out < filter.out_count; ++out) {
    const std::int32_t first = std::min(filter.first(out), filter.count - taps);
    scratch.first[out] = first;
    std::int16_t* const weights = scratch.weights + std::int64_t{out} * taps - first;
    filter.for_weights(out,
                       [&](std::int32_t k, std::int32_t weight) { weights[k] = static_cast<std::int16_t>(weight); });
  }
  return {scratch.first, scratch.weights, filter.out_count, taps};
}

/// Turns values of 0 to 255 into codes.
void flip_sign_bits(std::int8_t* bytes, std::int64_t count) {
  const hn::ScalableTag<std::int8_t> lanes;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(lanes));
  const auto sign = hn::Set(lanes, std::int8_t{-128});
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(hn::Xor(hn::LoadU(lanes, bytes + i), sign), lanes, bytes + i);
  for (; i < count; ++i) bytes[i] = static_cast<std::int8_t>(bytes[i] ^ -128);
}

/// Makes augmented images as codes, some rows at a time. Borrows two buffers for images between steps.
class ImageMaker {
 public:
  ImageMaker(const AugmentProgram& program, const SampleShape& sample, std::int8_t* first, std::int8_t* second,
             const ResampleScratch& scratch)
      : program_(program), sample_(sample), buffers_{first, second}, scratch_(scratch) {}

  /// Begins an image of the sample with these codes. Applies all steps but those that rows() applies.
  void begin(const std::int8_t* codes, const DrawnImage& image) {
    codes_ = codes;
    size_ = out_size_ = {static_cast<std::int32_t>(sample_.height), static_cast<std::int32_t>(sample_.width)};
    y_ = x_ = {};
    crop_ = nullptr;
    erased_count_ = 0;
    for (int i = 0; i < program_.op_count; ++i) apply(program_.ops[i], image.steps[i]);
    if (moves()) prepare_row();
  }

  /// Whether all rows are in memory already, so that rows() does no work.
  bool is_made() const { return !moves() && erased_count_ == 0; }
  /// Rows [first, first + count) of channel `c`: in the memory of the sample, or in `buffer`.
  const std::int8_t* rows(std::int64_t c, std::int32_t first, std::int32_t count, std::int8_t* buffer) const {
    const std::int8_t* const plane = codes_ + c * pixels(size_);
    if (is_made()) return plane + std::int64_t{first} * size_.width;
    move_rows(c, first, count, buffer);
    for (int i = 0; i < erased_count_; ++i) {
      const AugmentStep& step = *erased_[i].step;
      const std::int32_t last = std::min(step.y + step.height, first + count);
      for (std::int32_t y = std::max(step.y, first); y < last; ++y) {
        std::memset(buffer + std::int64_t{y - first} * out_size_.width + step.x, erased_[i].op->fill.at(c),
                    static_cast<std::size_t>(step.width));
      }
    }
    return buffer;
  }

 private:
  /// A rectangle that rows() fills.
  struct Erased {
    const AugmentOp* op;
    const AugmentStep* step;
  };

  void apply(const AugmentOp& op, const AugmentStep& step) {
    const bool moves_pixels =
        step.kind == StepKind::flip_x || step.kind == StepKind::flip_y || step.kind == StepKind::crop;
    // Flips before and after a crop change places with it, because borders are symmetric. Nothing else does.
    const bool is_second = moves_pixels && (erased_count_ > 0 || (crop_ != nullptr && step.kind == StepKind::crop));
    if (is_second || (step.kind == StepKind::resample && !is_made())) make_image();
    switch (step.kind) {
      case StepKind::none:
      case StepKind::jitter:
        return;
      case StepKind::flip_x:
        x_ = x_.mirrored(out_size_.width);
        return;
      case StepKind::flip_y:
        y_ = y_.mirrored(out_size_.height);
        return;
      case StepKind::crop:
        crop_ = &op;
        y_ = y_.from(step.y);
        x_ = x_.from(step.x);
        out_size_ = {op.height, op.width};
        return;
      case StepKind::resample:
        resample(op, step);
        return;
      case StepKind::erase:
        if (!op.is_normalized) erased_[erased_count_++] = {&op, &step};
        return;
    }
  }

  bool moves() const { return crop_ != nullptr || !y_.is_identity() || !x_.is_identity(); }
  Border border() const { return crop_ == nullptr ? Border::constant : crop_->border; }
  void prepare_row() { row_.prepare(x_, size_.width, out_size_.width, border()); }

  /// Applies the pending steps to the whole image.
  void make_image() {
    if (moves()) prepare_row();
    std::int8_t* const out = codes_ == buffers_[0] ? buffers_[1] : buffers_[0];
    for (std::int64_t c = 0; c < sample_.channels; ++c) {
      std::int8_t* const plane = out + c * pixels(out_size_);
      const std::int8_t* const made = rows(c, 0, out_size_.height, plane);
      if (made != plane) std::memcpy(plane, made, static_cast<std::size_t>(pixels(out_size_)));
    }
    codes_ = out;
    size_ = out_size_;
    y_ = x_ = {};
    crop_ = nullptr;
    erased_count_ = 0;
  }

  void resample(const AugmentOp& op, const AugmentStep& step) {
    std::int8_t* const out = codes_ == buffers_[0] ? buffers_[1] : buffers_[0];
    const std::int8_t* const part = codes_ + std::int64_t{step.y} * size_.width + step.x;
    const ResampleAxis down = axis_of({step.height, op.height, op.antialias}, scratch_.down);
    const ResampleAxis across = axis_of({step.width, op.width, op.antialias}, scratch_.across);
    for (std::int64_t c = 0; c < sample_.channels; ++c) {
      resample_plane(down, across, part + c * pixels(size_), step.width, out + c * op.height * op.width);
    }
    codes_ = out;
    size_ = out_size_ = {op.height, op.width};
  }

  /// Resizes along columns, then, transposed, along rows, for some rows of the output at a time.
  void resample_plane(const ResampleAxis& down, const ResampleAxis& across, const std::int8_t* from, std::int64_t width,
                      std::int8_t* out) const {
    for (std::int64_t top = 0; top < down.output_count; top += kTileRows) {
      const std::int64_t count = std::min(kTileRows, down.output_count - top);
      for (std::int64_t y = 0; y < count; ++y) {
        blend_code_rows(down, top + y, from, size_.width, width, scratch_.rows + y * width);
      }
      transpose_tile(scratch_.rows, width, scratch_.tile);
      std::int8_t* const to = out + top * across.output_count;
      blend_columns(across, scratch_.tile, 1, count, across.output_count, 0, reinterpret_cast<std::uint8_t*>(to));
      flip_sign_bits(to, count * across.output_count);
    }
  }

  void move_rows(std::int64_t c, std::int32_t first, std::int32_t count, std::int8_t* out) const {
    const std::int8_t* const plane = codes_ + c * pixels(size_);
    const std::int32_t width = out_size_.width;
    if (!moves()) {
      std::memcpy(out, plane + std::int64_t{first} * width, static_cast<std::size_t>(std::int64_t{count} * width));
      return;
    }
    const std::int8_t fill = crop_ == nullptr ? std::int8_t{0} : crop_->fill.at(c);
    constexpr std::int32_t kMostRows = 64;
    std::int32_t offsets[kMostRows];
    for (std::int32_t y = first; y < first + count; y += kMostRows) {
      const std::int32_t rows = std::min(kMostRows, first + count - y);
      for (std::int32_t i = 0; i < rows; ++i) {
        const std::int32_t row = inside(border(), y_.at(y + i), size_.height);
        offsets[i] = row < 0 ? -1 : row * size_.width;
      }
      row_.move(plane, offsets, rows, fill, out + std::int64_t{y - first} * width);
    }
  }

  static std::int64_t pixels(ImageSize size) { return std::int64_t{size.height} * size.width; }

  const AugmentProgram& program_;
  const SampleShape& sample_;
  std::int8_t* buffers_[2];
  const std::int8_t* codes_ = nullptr;  ///< of the image so far
  ImageSize size_ = {};                 ///< of the image so far
  // Steps that are not applied yet: first the pixels move, then rectangles are filled.
  ImageSize out_size_ = {};
  AxisMap y_, x_;
  const AugmentOp* crop_ = nullptr;
  Erased erased_[kMostAugmentOps];
  int erased_count_ = 0;
  RowMover row_;
  ResampleScratch scratch_;
};

/// The maps of one image: one per channel, or for all, and where erasures change them.
class ImageMaps {
 public:
  /// Borrows memory for C maps, and for the scales and shifts of a band.
  ImageMaps(const GatherArgs& args, Affine* maps, float* scales, float* shifts)
      : args_(args), maps_(maps), scales_(scales), shifts_(shifts) {
    std::copy_n(args.maps, args.uniform_map ? 1 : args.sample.channels, maps_);
  }

  void begin(const DrawnImage& image) {
    const AugmentProgram& program = *args_.program;
    is_uniform_ = args_.uniform_map;
    mapped_ = {};
    has_same_maps_ = is_uniform_;
    erased_count_ = 0;
    if (!program.has_jitter && !program.erases_values) return;
    for (std::int64_t c = 0; c < (is_uniform_ ? 1 : args_.sample.channels); ++c) maps_[c] = args_.maps[c];
    for (int i = 0; i < program.op_count; ++i) {
      const AugmentStep& step = image.steps[i];
      if (step.kind == StepKind::jitter) {
        for (std::int64_t c = 0; c < (is_uniform_ ? 1 : args_.sample.channels); ++c)
          maps_[c] = jittered(maps_[c], step);
      } else if (step.kind == StepKind::erase && program.ops[i].is_normalized) {
        erased_[erased_count_++] = {&step, i};
        has_same_maps_ = has_same_maps_ && program.ops[i].values.is_uniform;
      }
    }
    image_ = &image;
  }

  Affine map(std::int64_t c) const { return maps_[is_uniform_ ? 0 : c]; }
  /// Calls visit(first_row, row_count, erasures) for the rows of the image, in parts that the same erasures change: a
  /// bit for each.
  template <typename Visit>
  void for_parts(const Visit& visit) const {
    const auto height = static_cast<std::int32_t>(args_.batch.image.height);
    std::int32_t first = 0;
    while (first < height) {
      std::int32_t last = height;
      for (int i = 0; i < erased_count_; ++i) {
        for (const std::int32_t edge : {erased_[i].step->y, erased_[i].step->y + erased_[i].step->height}) {
          if (edge > first) last = std::min(last, edge);
        }
      }
      visit(first, last - first, erasures_of(first));
      first = last;
    }
  }
  /// Sets the maps of the values of `rows` rows that `erasures` change, of channel `c` or, if `interleaved`, of all.
  void set_rows(std::int32_t rows, std::uint32_t erasures, std::int64_t c, bool interleaved) {
    const MappedRows mapped = {has_same_maps_ && !interleaved ? 0 : c, rows, erasures};
    if (mapped == mapped_) return;
    mapped_ = mapped;
    const std::int64_t width = args_.batch.image.width, step = interleaved ? args_.sample.channels : 1;
    for (std::int64_t channel = interleaved ? 0 : c; channel < (interleaved ? args_.sample.channels : c + 1);
         ++channel) {
      set_row(width, step, interleaved ? channel : 0, channel, erasures);
    }
    for (std::int32_t row = 1; row < rows; ++row) {
      std::copy_n(scales_, width * step, scales_ + row * width * step);
      std::copy_n(shifts_, width * step, shifts_ + row * width * step);
    }
  }
  const float* scales() const { return scales_; }
  const float* shifts() const { return shifts_; }

 private:
  struct Erased {
    const AugmentStep* step;
    int op;
  };

  /// What set_rows() has set.
  struct MappedRows {
    std::int64_t channel = -1;
    std::int32_t rows = 0;
    std::uint32_t erasures = 0;
    bool operator==(const MappedRows&) const = default;
  };
  /// Sets the maps of one row of `channel`, whose values are `step` apart from `at` on.
  void set_row(std::int64_t width, std::int64_t step, std::int64_t at, std::int64_t channel, std::uint32_t erasures) {
    const auto fill = [&](std::int64_t first, std::int64_t count, Affine with) {
      if (step == 1) {
        std::fill_n(scales_ + first, count, with.scale);
        std::fill_n(shifts_ + first, count, with.shift);
        return;
      }
      for (std::int64_t x = first; x < first + count; ++x) {
        scales_[x * step + at] = with.scale;
        shifts_[x * step + at] = with.shift;
      }
    };
    fill(0, width, map(channel));
    for (int i = 0; i < erased_count_; ++i) {
      if ((erasures >> i & 1) == 0) continue;
      fill(erased_[i].step->x, erased_[i].step->width, {0.0f, value_of(erased_[i].op, channel)});
    }
  }
  /// A bit for each erasure that covers row `y`.
  std::uint32_t erasures_of(std::int32_t y) const {
    std::uint32_t found = 0;
    for (int i = 0; i < erased_count_; ++i) {
      if (y >= erased_[i].step->y && y < erased_[i].step->y + erased_[i].step->height) found |= 1u << i;
    }
    return found;
  }

  static Affine jittered(Affine map, const AugmentStep& step) {
    return {map.scale * step.factor, (map.shift + step.shift) * step.factor};
  }
  /// What erasure `op` writes to channel `c`. Later jitter changes it too.
  float value_of(int op, std::int64_t c) const {
    float value = args_.program->ops[op].values.at(c);
    for (int i = op + 1; i < args_.program->op_count; ++i) {
      if (image_->steps[i].kind == StepKind::jitter) value = jittered({0.0f, value}, image_->steps[i]).shift;
    }
    return value;
  }

  const GatherArgs& args_;
  Affine* maps_;
  float* scales_;
  float* shifts_;
  const DrawnImage* image_ = nullptr;
  bool is_uniform_ = false;
  Erased erased_[kMostAugmentOps];
  int erased_count_ = 0;
  MappedRows mapped_;
  bool has_same_maps_ = false;  ///< whether all channels have the same maps, also where values are erased
};

/// Rows of an image that are made, then decoded, while they are in the L1 cache.
std::int32_t band_rows(const GatherArgs& args) {
  constexpr std::int64_t kBandValues = 1024;
  const std::int64_t row_values = args.batch.image.width * (keeps_order(args) ? 1 : args.sample.channels);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(kBandValues / row_values, 1, args.batch.image.height));
}

/// Divides the scratch memory of a thread. Without memory, counts the bytes.
struct ScratchParts {
  ScratchParts(const GatherArgs& args, std::byte* memory) : memory_(memory) {
    const AugmentProgram& program = *args.program;
    const std::int64_t C = args.sample.channels;
    const std::int64_t band_values = band_rows(args) * args.batch.image.width * (keeps_order(args) ? 1 : C);
    maps = take<Affine>(C);
    scales = take<float>(band_values);
    shifts = take<float>(band_values);
    band = take<std::int8_t>(band_values);
    tile = take<std::int8_t>(band_values);
    first_codes = take<std::int8_t>(C * program.most_pixels);
    second_codes = take<std::int8_t>(C * program.most_pixels);
    const std::int64_t side = program.most_resampled_side, out = program.most_resampled_output;
    for (AxisScratch* axis : {&resampling.down, &resampling.across}) {
      axis->first = take<std::int32_t>(out);
      axis->weights = take<std::int16_t>(AxisScratch::weight_count(side, out));
    }
    resampling.rows = take<std::uint16_t>(kTileRows * side);
    resampling.tile = take<std::uint16_t>(kTileRows * side);
  }
  static std::int64_t bytes(const GatherArgs& args) { return ScratchParts(args, nullptr).taken_; }

  Affine* maps;
  float* scales;
  float* shifts;
  std::int8_t* band;
  std::int8_t* tile;
  std::int8_t* first_codes;
  std::int8_t* second_codes;
  ResampleScratch resampling;

 private:
  template <typename T>
  T* take(std::int64_t count) {
    T* const taken = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + taken_);
    taken_ += round_to_scratch(count * static_cast<std::int64_t>(sizeof(T)));
    return taken;
  }

  std::byte* memory_;
  std::int64_t taken_ = 0;
};

/// Gathers augmented images, one after the other.
class ImageGather {
 public:
  ImageGather(const GatherArgs& args, std::byte* scratch)
      : args_(args),
        parts_(args, scratch),
        maker_(*args.program, args.sample, parts_.first_codes, parts_.second_codes, parts_.resampling),
        maps_(args, parts_.maps, parts_.scales, parts_.shifts),
        band_rows_(band_rows(args)) {}

  template <typename Output>
  void append(const std::int8_t* codes, const DrawnImage& image, Output& output) {
    maker_.begin(codes, image);
    maps_.begin(image);
    if (keeps_order(args_))
      append_planes(output);
    else
      append_pixels(output);
  }

 private:
  template <typename Output>
  void append_planes(Output& output) {
    const std::int64_t width = args_.batch.image.width;
    for (std::int64_t c = 0; c < args_.sample.channels; ++c) {
      for_bands([&](std::int32_t y, std::int32_t count, std::uint32_t erasures) {
        const std::int8_t* const rows = maker_.rows(c, y, count, parts_.band);
        if (erasures == 0) return output.append(Run{rows, count * width, maps_.map(c), nullptr, nullptr, nullptr});
        maps_.set_rows(count, erasures, c, false);
        append_mapped(rows, count * width, output);
      });
    }
  }

  template <typename Output>
  void append_pixels(Output& output) {
    const std::int64_t C = args_.sample.channels;
    for_bands([&](std::int32_t y, std::int32_t count, std::uint32_t erasures) {
      const std::int64_t pixels = count * args_.batch.image.width;
      for (std::int64_t c = 0; c < C; ++c) {
        std::int8_t* const place = parts_.band + c * pixels;
        const std::int8_t* const rows = maker_.rows(c, y, count, place);
        if (rows != place) std::memcpy(place, rows, static_cast<std::size_t>(pixels));
      }
      interleave(parts_.band, pixels, C, pixels, nullptr, parts_.tile);
      if (erasures == 0 && args_.uniform_map) {
        return output.append(Run{parts_.tile, pixels * C, maps_.map(0), nullptr, nullptr, nullptr});
      }
      maps_.set_rows(count, erasures, 0, true);
      append_mapped(parts_.tile, pixels * C, output);
    });
  }

  /// Calls append(first_row, row_count, erasures) for the bands of an image.
  template <typename Append>
  void for_bands(const Append& append) const {
    maps_.for_parts([&](std::int32_t first, std::int32_t count, std::uint32_t erasures) {
      // Rows that are in memory and have one map need no band.
      const bool is_one_band = erasures == 0 && maker_.is_made() && keeps_order(args_);
      const std::int32_t most = is_one_band ? count : band_rows_;
      for (std::int32_t y = 0; y < count; y += most) append(first + y, std::min(most, count - y), erasures);
    });
  }

  template <typename Output>
  void append_mapped(const std::int8_t* codes, std::int64_t count, Output& output) const {
    output.append(Run{codes, count, maps_.map(0), maps_.scales(), maps_.shifts(), nullptr});
  }

  const GatherArgs& args_;
  ScratchParts parts_;
  ImageMaker maker_;
  ImageMaps maps_;
  std::int32_t band_rows_;
};

/// Calls gather(codes, image) for each image of positions [first, last). Prefetches samples ahead of their use.
template <typename Gather>
void for_images(const GatherArgs& args, std::int64_t first, std::int64_t last, const Gather& gather) {
  constexpr std::int64_t kCodeLine = 64, kMostPrefetched = 16 << 10, kTouchAhead = 5;
  static_assert(kTouchAhead < RowWindow::kLookAhead);
  RowWindow window(args.selection, first, last);
  const std::int64_t prefetched = std::min(args.sample.values(), kMostPrefetched);
  for (std::int64_t b = first; b < last; ++b) {
    if (b + kTouchAhead < last) prefetch(codes_of(args.packed, window.row(b + kTouchAhead)));
    if (b + 1 < last) {
      const std::int8_t* const next = codes_of(args.packed, window.row(b + 1));
      for (std::int64_t i = 0; i < prefetched; i += kCodeLine) prefetch(next + i);
    }
    const SelectedSample sample = window.sample(b);
    const std::int8_t* const codes = codes_of(args.packed, sample.row);
    for (std::int64_t view = 0; view < args.batch.views; ++view) {
      DrawnImage image;
      draw_image(args, sample, static_cast<std::uint32_t>(view), image);
      gather(codes, image);
    }
    if (args.out_labels == nullptr) continue;
    for (std::int64_t word = 0; word < args.packed.label_words; ++word) copy_label_word(args, sample.row, b, word);
  }
}

template <typename Output>
void gather_to(const GatherArgs& args, std::int64_t first, std::int64_t last, std::byte* scratch, Output&& output) {
  ImageGather images(args, scratch);
  for_images(args, first, last, [&](const auto* codes, const auto& image) { images.append(codes, image, output); });
  output.finish();
}

/// Whether every run of the output consists of whole cache lines: a run has whole rows of the output.
template <typename Value>
bool is_whole_lines(const GatherArgs& args) {
  const std::int64_t row = args.batch.image.width * (keeps_order(args) ? 1 : args.sample.channels);
  return row % kLine<Value> == 0 && reinterpret_cast<std::uintptr_t>(args.values) % kLineBytes == 0;
}

template <typename Value>
void gather_as(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores, std::byte* scratch) {
  Value* const out = static_cast<Value*>(args.values) + first * args.batch.values();
  if (stores == Stores::cached)
    gather_to(args, first, last, scratch, DirectOutput<false, Value>(out));
  else if (is_whole_lines<Value>(args))
    gather_to(args, first, last, scratch, DirectOutput<true, Value>(out));
  else
    gather_to(args, first, last, scratch, StagedOutput<Value>(out));
}

void gather_augmented_here(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores,
                           std::byte* scratch) {
  visit_value_type(args.batch.dtype,
                   [&](auto value) { gather_as<decltype(value)>(args, first, last, stores, scratch); });
}
std::int64_t scratch_bytes_here(const GatherArgs& args) { return ScratchParts::bytes(args); }

#else

void gather_augmented_here(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores, std::byte*) {
  gather_portable(args, first, last);
}
std::int64_t scratch_bytes_here(const GatherArgs&) { return 0; }

#endif  // HWY_NATIVE_FMA
}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::kernels::cpu {

HWY_EXPORT(gather_augmented_here);
HWY_EXPORT(scratch_bytes_here);

std::int64_t augment_scratch_bytes(const GatherArgs& args) { return HWY_DYNAMIC_DISPATCH(scratch_bytes_here)(args); }

void gather_augmented(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores,
                      std::byte* scratch) {
  const DefaultFloatingPointMode mode;
  HWY_DYNAMIC_DISPATCH(gather_augmented_here)(args, first, last, stores, scratch);
}

}  // namespace octavo::kernels::cpu
#endif
