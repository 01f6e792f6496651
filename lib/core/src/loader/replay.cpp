#include "loader/replay.hpp"

#include <cmath>
#include <span>
#include <string>
#include <utility>

#include <octavo/batch_shape.hpp>

#include "augment/augment_program.hpp"
#include "augment/mix_program.hpp"
#include "backend/backend.hpp"
#include "kernels/augment/color.hpp"
#include "kernels/gather.hpp"
#include "loader/packed_server.hpp"
#include "support/hash.hpp"

namespace octavo::loader {
namespace {

using kernels::AugmentStep;
using kernels::StepKind;

using Values = std::vector<std::pair<std::string, double>>;

Values sources_of(const AugmentStep& step, std::int64_t channels) {
  Values sources;
  for (std::int64_t c = 0; c < channels; ++c) sources.emplace_back("channel" + std::to_string(c), step.source[c]);
  return sources;
}

/// The map from pixels of the output to places in the input: x' = xx * x + xy * y + right, y' = yx * x + yy * y + down.
Values map_of(const kernels::Warp& warp) {
  const auto number = [](std::int64_t fixed) { return std::ldexp(static_cast<double>(fixed), -32); };
  return {{"xx", number(warp.xx)}, {"xy", number(warp.xy)}, {"right", number(warp.x)},
          {"yx", number(warp.yx)}, {"yy", number(warp.yy)}, {"down", number(warp.y)}};
}

Values values_of(const AugmentStep& step, std::int64_t channels) {
  switch (step.kind) {
    case StepKind::crop:
      return {{"top", step.y}, {"left", step.x}};
    case StepKind::resample:
    case StepKind::erase:
      return {{"top", step.y}, {"left", step.x}, {"height", step.height}, {"width", step.width}};
    case StepKind::jitter:
      return {{"shift", step.shift}, {"factor", step.factor}};
    case StepKind::permute:
      return sources_of(step, channels);
    case StepKind::gamma:
      return {{"power", step.power}};
    case StepKind::blur:
      return {{"center_weight", std::ldexp(step.weights[0], -kernels::kWeightBits)}};
    case StepKind::warp:
      return map_of(step.warp);
    default:  // others have an amount, or nothing
      break;
  }
  const kernels::StepName& name = kernels::kStepNames[static_cast<int>(step.kind)];
  return name.amount == nullptr ? Values() : Values{{name.amount, step.amount / name.parts}};
}

DrawnStep describe_step(const AugmentStep& step, std::int64_t channels) {
  return {kernels::kStepNames[static_cast<int>(step.kind)].kind, values_of(step, channels)};
}

/// The arguments of a gather, as far as draws depend on them. Borrows its members.
struct Drawing {
  Drawing(const SampleShape& shape, const BatchSpec& spec)
      : program(augment::make_program(spec, shape)), mix(augment::make_mix(spec)) {
    args.set_shapes(shape, batch_shape(spec, shape));
    args.augment.program = &program;
    args.augment.mix = mix;
  }
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;

  /// Chooses a batch, which must live while it is used.
  void choose(const store::BatchRows& batch, std::int64_t epoch) {
    args.selection = kernels::given_rows(batch.rows.data(), INT64_MAX);
    args.selection.indices = batch.drawing().data();
    args.selection.epoch = static_cast<std::uint64_t>(epoch);
    if (!batch.epochs.empty()) args.selection.epochs = batch.epochs.data();
    args.batch_count = args.augment.mixed_count = std::ssize(batch.rows);
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
    const store::BatchRows batch = order.rows(epoch, step);
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
  const store::BatchRows batch = order.rows(epoch, step);
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
