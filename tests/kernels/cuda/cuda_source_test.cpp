// Runs the CUDA sources, compiled for the host: every thread of every block, on buffers of exact size.
#include <vector>

#include "augment_cases.hpp"
#include "case_stride.hpp"
#include "catch.hpp"
#include "cuda_devices.hpp"
#include "gather_cases.hpp"
#include "gather_checks.hpp"
#include "kernels/cache_policy.hpp"
#include "kernels/cpu/batch_mean.hpp"
#include "kernels/cpu/gather.hpp"
#include "kernels/cuda/batch_mean.hpp"
#include "kernels/cuda/block/geometry.hpp"
#include "kernels/cuda/gather.hpp"
#include "kernels/cuda/mask_gather.hpp"
#include "kernels/cuda/row_copy.hpp"
#include "kernels/divider.hpp"
#include "unwritten.hpp"

using namespace octavo::kernels;
using namespace octavo::test;
using octavo::DType;
using octavo::Layout;

namespace {

/// Gathers the first image of a case, which must be that of the definition, with the kernel that takes every
/// program.
void require_defined_image(AugmentCase& parameters) {
  GatherArgs args = parameters.args();
  args.batch_count = 1;
  gather_defined(args);
  const auto expected = parameters.values();
  args = parameters.args();
  args.batch_count = 1;
  args.augment.resizing = {};
  require_gather(args, kMiddleDevice);
  REQUIRE(parameters.values() == expected);
}

/// Centers the batch of a gather on its mean with CUDA, which must give the bits of the CPU.
void require_mean_of_cpu(const GatherArgs& gather, const cuda::DeviceTraits& device) {
  const std::int64_t C = gather.batch.image.channels;
  const auto channels = static_cast<std::size_t>(C);
  std::vector<Quantization> quantization(channels);
  std::vector<double> divisors(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    quantization[c] = {1.0 + static_cast<double>(c) / 7, static_cast<double>(c) / 3};
    divisors[c] = 128.0 + static_cast<double>(c);
  }
  std::vector<std::int64_t> sums(channels), expected_sums(channels);
  std::vector<Affine> maps(channels), expected_maps(channels);
  BatchMeanArgs args{.packed = gather.packed,
                     .channel_count = C,
                     .values_per_channel = gather.batch.image.values_per_channel(),
                     .selection = gather.selection,
                     .batch_count = gather.batch_count,
                     .quantization = quantization.data(),
                     .divisors = divisors.data(),
                     .sums = expected_sums.data(),
                     .maps = expected_maps.data()};
  cpu::add_batch_sums(args, 0, args.batch_count, expected_sums.data(), nullptr);
  cpu::fold_batch_maps(args);
  args.sums = sums.data();
  args.maps = maps.data();
  mark_unwritten(sums);
  mark_unwritten(maps);
  REQUIRE(cuda::launch_batch_mean(args, device, nullptr) == cudaSuccess);
  REQUIRE(unwritten_bytes(sums) + unwritten_bytes(maps) == 0);
  REQUIRE(sums == expected_sums);
  for (std::size_t c = 0; c < channels; ++c) {
    REQUIRE(bits_of(maps[c].scale) == bits_of(expected_maps[c].scale));
    REQUIRE(bits_of(maps[c].shift) == bits_of(expected_maps[c].shift));
  }
}

/// Compares with the definition.
void require_augmented(AugmentCase& parameters) {
  gather_defined(parameters.args());
  const auto expected = parameters.values();
  const auto labels = parameters.out_labels();
  GatherArgs args = parameters.args();
  // Fewer slots than images, so that blocks make several.
  std::vector<std::byte> images(static_cast<std::size_t>(3 * parameters.image_bytes()));
  args.block_memory.memory = images.data();
  args.block_memory.slot_bytes = parameters.image_bytes();
  args.block_memory.slots = 3;
  mark_unwritten(images);
  require_gather(args, kMiddleDevice);
  REQUIRE(parameters.values() == expected);
  REQUIRE(parameters.out_labels() == labels);
}

}  // namespace

TEST_CASE("the CUDA gather gives the exact values of every case", "[unit][shim]") {
  const std::vector<GatherCase> cases = gather_cases();
  for (std::size_t i = first_case(); i < cases.size(); i += case_stride()) {
    const GatherCase& parameters = cases[i];
    for (const cuda::DeviceTraits& device : {kSmallDevice, kLargeDevice}) {
      INFO(parameters.name() << " multiprocessors=" << device.multiprocessor_count);
      GatherData data(parameters);
      require_defined_gather(data, device);
    }
  }
}

TEST_CASE("the CUDA gather of masks gives the masks of the CPU", "[unit][shim][order]") {
  for (std::uint32_t seed = first_case(); seed < 200; seed += case_stride()) {
    for (const DType dtype : {DType::uint8, DType::int64}) {
      AugmentCase one(seed);
      INFO(one.name() << " " << to_string(dtype));
      MaskGatherArgs args = one.mask_args(dtype);
      gather_masks(args);
      const Bytes expected = one.masks();
      args = one.mask_args(dtype);
      mark_unwritten(args.masks, expected.size());
      REQUIRE(cuda::launch_mask_gather(args, kSmallDevice, nullptr) == cudaSuccess);
      REQUIRE(unwritten_bytes(args.masks, expected.size()) == 0);
      REQUIRE(one.masks() == expected);
    }
  }
}

TEST_CASE("the CUDA gather copies masks that are not augmented", "[unit][shim]") {
  for (const DType dtype : {DType::uint8, DType::int64}) {
    AugmentCase one(3);
    MaskGatherArgs args = one.mask_args(dtype);
    args.program = nullptr;
    args.out_size = args.size;
    args.views = 1;
    const auto bytes = static_cast<std::size_t>(args.batch_count * args.out_pixels()) * bytes_of(dtype);
    std::vector<std::byte> masks(bytes), expected(bytes);
    args.masks = expected.data();
    gather_masks(args);
    args.masks = masks.data();
    mark_unwritten(masks);
    REQUIRE(cuda::launch_mask_gather(args, kSmallDevice, nullptr) == cudaSuccess);
    REQUIRE(unwritten_bytes(masks) == 0);
    REQUIRE(masks == expected);
  }
}

TEST_CASE("the CUDA gather augments like the definition", "[unit][shim][order]") {
  for (std::uint32_t seed = first_case(); seed < 300; seed += case_stride()) {
    AugmentCase parameters(seed);
    INFO(parameters.name());
    require_augmented(parameters);
  }
}

// Each step reads the whole image, or values that other threads have changed.
TEST_CASE("the CUDA gather changes the values of whole images step by step", "[unit][shim]") {
  using enum AugmentKind;
  std::uint32_t seed = 0;
  while (AugmentCase(seed).args().sample.channels != 3) ++seed;
  AugmentCase parameters(seed);
  parameters.store_as(7, 11);
  for (const AugmentKind first : {permute_channels, invert, solarize}) {
    parameters.change_by({first, first == invert ? permute_channels : invert, equalize});
    INFO(static_cast<int>(first));
    require_augmented(parameters);
  }
}

TEST_CASE("the CUDA gather resizes also with filters that do not fit in shared memory", "[unit][shim]") {
  for (const auto& [height, width] : {std::pair{2, 1200}, {1200, 2}, {600, 424}, {600, 425}}) {
    AugmentCase parameters(1);
    parameters.resize_to(height, width);
    INFO(height << "x" << width);
    require_defined_image(parameters);
  }
}

TEST_CASE("the CUDA gather shrinks images with more weights than fit in shared memory", "[unit][shim]") {
  AugmentCase parameters(1);
  parameters.store_as(1, 4400);
  parameters.resize_to(1, 40);  // at least 2 * 4,400 weights; there is room for 8,192
  require_defined_image(parameters);
}

TEST_CASE("the CUDA gather serves batches that its blocks divide unevenly", "[unit][shim]") {
  for (const std::int64_t B : {1, 7, 8, 9, 15, 16, 17, 40}) {
    for (const std::int64_t P : {16, 17, 4096, 4100}) {
      const GatherCase parameters{.N = 50, .C = 2, .P = P, .B = B, .layout = Layout::nchw};
      INFO(parameters.name());
      GatherData data(parameters);
      require_defined_gather(data, kSmallDevice);
    }
  }
}

TEST_CASE("the CUDA gather reads given rows in their order", "[unit][shim]") {
  for (const std::int64_t P : {64, 65}) {
    const GatherCase parameters{.N = 10, .C = 1, .P = P, .B = 6};
    GatherData data(parameters);
    data.set_rows({9, 9, 8, 0, 3, 0});
    require_defined_gather(data, kSmallDevice);
  }
}

TEST_CASE("the CUDA gather advances its cursor past the end of an epoch", "[unit][shim]") {
  // One shape per kernel, with blocks for several splits of several groups.
  for (const auto& [layout, C, P] : {std::tuple{Layout::nchw, 1, 64},
                                     {Layout::nchw, 1, 65},
                                     {Layout::nchw, 3, 5000},
                                     {Layout::nhwc, 3, 64},
                                     {Layout::nhwc, 3, 65},
                                     {Layout::nhwc, 5, 900}}) {
    for (const cuda::DeviceTraits& device : {kSmallDevice, kLargeDevice}) {
      // 5 batches of 9 per epoch, 3 batches per launch. The second of two ranks draws positions 4 to 8 of each batch.
      const GatherCase parameters{.N = 47, .C = C, .P = P, .B = 15, .layout = layout};
      INFO(parameters.name());
      GatherData data(parameters);
      data.set_cursor(make_order_cursor(47, 3, true, 9, batch_share(9, 1, 2), 4, 1));
      for (std::int64_t launch = 0; launch < 5; ++launch) {
        require_defined_gather(data, device, 3);
        REQUIRE(data.cursor().epoch * 5 + data.cursor().step == 4 * 5 + 1 + 3 * (launch + 1));
        REQUIRE(data.cursor().blocks_done == 0);
      }
      // 1 + 5 * 3 = 3 epochs and 1 batch.
      REQUIRE(data.cursor().epoch == 7);
      REQUIRE(data.cursor().step == 1);
    }
  }
}

TEST_CASE("the CUDA gather advances a cursor only when requested", "[unit][shim]") {
  GatherData data({.N = 47, .C = 1, .P = 64, .B = 9});
  data.set_cursor(make_order_cursor(47, 3, true, 9, {0, 9}, 4, 1));
  require_defined_gather(data, kSmallDevice);
  REQUIRE(data.cursor().epoch == 4);
  REQUIRE(data.cursor().step == 1);
  REQUIRE(data.cursor().blocks_done == 0);
}

TEST_CASE("the CUDA copy of float32 rows copies values and labels", "[unit][shim]") {
  for (const std::int64_t S : {1, 4, 7, 127, 128, 512, 516, 1024, 1026, 5000}) {
    for (const cuda::DeviceTraits& device : {kSmallDevice, kMiddleDevice, kLargeDevice}) {
      constexpr std::int64_t N = 11, B = 11;  // all rows: nothing follows the last one
      std::vector<float> rows(static_cast<std::size_t>(N * S)), out(static_cast<std::size_t>(B * S), -1.0f);
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i) / 3;
      std::vector<std::uint32_t> labels(N), out_labels(B);
      for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::uint32_t>(100 + i);
      const OrderKey order = make_order_key(N, 5, 0, true);
      const RowCopyArgs args{rows.data(),   S, rows_in_order(order, 0, 0), B, out.data(),
                             labels.data(), 1, out_labels.data()};
      mark_unwritten(out);
      mark_unwritten(out_labels);
      REQUIRE(cuda::launch_row_copy(args, device, nullptr) == cudaSuccess);
      REQUIRE(unwritten_bytes(out) + unwritten_bytes(out_labels) == 0);
      for (std::int64_t b = 0; b < B; ++b) {
        const std::int64_t row = permute(order, b);
        REQUIRE(out_labels[static_cast<std::size_t>(b)] == static_cast<std::uint32_t>(100 + row));
        REQUIRE(std::equal(out.begin() + b * S, out.begin() + (b + 1) * S, rows.begin() + row * S));
      }
    }
  }
}

TEST_CASE("the CUDA mean of a batch has the same bits as on the CPU", "[unit][shim]") {
  // A vector has 16 codes and a tile 2,048. Rows and channels begin at any offset.
  for (const std::int64_t P : {1, 3, 4, 15, 16, 17, 31, 33, 64, 1021, 1024, 2047, 2048, 2049, 5000}) {
    for (const std::int64_t C : {1, 3, 130}) {
      if (C * P > 40000) continue;
      GatherData data({.N = 20, .C = C, .P = P, .B = 13, .staged_count = 6, .code_offset = P % 3});
      for (const cuda::DeviceTraits& device : {kSmallDevice, kMiddleDevice, kLargeDevice}) {
        INFO("C " << C << " P " << P);
        require_mean_of_cpu(data.args(), device);
      }
    }
  }
}

TEST_CASE("the CUDA mean of a batch that a cursor draws has the same bits as on the CPU", "[unit][shim][order]") {
  for (const std::int64_t P : {5, 1024}) {
    for (const std::int64_t C : {1, 3}) {
      GatherData data({.N = 20, .C = C, .P = P, .B = 9, .staged_count = 6, .code_offset = P % 2});
      data.set_cursor(make_order_cursor(20, 3, true, 9, {0, 9}, 4, 1));
      require_mean_of_cpu(data.args(), kMiddleDevice);
      REQUIRE(data.cursor().step == 1);
      REQUIRE(data.cursor().blocks_done == 0);
    }
  }
}

TEST_CASE("a grid covers its work and stays within the limits of every device", "[unit][shim]") {
  for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{8}, std::int64_t{65536}, std::int64_t{2147483647}}) {
    for (const std::int64_t tiles : {1, 2, 7, 294, 65536, 4194304}) {
      for (const cuda::DeviceTraits& device : {kSmallDevice, kLargeDevice}) {
        const cuda::BatchGeometry geometry = cuda::batch_geometry(batch, tiles, device);
        INFO("batch " << batch << " tiles " << tiles);
        REQUIRE(geometry.block_threads % 32 == 0);
        REQUIRE(geometry.block_threads >= 32);
        REQUIRE(geometry.block_threads <= cuda::kMostThreads);
        REQUIRE(geometry.samples_per_block >= 1);
        REQUIRE(geometry.samples_per_block <= cuda::kMostSamples);
        REQUIRE(static_cast<std::int64_t>(geometry.groups) * geometry.samples_per_block >= batch);
        REQUIRE((static_cast<std::int64_t>(geometry.groups) - 1) * geometry.samples_per_block < batch);
        REQUIRE(geometry.splits <= 65535);
        REQUIRE(geometry.tiles_per_sample == tiles);
        REQUIRE(static_cast<std::int64_t>(geometry.splits) * geometry.tiles_per_split >= tiles);
        REQUIRE((static_cast<std::int64_t>(geometry.splits) - 1) * geometry.tiles_per_split < tiles);
      }
    }
  }
}

TEST_CASE("a batch is split no further than needed to fill the device", "[unit][shim]") {
  const auto shape = [](std::int64_t batch, std::int64_t tiles) {
    const cuda::BatchGeometry g = cuda::batch_geometry(batch, tiles, kLargeDevice);
    return std::vector<std::int64_t>{g.block_threads, g.groups, g.splits, g.samples_per_block, g.tiles_per_split};
  };
  // 8,192 steps for 132 * 24 = 3,168 warps: 2 each, both to further samples.
  REQUIRE(shape(4096, 2) == std::vector<std::int64_t>{64, 2048, 1, 2, 2});
  // 75,264 steps: 16 each, over 8 samples and 2 tiles of 8 warps.
  REQUIRE(shape(256, 294) == std::vector<std::int64_t>{256, 32, 19, 8, 16});
  // 294 steps: one each, 2 warps per multiprocessor.
  REQUIRE(shape(1, 294) == std::vector<std::int64_t>{64, 1, 147, 1, 2});
  REQUIRE(shape(1, 1) == std::vector<std::int64_t>{32, 1, 1, 1, 1});
  // 512 steps of one tile each: one warp each.
  REQUIRE(shape(512, 1) == std::vector<std::int64_t>{32, 512, 1, 1, 1});
}

TEST_CASE("the L2 cache keeps small stores and batches and evicts large ones first", "[unit][shim]") {
  constexpr std::int64_t kCache = 1000;
  REQUIRE(cache_policies(500, 1000, kCache).codes == L2Priority::evict_last);
  REQUIRE(cache_policies(501, 1000, kCache).codes == L2Priority::evict_first);
  REQUIRE(cache_policies(500, 1000, kCache).values == L2Priority::normal);
  REQUIRE(cache_policies(500, 1001, kCache).values == L2Priority::evict_first);
}

TEST_CASE("a divider gives the same results as the processor's division", "[unit][shim]") {
  constexpr std::uint32_t kLast = 0x7FFFFFFFu;
  for (std::uint32_t divisor :
       {1u, 2u, 3u, 5u, 7u, 9u, 64u, 729u, 50176u, 65535u, 65536u, 65537u, 1000003u, kLast - 1, kLast}) {
    const Divider divider(divisor);
    REQUIRE(divider.divisor() == divisor);
    for (const std::uint32_t multiple : {0u, 1u, 2u, 1000u, kLast / divisor}) {
      for (const std::int64_t offset : {-1, 0, 1}) {
        const std::int64_t n = std::int64_t{multiple} * divisor + offset;
        if (n < 0 || n > kLast) continue;
        REQUIRE(divider.quotient(static_cast<std::uint32_t>(n)) == n / divisor);
        REQUIRE(divider.remainder(static_cast<std::uint32_t>(n)) == n % divisor);
      }
    }
  }
}

TEST_CASE("a small divider gives the same results as the processor's division", "[unit][shim]") {
  constexpr std::uint32_t kLast = (1u << 15) - 1;
  bool is_same = true;
  for (const std::uint32_t divisor : {1u, 2u, 3u, 7u, 57u, 64u, 181u, 182u, 1535u, kLast - 1, kLast}) {
    const SmallDivider divider = small_divider(divisor);
    for (std::uint32_t n = 0; n <= kLast; ++n) is_same = is_same && divider.quotient(n) == n / divisor;
  }
  REQUIRE(is_same);
}
