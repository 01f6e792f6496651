// Runs the CUDA gathers of coded rows, compiled for the host.
#include "augment_cases.hpp"
#include "case_stride.hpp"
#include "catch.hpp"
#include "coded_case.hpp"
#include "cuda_devices.hpp"
#include "gather_cases.hpp"
#include "kernels/augment/needed_part.hpp"
#include "kernels/cpu/batch_mean.hpp"
#include "kernels/cuda/batch_decoding.hpp"
#include "kernels/cuda/batch_mean.hpp"
#include "kernels/cuda/gather.hpp"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/cuda/mask_gather.hpp"
#include "unwritten.hpp"

using namespace octavo::kernels;
using namespace octavo::test;
using octavo::DType;
using octavo::Layout;
using octavo::SampleShape;

namespace {

/// A cursor advances by `cursor_batches`.
void require_defined(CodedCase& data, std::int64_t cursor_batches = 0) {
  const std::vector<std::byte> values = data.expected_values();  // depend on the cursor before the launch
  const std::vector<std::uint32_t> labels = data.expected_labels();
  GatherArgs args = data.args();
  args.cursor_batches = cursor_batches;
  mark_unwritten(args);
  REQUIRE(cuda::launch_gather(args, kSmallDevice, nullptr) == cudaSuccess);
  REQUIRE(unwritten_bytes(args) == 0);
  REQUIRE(data.values() == values);
  REQUIRE(data.out_labels() == labels);
}

}  // namespace

TEST_CASE("the CUDA gather of whole tiles gives the values of the definition", "[unit][order]") {
  const RowCoding coding = GENERATE(RowCoding::lp8, RowCoding::lc8);
  for (const DType type : {DType::float32, DType::float16, DType::bfloat16}) {
    for (const SampleShape& shape :
         {SampleShape{1, 8, 8}, SampleShape{1, 33, 24}, SampleShape{3, 32, 32}, SampleShape{3, 65, 40},
          SampleShape{2, 5, 16}, SampleShape{5, 34, 8}, SampleShape{2, 9, 8}, SampleShape{4, 20, 24}}) {
      for (const std::int64_t count : {1, 6}) {
        CodedCase data(coding, static_cast<std::uint32_t>(shape.values() + count), shape, type, Layout::nchw, count);
        INFO(to_string(type) << ", " << shape.channels << "x" << shape.height << "x" << shape.width);
        REQUIRE((coding == RowCoding::lp8 ? cuda::takes_lp8<float>(data.args()) : cuda::takes_lc8<float>(data.args())));
        require_defined(data);
      }
    }
  }
}

// In half of these, most residuals are zeros, so that rows of zeros are next to others.
TEST_CASE("the CUDA gather of LC8 rows decodes rows of zeros", "[unit][order]") {
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    CodedCase data(RowCoding::lc8, seed, {3, 64, 64}, DType::float16, Layout::nchw, 3);
    INFO(seed);
    require_defined(data);
  }
}

// The last rows of both parts of the memory are plain, and their last bands have fewer rows.
TEST_CASE("the CUDA gather of tiles reads no plain rows beyond a band", "[unit][order]") {
  const RowCoding coding = GENERATE(RowCoding::lp8, RowCoding::lc8);
  for (const SampleShape& shape : {SampleShape{1, 98, 640}, SampleShape{3, 98, 520}}) {
    CodedCase data(coding, 5, shape, DType::float16, Layout::nchw, 2, {3, 6});
    require_defined(data);
  }
}

TEST_CASE("the CUDA gather of tiles advances its cursor when all blocks have read it", "[unit][order]") {
  const RowCoding coding = GENERATE(RowCoding::lp8, RowCoding::lc8);
  // Two blocks. 7 batches of a sample per epoch, 6 per launch.
  CodedCase data(coding, 6, {1, 128, 96}, DType::float32, Layout::nchw, 6);
  data.set_cursor(make_order_cursor(CodedCase::kRows, 3, true, 1, {0, 1}, 4, 2));
  for (std::int64_t launch = 1; launch <= 4; ++launch) {
    require_defined(data, 6);
    REQUIRE(7 * data.cursor().epoch + data.cursor().step == 7 * 4 + 2 + 6 * launch);
    REQUIRE(data.cursor().blocks_done == 0);
  }
  REQUIRE(data.cursor().epoch == 7);
}

TEST_CASE("the CUDA gather of any coded rows gives the values of the definition", "[unit][order]") {
  const RowCoding coding = GENERATE(RowCoding::lp8, RowCoding::lc8);
  for (const SampleShape& shape :
       {SampleShape{1, 1, 1}, SampleShape{1, 28, 28}, SampleShape{3, 37, 21}, SampleShape{4, 33, 9}}) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      // Decoded by blocks; or before the gather, all at once or in parts.
      for (const std::int64_t at_once : {0, 5, 2}) {
        CodedCase data(coding, static_cast<std::uint32_t>(shape.values()), shape, DType::float32, layout, 5);
        data.decode_first(at_once);
        REQUIRE(cuda::samples_decoded_at_once(data.args()) == at_once);
        INFO(shape.channels << "x" << shape.height << "x" << shape.width << ", " << at_once);
        require_defined(data);
      }
    }
  }
  for (const std::int64_t at_once : {0, 4}) {
    CodedCase interleaved(coding, 3, {3, 16, 16}, DType::float16, Layout::nhwc, 4);
    interleaved.decode_first(at_once);
    require_defined(interleaved);
    CodedCase shifted(coding, 4, {3, 16, 16}, DType::bfloat16, Layout::nchw, 4, {}, true);
    shifted.decode_first(at_once);
    require_defined(shifted);
  }
}

// Widths of strips and tiles from 1 to 8, plain rows among them, and the last rows of both parts of the memory.
TEST_CASE("the CUDA decoders write the codes of rows of every width", "[unit][order]") {
  const RowCoding coding = GENERATE(RowCoding::lp8, RowCoding::lc8);
  for (std::int64_t width = 1; width <= 17; ++width) {
    for (const std::int64_t channels : {1, 2, 3}) {
      const SampleShape shape = {channels, 66 + width % 2, 24 * (width / 9) + width};
      CodedCase data(coding, static_cast<std::uint32_t>(width), shape, DType::float32, Layout::nchw, 4, {0, 3, 6, 5});
      GatherArgs args = data.args();
      const std::vector<std::int8_t> expected = data.expected_codes();
      std::vector<std::int8_t> codes(expected.size(), std::int8_t{0x55});
      args.values = codes.data();
      args.out_labels = nullptr;
      INFO(channels << "x" << shape.height << "x" << shape.width);
      REQUIRE((coding == RowCoding::lp8 ? cuda::decodes_lp8(args) : cuda::decodes_lc8(args)));
      REQUIRE((coding == RowCoding::lp8 ? cuda::launch_decode_lp8(args, nullptr)
                                        : cuda::launch_decode_lc8(args, nullptr)) == cudaSuccess);
      REQUIRE(codes == expected);
    }
  }
}

TEST_CASE("a cursor advances when the last part of its batch is selected", "[unit][order]") {
  const RowCoding coding = GENERATE(RowCoding::lp8, RowCoding::lc8);
  CodedCase data(coding, 6, {1, 20, 12}, DType::float32, Layout::nchw, 6);
  data.decode_first(4);
  data.set_cursor(make_order_cursor(CodedCase::kRows, 3, true, 1, {0, 1}, 4, 2));
  for (std::int64_t launch = 1; launch <= 4; ++launch) {
    require_defined(data, 6);
    REQUIRE(7 * data.cursor().epoch + data.cursor().step == 7 * 4 + 2 + 6 * launch);
    REQUIRE(data.cursor().blocks_done == 0);
  }
}

TEST_CASE("the CUDA gather augments coded rows like plain ones", "[unit][order]") {
  for (std::uint32_t seed = first_case(); seed < 200; seed += case_stride()) {
    AugmentCase parameters(seed);
    GatherArgs args = parameters.args();
    INFO(parameters.name());
    const RowCoding coding = seed / 8 % 2 == 0 ? RowCoding::lp8 : RowCoding::lc8;
    const CodedRows rows(coding, seed, args.sample, AugmentCase::kRows, 2);
    const std::vector<std::int8_t> codes = rows.decoded();
    args.packed.codes = codes.data();
    gather_defined(args);
    const Bytes expected = parameters.values();
    const std::vector<std::uint32_t> expected_labels = parameters.out_labels();

    args = parameters.args();
    const std::uint32_t* const labels = args.packed.labels;
    const std::vector<std::uint32_t> resident(labels, labels + 2), staged(labels + 2, labels + AugmentCase::kRows);
    args.packed = rows.packed();
    args.packed.labels = resident.data();
    args.packed.staged_labels = staged.data();
    args.packed.label_words = 1;
    const std::int64_t slot_bytes = 2 * (decoded_bytes(coding, args.sample.values()) +
                                         image_memory_bytes(*args.augment.program, args.sample.channels));
    std::vector<std::byte> slots(static_cast<std::size_t>(3 * slot_bytes));
    args.block_memory = {slots.data(), slot_bytes, 3};
    // Decoded by blocks; or before the gather, all at once or in parts, if no sample is mixed with others.
    const std::int64_t at_once = seed / 16 % 3 == 0   ? 0
                                 : seed / 16 % 3 == 1 ? args.batch_count
                                                      : (args.batch_count + 1) / 2;
    std::vector<std::byte> decoded(static_cast<std::size_t>(DecodedParts(at_once, args.sample.values(), 1).bytes()));
    args.decoded_memory = {decoded.data(), static_cast<std::int64_t>(decoded.size())};
    mark_unwritten(args);
    REQUIRE(cuda::launch_gather(args, kSmallDevice, nullptr) == cudaSuccess);
    REQUIRE(unwritten_bytes(args) == 0);
    REQUIRE(parameters.values() == expected);
    REQUIRE(parameters.out_labels() == expected_labels);
  }
}

TEST_CASE("a CUDA gather decodes only the units that crops show", "[unit][order]") {
  const RowCoding coding = GENERATE(RowCoding::lp8, RowCoding::lc8);
  const SampleShape shape = GENERATE(SampleShape{3, 96, 160}, SampleShape{1, 160, 250});
  const std::int64_t views = GENERATE(1, 2), count = 4;
  CodedCase data(coding, 3, shape, DType::float32, Layout::nchw, count);
  data.decode_first(count);
  AugmentProgram program{};
  program.seed = 7;
  program.sizes[0] = {static_cast<std::int32_t>(shape.height), static_cast<std::int32_t>(shape.width)};
  program.sizes[1] = {12, 20};
  program.op_count = 1;
  program.ops[0].kind = AugmentKind::random_crop;
  program.ops[0].probability = 1.0;
  program.ops[0].height = 12;
  program.ops[0].width = 20;
  const auto codes_of = [&](const AugmentProgram* used, GatherArgs& args) {
    args = data.args();
    std::memset(args.decoded_memory.memory, 0xEE, static_cast<std::size_t>(args.decoded_memory.bytes));
    args.augment.program = used;
    args.batch.views = views;
    GatherArgs part{};
    REQUIRE(cuda::launch_batch_decoding(args, 0, count, nullptr, part) == cudaSuccess);
    return std::vector<std::int8_t>(part.packed.codes, part.packed.codes + count * shape.values());
  };
  GatherArgs args{};
  const std::vector<std::int8_t> whole = codes_of(nullptr, args), found = codes_of(&program, args);
  for (std::int64_t b = 0; b < count; ++b) {
    const auto at = [&](std::int64_t c, std::int64_t y, std::int64_t x) {
      return static_cast<std::size_t>(((b * shape.channels + c) * shape.height + y) * shape.width + x);
    };
    for (std::uint32_t view = 0; view < static_cast<std::uint32_t>(views); ++view) {
      DrawnImage image;
      draw_image(args, sample_at(args.selection, b), view, image);
      const ImagePart part = needed_part(program, image);
      REQUIRE(part.rows.count() == 12);
      REQUIRE(part.columns.count() == 20);
      for (std::int64_t c = 0; c < shape.channels; ++c) {
        for (std::int64_t y = part.rows.first; y < part.rows.end; ++y) {
          REQUIRE(std::equal(&found[at(c, y, part.columns.first)], &found[at(c, y, part.columns.end - 1)] + 1,
                             &whole[at(c, y, part.columns.first)]));
        }
      }
    }
  }
  const auto left_out = std::count(found.begin(), found.end(), static_cast<std::int8_t>(0xEE));
  if (views == 1) CHECK(left_out > std::ssize(found) / 3);
  CHECK(std::count(whole.begin(), whole.end(), static_cast<std::int8_t>(0xEE)) < std::ssize(whole) / 50);
}

TEST_CASE("the CUDA gather of masks decodes coded rows", "[unit][order]") {
  for (std::uint32_t seed = first_case(); seed < 60; seed += case_stride()) {
    for (const DType dtype : {DType::uint8, DType::int64}) {
      AugmentCase one(seed);
      MaskGatherArgs args = one.mask_args(dtype);
      INFO(one.name() << " " << to_string(dtype));
      const RowCoding coding = seed / 8 % 2 == 0 ? RowCoding::lp8 : RowCoding::lc8;
      const CodedRows rows(coding, seed, {1, args.size.height, args.size.width}, AugmentCase::kRows, 3);
      const std::vector<std::int8_t> masks = rows.decoded();
      args.packed.codes = masks.data();
      gather_masks(args);
      const Bytes expected = one.masks();

      args = one.mask_args(dtype);
      args.packed = rows.packed();
      const std::int64_t slot_bytes = decoded_bytes(coding, args.pixels());
      std::vector<std::byte> slots(static_cast<std::size_t>(2 * slot_bytes));
      args.block_memory = {slots.data(), slot_bytes, 2};
      mark_unwritten(args.masks, expected.size());
      REQUIRE(cuda::launch_mask_gather(args, kSmallDevice, nullptr) == cudaSuccess);
      REQUIRE(unwritten_bytes(args.masks, expected.size()) == 0);
      REQUIRE(one.masks() == expected);
    }
  }
}

TEST_CASE("the sums of a batch of coded rows are those of the CPU", "[unit][order]") {
  const RowCoding coding = GENERATE(RowCoding::lp8, RowCoding::lc8);
  const std::uint32_t seed = GENERATE(11u, 12u, 13u, 14u);
  for (const SampleShape& shape : {SampleShape{3, 32, 32}, SampleShape{2, 33, 73}}) {
    CodedCase data(coding, seed, shape, DType::float32, Layout::nchw, 6);
    const GatherArgs gather = data.args();
    const auto channels = static_cast<std::size_t>(shape.channels);
    const std::vector<Quantization> quantization(channels);
    const std::vector<double> divisors(channels, 128.0);
    std::vector<std::int64_t> sums(channels), expected(channels);
    std::vector<Affine> maps(channels);
    BatchMeanArgs args{.packed = gather.packed,
                       .channel_count = shape.channels,
                       .values_per_channel = shape.values_per_channel(),
                       .selection = gather.selection,
                       .batch_count = gather.batch_count,
                       .quantization = quantization.data(),
                       .divisors = divisors.data(),
                       .sums = sums.data(),
                       .maps = maps.data(),
                       .block_memory = gather.block_memory};
    std::vector<std::byte> scratch(static_cast<std::size_t>(cpu::mean_scratch_bytes(args)) + 64);
    void* begin = scratch.data();
    std::size_t space = scratch.size();
    std::align(64, space - 64, begin, space);
    cpu::add_batch_sums(args, 0, args.batch_count, expected.data(), static_cast<std::byte*>(begin));
    REQUIRE(cuda::launch_batch_mean(args, kSmallDevice, nullptr) == cudaSuccess);
    REQUIRE(sums == expected);
  }
}
