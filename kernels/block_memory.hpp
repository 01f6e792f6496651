// Memory in which a CUDA device works while it makes a batch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace octavo::kernels {

/// Memory in which blocks decode rows and make images: a slot for each block that runs at the same time.
struct BlockMemory {
  std::byte* memory = nullptr;
  std::int64_t slot_bytes = 0, slots = 0;
};

/// Memory in which the samples of a batch, or of a part of it, are decoded before they are gathered.
struct DecodedMemory {
  std::byte* memory = nullptr;  ///< aligned to 16 bytes
  std::int64_t bytes = 0;
};

/// The parts of DecodedMemory for `count` samples, one after the other: codes, labels, four numbers of a sample, and
/// the ImagePart of it that is decoded.
struct DecodedParts {
  static constexpr std::int64_t kNumbers = 4, kPartBytes = 16, kNumberBytes = 8 * kNumbers + kPartBytes;

  std::int64_t codes, labels, numbers, image_parts;  ///< bytes, multiples of 16

  DecodedParts(std::int64_t count, std::int64_t values, std::int64_t label_words)
      : codes(rounded_up(count * values)),
        labels(rounded_up(count * label_words * 4)),
        numbers(rounded_up(count * 8)),
        image_parts(count * kPartBytes) {}
  std::int64_t bytes() const { return codes + labels + kNumbers * numbers + image_parts; }

 private:
  static std::int64_t rounded_up(std::int64_t bytes) { return (bytes + 15) / 16 * 16; }
};

}  // namespace octavo::kernels
