// The sample shapes and kinds of batches for the gather benchmarks.
#pragma once

#include <cstdint>

#include "kernels/gather.hpp"

namespace octavo::bench {

/// A sample of C channels of P values.
struct Shape {
  const char* name;
  std::int64_t channels, values_per_channel;
  std::int64_t values() const { return channels * values_per_channel; }
};

inline constexpr Shape kShapes[] = {{"1x28x28", 1, 784},
                                    {"3x32x32", 3, 1024},
                                    {"3x64x64", 3, 4096},
                                    {"3x224x224", 3, 50176},
                                    {"3x37x53 (odd)", 3, 1961}};

/// Samples per batch.
inline constexpr std::int64_t kBatches[] = {1, 32, 256, 512, 4096, 65536};

/// A kind of batch.
struct Variant {
  const char* name;
  DType value_type = DType::float32;
  Layout layout = Layout::nchw;
  bool uniform_map = true;
  bool pixel_shifts = false;
  std::int64_t value_bytes() const { return bytes_of(value_type); }
};

inline constexpr Variant kVariants[] = {{.name = "float32"},
                                        {.name = "float32, map a channel", .uniform_map = false},
                                        {.name = "float16", .value_type = DType::float16},
                                        {.name = "bfloat16", .value_type = DType::bfloat16},
                                        {.name = "float32, mean image", .pixel_shifts = true},
                                        {.name = "float32 NHWC", .layout = Layout::nhwc, .uniform_map = false}};

}  // namespace octavo::bench
