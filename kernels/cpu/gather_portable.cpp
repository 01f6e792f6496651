// The gather for any processor: the reference for the SIMD paths, and the path without a fused multiply-add
// instruction.
#include "kernels/cpu/decode_run.hpp"
#include "kernels/cpu/floating_point_mode.hpp"
#include "kernels/cpu/gather.hpp"

namespace octavo::kernels::cpu {
namespace {

template <typename Value>
void gather_image(const GatherArgs& args, const SelectedSample& sample, std::uint32_t view, Value* out) {
  const std::int64_t value_count = args.batch.image.values();
  const auto store = [&](const auto& stages) {
    for (std::int64_t i = 0; i < value_count; ++i) out[i] = gathered_value<Value>(stages, sample, i);
  };
  if (args.program == nullptr) return store(plain_stages(args));
  DrawnImage image;
  draw_image(args, sample, view, image);
  store(drawn_stages(args, image, ComputedFilters()));
}

template <typename Value>
void gather_as(const GatherArgs& args, std::int64_t first, std::int64_t last) {
  const std::int64_t views = args.batch.views, value_count = args.batch.image.values();
  for (std::int64_t b = first; b < last; ++b) {
    const SelectedSample sample = sample_at(args.selection, b);
    for (std::int64_t view = 0; view < views; ++view) {
      gather_image(args, sample, static_cast<std::uint32_t>(view),
                   static_cast<Value*>(args.values) + (b * views + view) * value_count);
    }
    if (args.out_labels == nullptr) continue;
    for (std::int64_t word = 0; word < args.packed.label_words; ++word) copy_label_word(args, sample.row, b, word);
  }
}

}  // namespace

void gather_portable(const GatherArgs& args, std::int64_t first, std::int64_t last) {
  const DefaultFloatingPointMode mode;
  visit_value_type(args.batch.dtype, [&](auto value) { gather_as<decltype(value)>(args, first, last); });
}

}  // namespace octavo::kernels::cpu
