// A warp's tile of codes with flipped signs in shared memory, in output order. From there it is stored in whole 16-byte
// units, consecutive over the warp, for any alignment of codes and output.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/block/decode_words.cuh"
#include "kernels/cuda/block/geometry.hpp"

namespace octavo::kernels::cuda {

/// Whether a tile can have codes outside the whole words of their sample: up to three at either end of the sample. A
/// tile has at least one pixel.
__device__ inline bool has_edges(std::uint32_t tile, std::uint32_t tiles_per_sample) {
  return tile < 3 || tile + 3 >= tiles_per_sample;
}

/// The start of four consecutive codes: `shift` bytes into an aligned word.
struct SplitPlace {
  std::uint32_t word;  ///< byte offset from the word in which the sample begins
  unsigned shift;
};

/// The codes of one packed sample. Loads any four consecutive codes as the two aligned words that hold them. Never
/// loads a first or last word that it may share with neighboring samples; stage_edges() adds the codes in them.
class SampleBytes {
 public:
  __device__ SampleBytes(const std::int8_t* begin, std::uint32_t byte_count)
      : skipped_(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(begin) % 4)),
        words_(begin - skipped_),
        end_(byte_count + skipped_) {}

  __device__ SplitPlace place(std::uint32_t offset) const {
    return {(offset + skipped_) & ~3u, (offset + skipped_) % 4};
  }
  /// Loads the two words of the four codes `further` bytes, a multiple of 4, after `place`.
  __device__ void load(const L2Policy& policy, bool wanted, SplitPlace place, std::uint32_t further, std::uint32_t& low,
                       std::uint32_t& high) const {
    // Signed, so that comparing with a constant distance needs no extra addition.
    const auto at = static_cast<std::int32_t>(place.word), end = static_cast<std::int32_t>(end_);
    const auto distance = static_cast<std::int32_t>(further);
    const std::int8_t* from = words_ + place.word;
    const bool is_first = at + distance < static_cast<std::int32_t>(skipped_);
    low = policy.load_word(wanted && !is_first && at <= end - 4 - distance, from + further);
    high = policy.load_word(wanted && place.shift != 0 && at <= end - 8 - distance, from + further + 4);
  }

  /// Stages the up to three codes at either end that are outside whole words. The code at `offset` goes
  /// place_of(offset) bytes into `staged`; a negative result means another tile. A whole warp must call this after
  /// staging the words.
  template <typename PlaceOf>
  __device__ void stage_edges(std::uint32_t* staged, const PlaceOf& place_of) const {
    const std::uint32_t lane = threadIdx.x % kWarpThreads;
    const std::uint32_t at =
        lane < 4 ? lane : (end_ & ~3u) + lane - 4;  // lanes 0 to 3: the first word, 4 to 7: the last
    // Of a sample that is within one word, the first lanes write everything.
    const bool is_in_first = skipped_ != 0 && lane < 4;
    const bool is_in_last = lane >= 4 && lane < 8 && (skipped_ == 0 || end_ >= 4);
    if (!(is_in_first || is_in_last) || at < skipped_ || at >= end_) return;
    const std::int64_t place = place_of(at - skipped_);
    if (place >= 0) {
      reinterpret_cast<std::uint8_t*>(staged)[place] = static_cast<std::uint8_t>(words_[at] + 128);
    }
  }

 private:
  unsigned skipped_;  ///< bytes of the first word before the sample
  const std::int8_t* words_;
  std::uint32_t end_;
};

/// Returns kCodes codes (4 or 8) that begin `shift` bytes after `staged`.
template <int kCodes>
__device__ inline Words<kCodes> staged_codes(const std::uint32_t* staged, unsigned shift) {
  Words<kCodes> codes;
#pragma unroll
  for (int i = 0; i < kCodes / 4; ++i) codes.words[i] = bytes_from(staged[i], staged[i + 1], shift);
  return codes;
}

/// Number of values in an output tile before its first 16-byte boundary, at most `count`.
template <typename Value>
__device__ inline std::uint32_t head_of(const Value* out, std::uint32_t count) {
  const auto head = static_cast<std::uint32_t>((16 - reinterpret_cast<std::uintptr_t>(out) % 16) % 16 / sizeof(Value));
  return head < count ? head : count;
}

/// Stores the `count` staged codes as values at `out`. If `in_units`, stores whole units from the first 16-byte
/// boundary on, kUnits per lane at a time, and the values before and after them one by one. map_of(i) is the map of
/// value i. unit_maps(k, first)(i) is the map of value first + i in a lane's unit k, which may be beyond the tile.
template <int kUnits, typename Value, typename MapOf, typename UnitMaps>
__device__ inline void store_staged(const std::uint32_t* staged, std::uint32_t count, bool in_units, Value* out,
                                    const L2Policy& policy, const MapOf& map_of, const UnitMaps& unit_maps) {
  constexpr std::uint32_t kValues = kValuesPerStore<Value>;
  const std::uint32_t lane = threadIdx.x % kWarpThreads;
  const std::uint32_t head = head_of(out, count), units = in_units ? (count - head) / kValues : 0;
  // Every unit begins a multiple of 4 codes after the head, so all have the same offset from a word. Units beyond the
  // tile read unspecified data and are not stored. Only tiles of more than kUnits units per lane need more than one
  // pass.
  for (std::uint32_t first_unit = lane; first_unit < units + lane; first_unit += kUnits * kWarpThreads) {
    const std::uint32_t first = head + first_unit * kValues;
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      constexpr int kStride = static_cast<int>(kWarpThreads * kValues);
      const auto codes = staged_codes<static_cast<int>(kValues)>(staged + first / 4 + k * kStride / 4, head % 4);
      const auto values = decode_words<Value>(codes, unit_maps(k, first + static_cast<std::uint32_t>(k * kStride)));
      policy.store(static_cast<int>(first_unit) < static_cast<int>(units) - k * static_cast<int>(kWarpThreads),
                   out + first + k * kStride, values);
    }
  }
  for (std::uint32_t edge = lane; edge < count - units * kValues; edge += kWarpThreads) {
    const std::uint32_t i = edge < head ? edge : edge + units * kValues;
    const Affine map = map_of(i);
    out[i] = round_to<Value>(decode(flipped_code(staged[i / 4], i % 4), map));
  }
}

}  // namespace octavo::kernels::cuda
