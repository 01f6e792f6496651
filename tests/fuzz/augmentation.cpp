// Fuzzes specifications of augmentations: the bytes become operations with any parameters. Valid ones make an image,
// which must have the bits of the definition.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <octavo/batch_shape.hpp>

#include "kernels/cpu/gather.hpp"
#include "kernels/cpu/mask_gather.hpp"
#include "store/augment_program.hpp"
#include "store/mix_program.hpp"
#include "support/fuzz_target.hpp"

using namespace octavo;

namespace {

/// Takes numbers from the input; zeros after its end.
class Numbers {
 public:
  explicit Numbers(fuzz::Bytes bytes) : bytes_(bytes) {}

  bool is_empty() const { return at_ >= bytes_.size(); }
  std::uint8_t byte() { return is_empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(bytes_[at_++]); }
  bool flag() { return byte() % 2 == 1; }
  /// A share of `most`, or any eight bytes.
  double real(double most) {
    const std::uint8_t kind = byte();
    if (kind < 250) return most * kind / 249.0;
    return whole_bits<double>();
  }
  std::int64_t whole(std::int64_t most) {
    const std::uint8_t kind = byte();
    if (kind < 250) return kind % (most + 1);
    return whole_bits<std::int64_t>();
  }
  std::array<double, 2> range(double least, double most) {
    const double a = least + real(most - least), b = least + real(most - least);
    return flag() || a <= b ? std::array{a, b} : std::array{b, a};
  }
  std::array<std::int64_t, 2> size() { return {whole(40), whole(40)}; }
  std::vector<double> values() {
    std::vector<double> values(1 + byte() % 4);
    for (double& value : values) value = byte();
    return values;
  }

 private:
  template <typename T>
  T whole_bits() {
    std::uint8_t bits[sizeof(T)];
    for (std::uint8_t& part : bits) part = byte();
    T value;
    std::memcpy(&value, bits, sizeof value);
    return value;
  }

  fuzz::Bytes bytes_;
  std::size_t at_ = 0;
};

augment::Operation operation_of(Numbers& numbers) {
  const auto interpolation = [&] { return static_cast<augment::Interpolation>(numbers.byte() % 3); };
  switch (numbers.byte() % 27) {
    case 0:
      return augment::HorizontalFlip{numbers.real(1)};
    case 1:
      return augment::AlternatingFlip{};
    case 2:
      return augment::VerticalFlip{numbers.real(1)};
    case 3: {
      augment::RandomCrop crop{.padding = numbers.whole(20),
                               .border = static_cast<augment::Border>(numbers.byte() % 3)};
      if (numbers.flag()) crop.size = numbers.size();
      crop.fill = numbers.values();
      return crop;
    }
    case 4:
      return augment::CenterCrop{numbers.size(), numbers.values()};
    case 5:
      return augment::RandomResizedCrop{numbers.size(), numbers.range(0, 1), numbers.range(0, 4), numbers.flag(),
                                        interpolation()};
    case 6:
      return augment::Resize{numbers.size(), numbers.flag(), 0, interpolation()};
    case 7:
      return augment::Cutout{numbers.whole(40), numbers.real(1), numbers.flag(), numbers.flag(), numbers.values()};
    case 8:
      return augment::RandomErasing{numbers.real(1), numbers.range(0, 1), numbers.range(0, 4), numbers.flag(),
                                    numbers.values()};
    case 9:
      return augment::Affine{.degrees = numbers.range(-360, 360),
                             .translate_x = numbers.real(1),
                             .translate_y = numbers.real(1),
                             .scale = numbers.range(0, 4),
                             .shear_x = numbers.range(-80, 80),
                             .shear_y = numbers.range(-80, 80),
                             .interpolation = interpolation(),
                             .fill = numbers.values(),
                             .probability = numbers.real(1)};
    case 10:
      return augment::ColorJitter{.brightness = numbers.range(0, 8),
                                  .contrast = numbers.range(0, 8),
                                  .saturation = numbers.range(0, 8),
                                  .hue = numbers.range(-0.5, 0.5),
                                  .probability = numbers.real(1)};
    case 11:
      return augment::Grayscale{numbers.real(1)};
    case 12:
      return augment::ChannelPermutation{numbers.real(1)};
    case 13:
      return augment::Solarize{numbers.whole(256), numbers.real(1)};
    case 14:
      return augment::Posterize{numbers.whole(9), numbers.real(1)};
    case 15:
      return augment::Invert{numbers.real(1)};
    case 16:
      return augment::Gamma{numbers.range(0, 100), numbers.real(1)};
    case 17:
      return augment::AutoContrast{numbers.real(1)};
    case 18:
      return augment::Equalize{numbers.real(1)};
    case 19:
      return augment::Sharpness{numbers.range(0, 8), numbers.real(1)};
    case 20:
      return augment::GaussianBlur{numbers.whole(64), numbers.range(0, 10), numbers.real(1)};
    case 21:
      return augment::TrivialAugment{interpolation(), numbers.values()};
    case 22:
      return augment::RandAugment{numbers.whole(17), numbers.whole(31), interpolation(), numbers.values()};
    case 23:
      return augment::TimmRandAugment{numbers.whole(17),  numbers.real(10), numbers.real(10),
                                      numbers.real(1.01), interpolation(),  numbers.values()};
    case 24:
      return augment::ViewFlip{};
    case 25:
      return augment::ViewShift{numbers.whole(20)};
    default:
      return augment::NormalizedJitter{numbers.range(-1, 1), numbers.range(0, 2)};
  }
}

BatchSpec spec_of(Numbers& numbers) {
  BatchSpec spec{.augment_seed = static_cast<std::uint64_t>(numbers.whole(200))};
  spec.dtype = numbers.flag() ? DType::bfloat16 : DType::float32;
  spec.layout = numbers.flag() ? Layout::nhwc : Layout::nchw;
  if (numbers.flag()) {
    spec.mix = augment::Mix{.mixup_alpha = numbers.real(2),
                            .cutmix_alpha = numbers.real(2),
                            .cutmix_share = numbers.real(1),
                            .probability = numbers.real(1),
                            .partner = static_cast<augment::Partner>(numbers.byte() % 3),
                            .per_sample = numbers.flag(),
                            .pairs = numbers.flag()};
    spec.soft_classes = numbers.whole(5);
    spec.label_smoothing = numbers.real(1);
  }
  while (!numbers.is_empty() && spec.augment.size() < 12) spec.augment.push_back(operation_of(numbers));
  return spec;
}

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using Scratch = std::unique_ptr<std::byte, FreeMemory>;

Scratch scratch_of(std::int64_t bytes) {
  return Scratch(
      static_cast<std::byte*>(std::aligned_alloc(kernels::cpu::kScratchAlignment, static_cast<std::size_t>(bytes))));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run_input([&] {
    Numbers numbers(fuzz::bytes_of(data, size));
    const SampleShape sample = {1 + numbers.byte() % 5, 1 + numbers.byte() % 24, 1 + numbers.byte() % 24};
    const BatchSpec spec = spec_of(numbers);
    const kernels::AugmentProgram program = store::make_program(spec, sample);
    const kernels::MixProgram mix = store::make_mix(spec);
    const kernels::SoftLabels soft_labels = store::make_soft_labels(spec, {LabelKind::class_index, 1}, 0);
    constexpr std::int64_t kMostValues = 20000, kBatch = 2;
    const BatchShape shape = batch_shape(spec, sample);
    if (program.most_pixels * sample.channels > kMostValues || soft_labels.width() > kMostValues) return true;

    // Rows of codes, each followed by a mask.
    const std::int64_t row_bytes = sample.values() + sample.values_per_channel();
    std::vector<std::int8_t> codes(static_cast<std::size_t>(kBatch * row_bytes));
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::int8_t>(i * i / 7 + size);
    const std::uint32_t labels[kBatch] = {0, 1};
    const std::vector<kernels::Affine> maps(static_cast<std::size_t>(sample.channels), {0.01f, 0.5f});
    const auto label_width = static_cast<std::size_t>(std::max<std::int64_t>(1, soft_labels.width()));
    std::vector<std::byte> values[2];
    std::vector<std::uint32_t> made_labels[2];
    for (const bool is_definition : {true, false}) {
      std::vector<std::byte>& out = values[is_definition ? 0 : 1];
      std::vector<std::uint32_t>& out_labels = made_labels[is_definition ? 0 : 1];
      out.resize(static_cast<std::size_t>(kBatch * shape.bytes()));
      out_labels.resize(kBatch * label_width);
      kernels::GatherArgs args{};
      args.packed = {codes.data(), labels, kBatch, nullptr, nullptr, row_bytes, 1};
      args.set_shapes(sample, shape);
      args.selection = kernels::rows_from(0, kBatch, size);
      args.batch_count = args.mixed_count = kBatch;
      args.maps = maps.data();
      args.values = out.data();
      args.out_labels = out_labels.data();
      args.program = &program;
      args.mix = mix;
      args.soft_labels = soft_labels;
      if (is_definition) {
        const Scratch scratch = scratch_of(kernels::cpu::portable_scratch_bytes(args));
        kernels::cpu::gather_portable(args, 0, kBatch, scratch.get());
      } else {
        const Scratch scratch = scratch_of(kernels::cpu::augment_scratch_bytes(args));
        kernels::cpu::gather_augmented(args, 0, kBatch, kernels::cpu::Stores::streaming, scratch.get());
      }
    }
    if (values[0] != values[1] || made_labels[0] != made_labels[1]) __builtin_trap();
    const auto size_of = [](const SampleShape& of) {
      return kernels::ImageSize{static_cast<std::int32_t>(of.height), static_cast<std::int32_t>(of.width)};
    };
    std::vector<std::int64_t> masks(static_cast<std::size_t>(kBatch * shape.mask_values()));
    const kernels::MaskGatherArgs mask_args{.packed = {codes.data(), labels, kBatch, nullptr, nullptr, row_bytes, 1},
                                            .codes_bytes = sample.values(),
                                            .channels = sample.channels,
                                            .size = size_of(sample),
                                            .out_size = size_of(shape.image),
                                            .views = shape.views,
                                            .selection = kernels::rows_from(0, kBatch, size),
                                            .batch_count = kBatch,
                                            .program = &program,
                                            .dtype = DType::int64,
                                            .ignored = -1,
                                            .masks = masks.data()};
    const Scratch scratch = scratch_of(kernels::cpu::mask_scratch_bytes(mask_args));
    kernels::cpu::gather_masks(mask_args, 0, kBatch, scratch.get());
    return true;
  });
}
