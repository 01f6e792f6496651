// The gather with SIMD instructions, compiled once per instruction set and chosen at run time (Highway).
//
// Techniques that pay off, measured by bench/gather: For every 64 converted values, one line of a sample about 3 KB
// ahead in the order is prefetched; the pages of a later sample are touched even earlier. Batches larger than the cache
// bypass it, always in whole lines. Channels are interleaved as codes, which have a quarter of the bytes of float32
// values.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gather.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "kernels/cpu/decode_run-inl.hpp"
#include "kernels/cpu/decode_run.hpp"
#include "kernels/cpu/decoders-inl.hpp"
#include "kernels/cpu/floating_point_mode.hpp"
#include "kernels/cpu/gather.hpp"
#include "kernels/cpu/gather_output-inl.hpp"
#include "kernels/cpu/row_codes.hpp"
#include "kernels/cpu/row_window.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {

// Highway's MulAdd rounds twice if the processor has no fused multiply-add. Such targets use the portable path.
#if HWY_NATIVE_FMA
// Without a name, because both gathers have functions of the same name that differ.
namespace {

/// Walks through consecutive samples of a batch, and chooses what to prefetch while each is decoded.
class SampleWalk {
 public:
  SampleWalk(const GatherArgs& args, std::int64_t first, std::int64_t last)
      : args_(args),
        sample_bytes_(args.packed.row_stride_bytes),
        ahead_(std::clamp<std::int64_t>(kLookAheadBytes / sample_bytes_, 1, RowWindow::kLookAhead - kTouchAhead)),
        last_(last),
        window_(args.selection, first, last) {}

  /// The row at position `b`.
  std::int64_t row(std::int64_t b) { return window_.row(b); }

  /// What to prefetch while the codes of the sample at position `b` are converted, or null.
  const std::int8_t* next(std::int64_t b) {
    // The next row is decoded as a whole before any of it is converted, so prefetch the one after it.
    if (!is_in_place(args_.packed.coding)) {
      const std::int64_t later_row = sample_bytes_ > kLongSample ? -1 : row_ahead(b + 2);
      return later_row < 0 ? nullptr : stored(later_row);
    }
    // Touch its pages some samples earlier, so that their addresses are translated by then.
    const std::int64_t far_row = row_ahead(b + ahead_ + kTouchAhead);
    if (far_row >= 0) {
      prefetch(stored(far_row));
      prefetch(stored(far_row) + sample_bytes_ - 1);
    }
    // At the end of the last sample this is out of bounds, which is harmless for a prefetch.
    if (sample_bytes_ > kLongSample) return stored(row(b)) + kLookAheadBytes;
    const std::int64_t next_row = row_ahead(b + ahead_);
    return next_row < 0 ? nullptr : stored(next_row);
  }

 private:
  static constexpr std::int64_t kLookAheadBytes = 3072;
  static constexpr std::int64_t kTouchAhead = 4;
  static_assert(kTouchAhead < RowWindow::kLookAhead);
  /// Above this size the next sample would not fit in the L2 cache: prefetch later lines of the same sample instead.
  static constexpr std::int64_t kLongSample = 256 << 10;

  const std::int8_t* stored(std::int64_t row) const { return stored_bytes(args_.packed, row); }
  /// The row at position `b`, or -1 if that is past the end.
  std::int64_t row_ahead(std::int64_t b) { return b < last_ ? window_.row(b) : -1; }

  const GatherArgs& args_;
  std::int64_t sample_bytes_;
  std::int64_t ahead_;
  std::int64_t last_;
  RowWindow window_;
};

template <typename Decoder, typename Output>
void gather_samples(const GatherArgs& args, std::int64_t first, std::int64_t last, std::byte* scratch,
                    Output&& output) {
  const Decoder decoder(args);
  ScratchParts parts(scratch);
  const RowCodes codes(args.packed, args.sample.values(), parts);
  SampleWalk walk(args, first, last);
  std::int64_t decoded_from = first, decoded_until = first;
  for (std::int64_t b = first; b < last; ++b) {
    if (b == decoded_until && codes.most_rows() > 1) {
      std::int64_t rows[RowWindow::kLookAhead];
      const std::int64_t count = std::min({codes.most_rows(), RowWindow::kLookAhead, last - b});
      for (std::int64_t i = 0; i < count; ++i) rows[i] = walk.row(b + i);
      codes.decode(rows, count);
      decoded_from = b;
      decoded_until = b + count;
    }
    const std::int8_t* next = walk.next(b);
    const std::int64_t row = walk.row(b);
    decoder.decode(b < decoded_until ? codes.decoded(b - decoded_from) : codes.of(row), next, output);
    if (args.out_labels == nullptr) continue;
    for (std::int64_t word = 0; word < args.packed.label_words; ++word) copy_label_word(args, row, b, word);
  }
  output.finish();
}

/// Whether every run of the output consists of whole cache lines.
template <typename Value>
bool is_whole_lines(const GatherArgs& args) {
  const std::int64_t run = args.sample.channels * args.pixels / (is_one_run(args) ? 1 : args.sample.channels);
  return keeps_order(args) && run % kLine<Value> == 0 &&
         reinterpret_cast<std::uintptr_t>(args.values) % kLineBytes == 0;
}

template <typename Decoder, typename Value>
void gather_with(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores, std::byte* scratch) {
  Value* out = static_cast<Value*>(args.values) + first * args.sample.channels * args.pixels;
  if (stores == Stores::cached)
    gather_samples<Decoder>(args, first, last, scratch, DirectOutput<false, Value>(out));
  else if (is_whole_lines<Value>(args))
    gather_samples<Decoder>(args, first, last, scratch, DirectOutput<true, Value>(out));
  else
    gather_samples<Decoder>(args, first, last, scratch, StagedOutput<Value>(out));
}

template <typename Value>
void gather_as(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores, std::byte* scratch) {
  if (keeps_order(args))
    gather_with<PlanarDecoder, Value>(args, first, last, stores, scratch);
  else
    gather_with<InterleavingDecoder, Value>(args, first, last, stores, scratch);
}

}  // namespace

void gather_here(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores, std::byte* scratch) {
  visit_value_type(args.batch.dtype,
                   [&](auto value) { gather_as<decltype(value)>(args, first, last, stores, scratch); });
}
const char* name_here() { return hwy::TargetName(HWY_TARGET); }

#else

void gather_here(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores, std::byte* scratch) {
  gather_portable(args, first, last, scratch);
}
const char* name_here() { return "portable"; }

#endif

}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::kernels::cpu {

HWY_EXPORT(gather_here);
HWY_EXPORT(name_here);

std::int64_t gather_scratch_bytes(const GatherArgs& args) {
  ScratchParts parts(nullptr);
  RowCodes(args.packed, args.sample.values(), parts);
  return parts.bytes();
}

void gather(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores, std::byte* scratch) {
  const DefaultFloatingPointMode mode;
  HWY_DYNAMIC_DISPATCH(gather_here)(args, first, last, stores, scratch);
}

const char* gather_target_name() { return HWY_DYNAMIC_DISPATCH(name_here)(); }

}  // namespace octavo::kernels::cpu
#endif
