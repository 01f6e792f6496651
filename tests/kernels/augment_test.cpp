#include "kernels/augment/augmented_image.hpp"

#include <hwy/targets.h>

#include <cmath>
#include <memory>
#include <set>

#include "augment_cases.hpp"
#include "catch.hpp"
#include "kernels/augment/needed_part.hpp"
#include "kernels/cpu/gather.hpp"
#include "sanitized.hpp"
#include "target_guard.hpp"

using namespace octavo::kernels;
using namespace octavo::test;

namespace {

std::vector<std::uint32_t> words(PhiloxWords drawn) { return {drawn.word, drawn.word + 4}; }

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};

void gather_in_scratch(const GatherArgs& args, cpu::Stores stores) {
  const std::unique_ptr<std::byte, FreeMemory> scratch(static_cast<std::byte*>(
      std::aligned_alloc(cpu::kScratchAlignment, static_cast<std::size_t>(cpu::augment_scratch_bytes(args)))));
  cpu::gather_augmented(args, 0, args.batch_count, stores, scratch.get());
}

constexpr ImageSize kSize = {32, 32};

AugmentOp op_of(AugmentKind kind) {
  AugmentOp op{};
  op.kind = kind;
  op.probability = 1.0;
  return op;
}

}  // namespace

TEST_CASE("Philox gives the known answers of Random123", "[unit][kernels]") {
  // kat_vectors of Random123 1.14, philox4x32 10.
  REQUIRE(words(philox4x32({{0, 0, 0, 0}}, 0)) ==
          std::vector<std::uint32_t>{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8});
  REQUIRE(words(philox4x32({{0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}}, 0xFFFFFFFFFFFFFFFF)) ==
          std::vector<std::uint32_t>{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD});
  REQUIRE(words(philox4x32({{0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}}, 0x299F31D0A4093822)) ==
          std::vector<std::uint32_t>{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1});
}

TEST_CASE("draws differ in seed and epoch and sample and view and slot and block", "[unit][kernels]") {
  const DrawKey key = {1, 2, 3, 4};
  const std::set<std::vector<std::uint32_t>> drawn = {
      words(draw(key, 5, 6)),          words(draw({2, 2, 3, 4}, 5, 6)),
      words(draw({1, 3, 3, 4}, 5, 6)), words(draw({1, 2, 4, 4}, 5, 6)),
      words(draw({1, 2, 3, 5}, 5, 6)), words(draw(key, 6, 6)),
      words(draw(key, 5, 7)),          words(draw({1, 2, 3 + (std::int64_t{1} << 32), 4}, 5, 6))};
  REQUIRE(drawn.size() == 8);
}

TEST_CASE("draws are uniform", "[unit][kernels]") {
  // 10^5 numbers below 64 in each of the four words. Chi-square with 63 degrees of freedom exceeds 114.8 with
  // probability 10^-4.
  constexpr int kDraws = 100000, kBins = 64;
  for (int word = 0; word < 4; ++word) {
    std::vector<int> counts(kBins);
    for (int i = 0; i < kDraws; ++i) ++counts[whole_number_below(kBins, draw({7, 3, i, 0}, 48, 0).word[word])];
    double chi_square = 0.0;
    for (const int count : counts) chi_square += std::pow(count - kDraws / double{kBins}, 2) / (kDraws / double{kBins});
    INFO("word " << word << ": " << chi_square);
    REQUIRE(chi_square < 114.8);
  }
}

TEST_CASE("exact powers and logarithms agree with the standard library to 14 digits", "[unit][kernels]") {
  for (double x = -40.0; x <= 40.0; x += 0.0371) {
    REQUIRE(std::abs(exact_exp2(x) / std::exp2(x) - 1.0) < 1e-14);
  }
  for (double x = 1e-6; x < 1e6; x *= 1.0173) {
    REQUIRE(std::abs(exact_log2(x) - std::log2(x)) < 2e-14 * std::max(1.0, std::abs(std::log2(x))));
  }
  REQUIRE(exact_log2(1.0) == 0.0);
  REQUIRE(exact_exp2(3.0) == 8.0);
}

TEST_CASE("every position of a random crop is equally likely", "[unit][kernels]") {
  // 32 + 2 * 4 - 32 + 1 = 9 positions along each axis: 81 bins. Chi-square with 80 degrees of freedom exceeds 136.5
  // with probability 10^-4.
  AugmentOp op = op_of(AugmentKind::random_crop);
  op.height = op.width = 32;
  op.margin = 4;
  std::vector<int> counts(81);
  constexpr int kDraws = 81000;
  for (int i = 0; i < kDraws; ++i) {
    const AugmentStep step = draw_step(op, 3, kSize, {1, 0, i, 0});
    ++counts.at(static_cast<std::size_t>((step.y + 4) * 9 + step.x + 4));
  }
  double chi_square = 0.0;
  for (const int count : counts) chi_square += std::pow(count - 1000.0, 2) / 1000.0;
  INFO(chi_square);
  REQUIRE(chi_square < 136.5);
}

TEST_CASE("an alternating flip mirrors each sample in every second epoch", "[unit][kernels]") {
  const AugmentOp op = op_of(AugmentKind::alternating_flip_x);
  int mirrored_first = 0;
  for (std::int64_t index = 0; index < 1000; ++index) {
    const auto kind_at = [&](std::uint64_t epoch) { return draw_step(op, 3, kSize, {3, epoch, index, 0}).kind; };
    REQUIRE(kind_at(0) != kind_at(1));
    REQUIRE(kind_at(0) == kind_at(2));
    mirrored_first += kind_at(0) == StepKind::flip_x ? 1 : 0;
  }
  REQUIRE(std::abs(mirrored_first - 500) < 62);  // four standard deviations
}

TEST_CASE("a probability of 0 or 1 is never or always", "[unit][kernels]") {
  AugmentOp op = op_of(AugmentKind::flip_x);
  for (std::int64_t index = 0; index < 1000; ++index) {
    op.probability = 1.0;
    REQUIRE(draw_step(op, 3, kSize, {3, 0, index, 0}).kind == StepKind::flip_x);
    op.probability = 0.0;
    REQUIRE(draw_step(op, 3, kSize, {3, 0, index, 0}).kind == StepKind::none);
  }
}

TEST_CASE("an erased rectangle is in its image for every corner of the parameters", "[unit][kernels]") {
  for (const ImageSize size : {ImageSize{1, 1}, {1, 7}, {7, 1}, {2, 2}, {224, 3}, {32, 32}}) {
    for (const auto kind : {AugmentKind::erase_square, AugmentKind::erase_rectangle}) {
      for (const std::int32_t side : {1, 2, 7, 8, 33, 1000}) {
        for (const bool is_inside : {true, false}) {
          AugmentOp op = op_of(kind);
          op.side = side;
          op.is_inside = is_inside;
          op.area = {1e-6, 1.0};
          op.ratio = {-20.0, 20.0};
          for (std::int64_t index = 0; index < 200; ++index) {
            const AugmentStep step = draw_step(op, 3, size, {3, 0, index, 0});
            if (step.kind == StepKind::none) continue;
            REQUIRE(step.y >= 0);
            REQUIRE(step.x >= 0);
            REQUIRE(step.height >= 1);
            REQUIRE(step.width >= 1);
            REQUIRE(step.y + step.height <= size.height);
            REQUIRE(step.x + step.width <= size.width);
          }
        }
      }
    }
  }
}

TEST_CASE("borders show what their names say", "[unit][kernels]") {
  // An axis of the pixels a, b, c, d, extended by three on both sides.
  const auto shown = [](Border border) {
    std::string text;
    for (std::int32_t at = -3; at < 7; ++at) {
      const std::int32_t found = inside(border, at, 4);
      text += found < 0 ? '.' : "abcd"[found];
    }
    return text;
  };
  REQUIRE(shown(Border::constant) == "...abcd...");
  REQUIRE(shown(Border::edge) == "aaaabcdddd");
  REQUIRE(shown(Border::reflect) == "dcbabcdcba");
}

TEST_CASE("an augmented image shows nothing outside the part that it needs", "[unit][kernels]") {
  constexpr std::uint32_t kSeeds = is_sanitized() ? 100 : 400;
  std::int64_t spared = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    AugmentCase parameters(seed);
    GatherArgs args = parameters.args();
    const std::int64_t C = args.sample.channels, H = args.sample.height, W = args.sample.width;
    std::vector<bool> is_needed(static_cast<std::size_t>(AugmentCase::kRows * H * W));
    const auto add = [&](const SelectedSample& sample, std::int64_t view) {
      DrawnImage image;
      draw_image(args, sample, static_cast<std::uint32_t>(view), image);
      const ImagePart part = needed_part(*args.augment.program, image);
      for (std::int64_t y = part.rows.first; y < part.rows.end; ++y) {
        for (std::int64_t x = part.columns.first; x < part.columns.end; ++x) {
          is_needed.at(static_cast<std::size_t>((sample.row * H + y) * W + x)) = true;
        }
      }
    };
    for (std::int64_t b = 0; b < args.batch_count; ++b) {
      const MixedSample mixed = mixed_sample_at(args, b);
      for (std::int64_t view = 0; view < args.batch.views; ++view) {
        add(mixed.sample, view);
        if (mixed.step.kind != MixKind::none) add(mixed.partner, view);
      }
    }
    gather_defined(args);
    const auto expected = parameters.values();

    std::vector<std::int8_t> changed(args.packed.codes, args.packed.codes + AugmentCase::kRows * args.sample.values());
    for (std::int64_t row = 0; row < AugmentCase::kRows; ++row) {
      for (std::int64_t p = 0; p < H * W; ++p) {
        if (is_needed[static_cast<std::size_t>(row * H * W + p)]) continue;
        for (std::int64_t c = 0; c < C; ++c) changed[static_cast<std::size_t>((row * C + c) * H * W + p)] ^= 0x55;
        ++spared;
      }
    }
    args = parameters.args();
    args.packed.codes = changed.data();
    INFO(parameters.name());
    gather_defined(args);
    REQUIRE(parameters.values() == expected);
    gather_in_scratch(args, cpu::Stores::cached);
    REQUIRE(parameters.values() == expected);
  }
  REQUIRE(spared > 10'000);
}

TEST_CASE("a crop needs its rectangle, and what its border mirrors", "[unit][kernels]") {
  const auto needed = [](Border border, std::int32_t first, std::int32_t end, std::int32_t offset) {
    const AxisPart part = part_before_crop(border, {first, end}, offset, 10);
    return std::pair(part.first, part.end);
  };
  using Lines = std::pair<std::int32_t, std::int32_t>;
  for (const Border border : {Border::constant, Border::edge, Border::reflect}) {
    CHECK(needed(border, 0, 4, 3) == Lines(3, 7));
    CHECK(needed(border, 2, 4, 3) == Lines(5, 7));
  }
  CHECK(needed(Border::constant, 0, 6, -2) == Lines(0, 4));
  CHECK(needed(Border::edge, 0, 6, -2) == Lines(0, 4));
  CHECK(needed(Border::reflect, 0, 3, -2) == Lines(0, 3));  // 2, 1, 0
  CHECK(needed(Border::reflect, 0, 6, 7) == Lines(6, 10));  // 7, 8, 9, 8, 7, 6
  CHECK(needed(Border::constant, 0, 2, -5) == Lines(0, 0));
  CHECK(needed(Border::edge, 0, 2, -5) == Lines(0, 1));
  CHECK(needed(Border::edge, 0, 2, 12) == Lines(9, 10));
}

TEST_CASE("every instruction set augments like the definition", "[unit][kernels]") {
  const TargetGuard guard;
  const std::int64_t all_targets = hwy::SupportedTargets();
  constexpr std::uint32_t kSeeds = is_sanitized() ? 300 : 1000;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    AugmentCase parameters(seed);
    gather_defined(parameters.args());  // slow, so once for all instruction sets
    const auto expected = parameters.values();
    const auto labels = parameters.out_labels();
    for (std::int64_t targets = all_targets; targets != 0; targets &= targets - 1) {
      hwy::SetSupportedTargetsForTest(targets & -targets);
      INFO(parameters.name() << " " << cpu::gather_target_name());
      for (const cpu::Stores stores : {cpu::Stores::cached, cpu::Stores::streaming}) {
        gather_in_scratch(parameters.args(), stores);
        REQUIRE(parameters.values() == expected);
        REQUIRE(parameters.out_labels() == labels);
      }
    }
  }
}
