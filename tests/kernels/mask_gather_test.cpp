#include "kernels/mask_gather.hpp"

#include "augment_cases.hpp"
#include "catch.hpp"

using namespace octavo::kernels;
using namespace octavo::test;
using octavo::DType;

namespace {

/// A mask of 4 x 6 pixels whose values are their positions, after an image of one channel.
struct NumberedMask {
  static constexpr ImageSize kSize = {4, 6};
  std::int8_t row[24] = {};
  std::int64_t first_row = 0;

  NumberedMask() {
    for (int i = 0; i < 24; ++i) row[i] = static_cast<std::int8_t>(i);
  }

  std::vector<int> gather(const AugmentProgram* program, ImageSize out_size) {
    std::vector<std::uint8_t> masks(static_cast<std::size_t>(out_size.height * out_size.width));
    gather_masks({.packed = {row, nullptr, 1, nullptr, nullptr, 24, 0},
                  .channels = 1,
                  .size = kSize,
                  .out_size = out_size,
                  .views = 1,
                  .selection = given_rows(&first_row, 1),
                  .batch_count = 1,
                  .program = program,
                  .dtype = DType::uint8,
                  .ignored = 255,
                  .masks = masks.data()});
    return {masks.begin(), masks.end()};
  }
};

AugmentProgram program_of(AugmentOp op, ImageSize out_size) {
  AugmentProgram program{};
  op.probability = 1.0;
  program.op_count = 1;
  program.ops[0] = op;
  program.sizes[0] = NumberedMask::kSize;
  program.sizes[1] = out_size;
  return program;
}

bool moves_pixels(AugmentKind kind) {
  switch (kind) {
    case AugmentKind::flip_x:
    case AugmentKind::flip_y:
    case AugmentKind::alternating_flip_x:
    case AugmentKind::random_crop:
    case AugmentKind::center_crop:
    case AugmentKind::affine:
    case AugmentKind::view_flip_x:
    case AugmentKind::view_shift:
      return true;
    default:
      return false;
  }
}

/// Whether a mask and an image take their pixels from the same places: not if an image is resized, which blends pixels.
/// A policy may change colors, which are not disabled below.
bool is_comparable(const AugmentProgram& program) {
  for (int i = 0; i < program.op_count; ++i) {
    const AugmentKind kind = program.ops[i].kind;
    const bool is_policy = kind == AugmentKind::trivial_augment || kind == AugmentKind::rand_augment ||
                           kind == AugmentKind::timm_rand_augment;
    if (resizes(kind) || is_policy) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("masks are copied if there is no augmentation", "[unit][kernels]") {
  NumberedMask mask;
  const std::vector<int> copied = mask.gather(nullptr, NumberedMask::kSize);
  for (int i = 0; i < 24; ++i) REQUIRE(copied[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("padding of a mask has the ignored value", "[unit][kernels]") {
  AugmentOp op{};
  op.kind = AugmentKind::center_crop;
  op.height = 6;
  op.width = 2;
  // Rows -1 to 4 and columns 2 and 3 of the mask.
  REQUIRE(NumberedMask().gather(std::make_unique<AugmentProgram>(program_of(op, {6, 2})).get(), {6, 2}) ==
          std::vector<int>{255, 255, 2, 3, 8, 9, 14, 15, 20, 21, 255, 255});
}

TEST_CASE("a resized mask has the pixels under the centers of its pixels", "[unit][kernels]") {
  AugmentOp op{};
  op.kind = AugmentKind::resize;
  op.height = 2;
  op.width = 4;
  // Centers in rows: 1, 3; in columns: 0.75, 2.25, 3.75, 5.25.
  REQUIRE(NumberedMask().gather(std::make_unique<AugmentProgram>(program_of(op, {2, 4})).get(), {2, 4}) ==
          std::vector<int>{6, 8, 9, 11, 18, 20, 21, 23});
}

TEST_CASE("colors and erasures leave masks as they are", "[unit][kernels]") {
  for (int kind = 0; kind <= 23; ++kind) {
    const auto changed = static_cast<AugmentKind>(kind);
    if (moves_pixels(changed) || resizes(changed) || kind > static_cast<int>(AugmentKind::blur)) continue;
    AugmentOp op{};
    op.kind = changed;
    op.side = 2;
    op.is_inside = true;
    op.area = {0.2, 0.3};
    op.amount = {0.5, 1.5};
    op.radius = 1;
    const auto program = std::make_unique<AugmentProgram>(program_of(op, NumberedMask::kSize));
    INFO("kind " << kind);
    REQUIRE(NumberedMask().gather(program.get(), NumberedMask::kSize) ==
            NumberedMask().gather(nullptr, NumberedMask::kSize));
  }
}

TEST_CASE("the fast paths for masks give the defined masks", "[unit][kernels]") {
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    AugmentCase one(seed);
    const DType dtype = seed % 2 == 0 ? DType::uint8 : DType::int64;
    gather_masks_defined(one.mask_args(dtype));
    const Bytes expected = one.masks();
    gather_masks(one.mask_args(dtype));
    INFO(one.name());
    REQUIRE(one.masks() == expected);
  }
}

TEST_CASE("masks take their pixels from where images take theirs", "[unit][kernels]") {
  // The mask as an image of one channel: nothing but moves, nearest pixels, and the ignored value as fill.
  int compared = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    AugmentCase one(seed);
    MaskGatherArgs args = one.mask_args(DType::uint8);
    if (!is_comparable(*args.program)) continue;
    INFO(one.name());
    auto program = std::make_unique<AugmentProgram>(*args.program);
    for (int i = 0; i < program->op_count; ++i) {
      AugmentOp& op = program->ops[i];
      if (!moves_pixels(op.kind)) op.probability = 0.0;
      op.fill.is_uniform = true;
      op.fill.of_channel[0] = static_cast<std::int8_t>(255 ^ 0x80);
      op.is_bilinear = false;
    }
    program->has_jitter = program->erases_values = false;
    const std::int64_t pixels = static_cast<std::int64_t>(args.size.height) * args.size.width;
    std::vector<std::int8_t> codes;
    for (std::int64_t row = 0; row < AugmentCase::kRows; ++row) {
      for (std::int64_t p = 0; p < pixels; ++p) {
        codes.push_back(static_cast<std::int8_t>(stored_row(args.packed, row)[p] ^ 0x80));
      }
    }
    const Affine map = {1.0f, 128.0f};
    const std::int64_t values = args.batch_count * args.views * args.out_pixels();
    std::vector<float> images(static_cast<std::size_t>(values));
    GatherArgs as_images{};
    as_images.packed = {codes.data(), nullptr, AugmentCase::kRows, nullptr, nullptr, pixels, 0};
    as_images.set_shapes({1, args.size.height, args.size.width},
                         {.image = {1, args.out_size.height, args.out_size.width}, .views = args.views});
    as_images.selection = args.selection;
    as_images.batch_count = args.batch_count;
    as_images.maps = &map;
    as_images.uniform_map = true;
    as_images.values = images.data();
    as_images.augment.program = program.get();
    as_images.augment.demand = demand_of(*program);
    gather_defined(as_images);
    gather_masks(args);
    for (std::size_t i = 0; i < images.size(); ++i) {
      REQUIRE(images[i] == static_cast<float>(std::to_integer<int>(one.masks()[i])));
    }
    ++compared;
  }
  REQUIRE(compared > 300);
}
