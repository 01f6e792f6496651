// The output of a gather, run by run. A per-target part of gather.cpp (Highway), hence the special include guard.
#if defined(OCTAVO_KERNELS_CPU_GATHER_OUTPUT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTAVO_KERNELS_CPU_GATHER_OUTPUT_INL_HPP
#undef OCTAVO_KERNELS_CPU_GATHER_OUTPUT_INL_HPP
#else
#define OCTAVO_KERNELS_CPU_GATHER_OUTPUT_INL_HPP
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/cpu/decode_run-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {
#if HWY_NATIVE_FMA

constexpr std::int64_t kLineBytes = 64;

/// Values per cache line.
template <typename Value>
inline constexpr std::int64_t kLine = kLineBytes / static_cast<std::int64_t>(sizeof(Value));

/// Rounds values to the output type.
template <typename Value>
void round_values(const float* values, std::int64_t count, Value* out) {
  if constexpr (std::is_same_v<Value, float>) {
    std::copy_n(values, count, out);
  } else {
    const Floats floats;
    std::int64_t i = 0;
    for (; i + kStep<Value> <= count; i += kStep<Value>) {
      const auto bits = half_bits(Value{}, hn::LoadU(floats, values + i), hn::LoadU(floats, values + i + kStep<float>));
      hn::StoreU(bits, Halves(), &out[i].bits);
    }
    for (; i < count; ++i) out[i] = round_to<Value>(values[i]);
  }
}

/// Decodes values directly into the output. With kStream, stores bypass the cache; `out` and every run must then
/// consist of whole lines.
template <bool kStream, typename Value>
class DirectOutput {
 public:
  explicit DirectOutput(Value* out) : out_(out) {}

  void append(const Run& run) {
    decode_run<kStream>(run, out_);
    out_ += run.count;
  }
  /// Appends `count` values: make(out) makes them, with the same kind of stores.
  template <typename Make>
  void append_made(std::int64_t count, const Make& make) {
    make(std::bool_constant<kStream>{}, out_);
    out_ += count;
  }
  /// Appends values that are not rounded to the output type yet. Only without kStream.
  void append_values(const float* values, std::int64_t count) {
    round_values(values, count, out_);
    out_ += count;
  }
  void finish() {
    if constexpr (kStream) hwy::FlushStream();
  }

 private:
  Value* out_;
};

/// Stores that bypass the cache for runs that begin and end anywhere. Values are collected in a tile that stays in the
/// L1 cache, and leave it in whole lines.
template <typename Value>
class StagedOutput {
 public:
  explicit StagedOutput(Value* out) {
    // The tile begins at the line that contains `out`. The values before `out` are not ours.
    begin_ = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) % kLineBytes / sizeof(Value));
    end_ = begin_;
    lines_ = out - begin_;
  }

  void append(const Run& run) {
    for_pieces(run.count, [&](std::int64_t first, std::int64_t count) {
      decode_run<false>(part(run, first, count), tile_ + end_);
    });
  }
  void append_values(const float* values, std::int64_t count) {
    for_pieces(count,
               [&](std::int64_t first, std::int64_t piece) { round_values(values + first, piece, tile_ + end_); });
  }
  void finish() {
    std::copy(tile_ + begin_, tile_ + end_, lines_ + begin_);
    hwy::FlushStream();
  }

 private:
  static constexpr std::int64_t kPiece = 1024;

  /// Calls put(first, count) for pieces of at most 3/2 kPiece, which avoids a short last piece.
  template <typename Put>
  void for_pieces(std::int64_t count, const Put& put) {
    for (std::int64_t first = 0; first < count;) {
      const std::int64_t rest = count - first;
      const std::int64_t piece = rest <= kPiece * 3 / 2 ? rest : kPiece;
      put(first, piece);
      first += piece;
      end_ += piece;
      if (end_ >= kLine<Value>) store_lines();
    }
  }

  /// Stores all full lines of the tile and keeps the last, partial one.
  void store_lines() {
    const hn::ScalableTag<std::uint8_t> bytes;
    constexpr std::int64_t kVectorBytes = static_cast<std::int64_t>(hn::MaxLanes(bytes));
    const std::int64_t full = end_ / kLine<Value> * kLine<Value>;
    const std::int64_t whole_from = begin_ == 0 ? 0 : kLine<Value>;
    std::copy(tile_ + begin_, tile_ + whole_from, lines_ + begin_);
    const auto* from = reinterpret_cast<const std::uint8_t*>(tile_);
    auto* to = reinterpret_cast<std::uint8_t*>(lines_);
    for (std::int64_t at = whole_from * static_cast<std::int64_t>(sizeof(Value));
         at < full * static_cast<std::int64_t>(sizeof(Value)); at += kVectorBytes) {
      hn::Stream(hn::Load(bytes, from + at), bytes, to + at);
    }
    std::memcpy(tile_, tile_ + full, static_cast<std::size_t>(end_ - full) * sizeof(Value));
    lines_ += full;
    begin_ = 0;
    end_ -= full;
  }

  Value* lines_;        ///< destination of tile_[0]
  std::int64_t begin_;  ///< first value of the tile that belongs to the output
  std::int64_t end_;
  alignas(kLineBytes) Value tile_[kPiece * 3 / 2 + kLine<Value>];
};

#endif  // HWY_NATIVE_FMA
}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif
