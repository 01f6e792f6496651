// Fuzzes specifications of augmentations: the bytes become operations with any parameters. Valid ones make an image,
// which must have the bits of the definition.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include <octavo/batch_shape.hpp>

#include "augment/augment_program.hpp"
#include "augment/mix_program.hpp"
#include "kernels/cpu/gather.hpp"
#include "kernels/cpu/mask_gather.hpp"
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

// draw(numbers, limits, value): a value near the limits of its parameter, on either side.

void draw(Numbers& numbers, const Limits& limits, double& value) {
  const double least = std::max(limits.least, -400.0);
  value = least + numbers.real(std::min(limits.most, 400.0) - least);
}
void draw(Numbers& numbers, const Limits& limits, std::int64_t& value) {
  value = numbers.whole(std::min<std::int64_t>(static_cast<std::int64_t>(limits.most), 256) + 1);
}
void draw(Numbers& numbers, const Limits&, bool& value) { value = numbers.flag(); }
void draw(Numbers& numbers, const Limits&, augment::Size& size) { size = numbers.size(); }
void draw(Numbers& numbers, const Limits&, std::optional<augment::Size>& size) {
  if (numbers.flag()) size = numbers.size();
}
void draw(Numbers& numbers, const Limits&, std::variant<std::int64_t, augment::Size>& size) {
  if (numbers.flag())
    size = numbers.size();
  else
    size = numbers.whole(40);
}
void draw(Numbers& numbers, const Limits& limits, augment::Range& range) {
  range = numbers.range(std::max(limits.least, -360.0), std::min(limits.most, 360.0));
}
void draw(Numbers& numbers, const Limits&, augment::ChannelValues& color) { color = numbers.values(); }
template <typename Enum>
requires(!kValueNames<Enum>.empty()) void draw(Numbers& numbers, const Limits&, Enum& value) {
  value = static_cast<Enum>(numbers.byte() % kValueNames<Enum>.size());
}

augment::Operation operation_of(Numbers& numbers) {
  const std::size_t chosen = numbers.byte() % std::variant_size_v<augment::Operation>;
  augment::Operation operation;
  const auto choose = [&]<typename... Each>(const std::variant<Each...>*) {
    std::size_t at = 0;
    ((at++ == chosen ? void(operation = Each{}) : void()), ...);
  };
  choose(&operation);
  std::visit(
      [&]<typename Each>(Each& drawn) {
        for_each_parameter<Each>(
            [&](const auto& parameter) { draw(numbers, parameter.limits, drawn.*parameter.field); });
      },
      operation);
  return operation;
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
    const kernels::AugmentProgram program = augment::make_program(spec, sample);
    const kernels::MixProgram mix = augment::make_mix(spec);
    const kernels::SoftLabels soft_labels = augment::make_soft_labels(spec, {LabelKind::class_index, 1}, 0);
    constexpr std::int64_t kMostValues = 20000, kBatch = 2;
    const BatchShape shape = batch_shape(spec, sample);
    if (program.most_pixels * sample.channels > kMostValues || soft_labels.width() > kMostValues) return true;

    std::vector<std::int8_t> codes(static_cast<std::size_t>(kBatch * sample.values()));
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
      args.packed = {codes.data(), labels, kBatch, nullptr, nullptr, sample.values(), 1};
      args.set_shapes(sample, shape);
      args.selection = kernels::rows_from(0, kBatch, size);
      args.batch_count = args.augment.mixed_count = kBatch;
      args.maps = maps.data();
      args.values = out.data();
      args.out_labels = out_labels.data();
      args.augment.program = &program;
      args.augment.mix = mix;
      args.augment.soft_labels = soft_labels;
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
    const kernels::MaskGatherArgs mask_args{
        .packed = {codes.data(), nullptr, kBatch, nullptr, nullptr, sample.values_per_channel(), 0},
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
