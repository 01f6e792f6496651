// The gather for any processor: the reference for the SIMD paths, and the path without a fused multiply-add
// instruction.
#include "kernels/cpu/decode_run.hpp"
#include "kernels/cpu/floating_point_mode.hpp"
#include "kernels/cpu/gather.hpp"

namespace octavo::kernels::cpu {
namespace {

template <typename Value>
void gather_as(const GatherArgs& args, std::int64_t first, std::int64_t last) {
  const PlainStages stages = plain_stages(args);
  const std::int64_t value_count = args.batch.values();
  for (std::int64_t b = first; b < last; ++b) {
    const SelectedSample sample = sample_at(args.selection, b);
    Value* out = static_cast<Value*>(args.values) + b * value_count;
    for (std::int64_t i = 0; i < value_count; ++i) out[i] = gathered_value<Value>(stages, sample, i);
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
