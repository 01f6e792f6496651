#include "loader/replay.hpp"

#include <cmath>
#include <span>
#include <string>
#include <utility>

#include <octavo/batch_shape.hpp>

#include "backend/backend.hpp"
#include "kernels/augment/color.hpp"
#include "kernels/gather.hpp"
#include "loader/packed_server.hpp"
#include "store/augment_program.hpp"
#include "store/mix_program.hpp"
#include "support/hash.hpp"

namespace octavo::loader {
namespace {

using kernels::AugmentStep;
using kernels::StepKind;

DrawnStep factor_step(const char* name, const AugmentStep& step) {
  return {name, {{"factor", std::ldexp(step.amount, -kernels::kFactorBits)}}};
}

DrawnStep part_step(const char* name, const AugmentStep& step) {
  return {name, {{"top", step.y}, {"left", step.x}, {"height", step.height}, {"width", step.width}}};
}

DrawnStep permutation_step(const AugmentStep& step, std::int64_t channels) {
  DrawnStep drawn = {"permute", {}};
  for (std::int64_t c = 0; c < channels; ++c) drawn.values.emplace_back("channel" + std::to_string(c), step.source[c]);
  return drawn;
}

/// The map from pixels of the output to places in the input: x' = xx * x + xy * y + right, y' = yx * x + yy * y + down.
DrawnStep warp_step(const kernels::Warp& warp) {
  const auto number = [](std::int64_t fixed) { return std::ldexp(static_cast<double>(fixed), -32); };
  return {"warp",
          {{"xx", number(warp.xx)},
           {"xy", number(warp.xy)},
           {"right", number(warp.x)},
           {"yx", number(warp.yx)},
           {"yy", number(warp.yy)},
           {"down", number(warp.y)}}};
}

DrawnStep describe_step(const AugmentStep& step, std::int64_t channels) {
  switch (step.kind) {
    case StepKind::none:
      break;
    case StepKind::flip_x:
      return {"flip_x", {}};
    case StepKind::flip_y:
      return {"flip_y", {}};
    case StepKind::crop:
      return {"crop", {{"top", step.y}, {"left", step.x}}};
    case StepKind::resample:
      return part_step("resize", step);
    case StepKind::erase:
      return part_step("erase", step);
    case StepKind::jitter:
      return {"jitter", {{"shift", step.shift}, {"factor", step.factor}}};
    case StepKind::brightness:
      return factor_step("brightness", step);
    case StepKind::contrast:
      return factor_step("contrast", step);
    case StepKind::saturation:
      return factor_step("saturation", step);
    case StepKind::hue:
      return {"hue", {{"turns", step.amount / static_cast<double>(kernels::kHueTurn)}}};
    case StepKind::permute:
      return permutation_step(step, channels);
    case StepKind::solarize:
      return {"solarize", {{"threshold", step.amount}}};
    case StepKind::solarize_add:
      return {"solarize_add", {{"added", step.amount}}};
    case StepKind::posterize:
      return {"posterize", {{"bits", step.amount}}};
    case StepKind::invert:
      return {"invert", {}};
    case StepKind::gamma:
      return {"gamma", {{"power", step.power}}};
    case StepKind::autocontrast:
      return {"autocontrast", {}};
    case StepKind::equalize:
      return {"equalize", {}};
    case StepKind::sharpness:
      return factor_step("sharpness", step);
    case StepKind::blur:
      return {"blur", {{"center_weight", std::ldexp(step.weights[0], -kernels::kWeightBits)}}};
    case StepKind::warp:
      return warp_step(step.warp);
  }
  return {"none", {}};
}

/// The arguments of a gather, as far as draws depend on them. Borrows its members.
struct Drawing {
  Drawing(const SampleShape& shape, const BatchSpec& spec)
      : program(store::make_program(spec, shape)), mix(store::make_mix(spec)) {
    args.set_shapes(shape, batch_shape(spec, shape));
    args.program = &program;
    args.mix = mix;
  }
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;

  /// Chooses a batch, which must live while it is used.
  void choose(const store::BatchRows& batch, std::int64_t epoch) {
    args.selection = kernels::given_rows(batch.rows.data(), INT64_MAX);
    args.selection.indices = batch.drawing().data();
    args.selection.epoch = static_cast<std::uint64_t>(epoch);
    if (!batch.epochs.empty()) args.selection.epochs = batch.epochs.data();
    args.batch_count = args.mixed_count = std::ssize(batch.rows);
  }

  DrawnSample sample_at(std::int64_t b) {
    const kernels::MixedSample mixed = kernels::mixed_sample_at(args, b);
    DrawnSample drawn = {mixed.sample.row, {}, {}};
    for (std::int64_t view = 0; view < args.batch.views; ++view) {
      kernels::draw_image(args, mixed.sample, static_cast<std::uint32_t>(view), image);
      drawn.views.emplace_back();
      for (int i = 0; i < program.op_count; ++i) {
        if (image.steps[i].kind == StepKind::none) continue;
        drawn.views.back().push_back(describe_step(image.steps[i], args.sample.channels));
      }
    }
    const kernels::MixStep& step = mixed.step;
    if (step.kind == kernels::MixKind::none) return drawn;
    const bool is_cutmix = step.kind == kernels::MixKind::cutmix;
    drawn.mix = DrawnMix{is_cutmix ? "cutmix" : "mixup",
                         mixed.partner.row,
                         step.own,
                         step.other,
                         step.y,
                         step.x,
                         step.height,
                         step.width};
    return drawn;
  }

  kernels::AugmentProgram program;
  kernels::MixProgram mix;
  kernels::GatherArgs args{};
  kernels::DrawnImage image;
};

void add_number(StreamingHash& hash, std::int64_t number) { hash.add(std::as_bytes(std::span(&number, 1))); }
void add_number(StreamingHash& hash, double number) { hash.add(std::as_bytes(std::span(&number, 1))); }
void add_text(StreamingHash& hash, const std::string& text) { hash.add(std::as_bytes(std::span(text))); }

void add_sample(StreamingHash& hash, const DrawnSample& sample) {
  add_number(hash, sample.index);
  for (const std::vector<DrawnStep>& steps : sample.views) {
    add_number(hash, std::int64_t{std::ssize(steps)});
    for (const DrawnStep& step : steps) {
      add_text(hash, step.name);
      for (const auto& [name, value] : step.values) add_number(hash, value);
    }
  }
  if (!sample.mix) return;
  add_text(hash, sample.mix->name);
  for (const double weight : {sample.mix->own, sample.mix->other}) add_number(hash, weight);
  for (const std::int64_t number :
       {sample.mix->partner, sample.mix->top, sample.mix->left, sample.mix->height, sample.mix->width}) {
    add_number(hash, number);
  }
}

/// Makes batches and hashes their values.
class PixelHashing {
 public:
  PixelHashing(std::shared_ptr<const store::StoredSamples> samples, const LoaderOptions& options)
      : server_(std::move(samples), options),
        mask_bytes_(server_.has_masks() ? server_.shape().mask_values() * bytes_of(options.spec.mask_dtype) : 0),
        images_(buffer(server_.shape().bytes())),
        labels_(buffer(server_.labels().bytes_per_sample())),
        masks_(buffer(mask_bytes_)) {}

  void add(StreamingHash& hash, std::int64_t epoch, std::int64_t step) {
    const std::int64_t count = server_.order().part(epoch, step).count();
    server_.serve(epoch, step, {images_.data(), {labels_.data()}, masks_.data()}, {});
    add_buffer(hash, images_, count * server_.shape().bytes());
    add_buffer(hash, labels_, count * server_.labels().bytes_per_sample());
    add_buffer(hash, masks_, count * mask_bytes_);
  }

 private:
  backend::DeviceBuffer buffer(std::int64_t bytes_per_sample) const {
    return {server_.backend(), static_cast<std::size_t>(server_.order().largest_count() * bytes_per_sample),
            "a batch of a fingerprint"};
  }
  void add_buffer(StreamingHash& hash, const backend::DeviceBuffer& buffer, std::int64_t bytes) {
    host_.resize(static_cast<std::size_t>(bytes));
    if (bytes > 0) server_.backend()->copy_to_host(host_.data(), buffer.data(), host_.size(), {});
    hash.add(host_);
  }

  PackedServer server_;
  std::int64_t mask_bytes_;  ///< of a sample
  backend::DeviceBuffer images_, labels_, masks_;
  std::vector<std::byte> host_;
};

LoaderOptions on_one_rank(LoaderOptions options) {
  options.rank = 0;
  options.world_size = 1;
  return options;
}

/// Hashes the samples of each batch, then calls add_values(hash, step).
template <typename AddValues>
std::string digest(const SampleShape& shape, std::int64_t sample_count, const LoaderOptions& options,
                   std::int64_t epoch, const AddValues& add_values) {
  const BatchOrder order(options, sample_count);
  const auto drawing = std::make_unique<Drawing>(shape, options.spec);
  StreamingHash hash;
  for (std::int64_t step = 0; step < order.batches_per_epoch(epoch); ++step) {
    const store::BatchRows batch = order.numbers(epoch, step);
    drawing->choose(batch, epoch);
    add_number(hash, std::int64_t{std::ssize(batch.rows)});
    for (std::int64_t b = 0; b < std::ssize(batch.rows); ++b) add_sample(hash, drawing->sample_at(b));
    add_values(hash, step);
  }
  return to_hex(hash.value());
}

}  // namespace

std::vector<DrawnSample> drawn_samples(const SampleShape& shape, const BatchOrder& order, std::int64_t epoch,
                                       std::int64_t step) {
  const auto drawing = std::make_unique<Drawing>(shape, order.options().spec);
  const store::BatchRows batch = order.numbers(epoch, step);
  drawing->choose(batch, epoch);
  std::vector<DrawnSample> drawn;
  for (std::int64_t b = 0; b < std::ssize(batch.rows); ++b) drawn.push_back(drawing->sample_at(b));
  return drawn;
}

std::string fingerprint(const SampleShape& shape, std::int64_t sample_count, LoaderOptions options,
                        std::int64_t epoch) {
  return digest(shape, sample_count, on_one_rank(std::move(options)), epoch, [](StreamingHash&, std::int64_t) {});
}

std::string fingerprint_with_pixels(const std::shared_ptr<const store::StoredSamples>& samples, LoaderOptions options,
                                    std::int64_t epoch) {
  options = on_one_rank(std::move(options));
  PixelHashing pixels(samples, options);
  return digest(samples->shape, samples->sample_count, options, epoch,
                [&](StreamingHash& hash, std::int64_t step) { pixels.add(hash, epoch, step); });
}

}  // namespace octavo::loader
