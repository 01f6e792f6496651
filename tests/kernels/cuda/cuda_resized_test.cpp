// Runs the CUDA gather of images that are resized once, compiled for the host.
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "augment_cases.hpp"
#include "case_stride.hpp"
#include "catch.hpp"
#include "cuda_devices.hpp"
#include "gather_cases.hpp"
#include "gather_checks.hpp"
#include "kernels/cuda/gather_variants.hpp"

using namespace octavo::kernels;
using namespace octavo::test;
using octavo::BatchShape;
using octavo::DType;
using octavo::Layout;
using octavo::SampleShape;

namespace {

/// A batch of images that are resized once, drawn by a cursor. Every buffer and argument in memory is an object of
/// exact size.
class ResizedCase {
 public:
  ResizedCase(std::uint32_t seed, DType type, Layout layout, const SampleShape& sample)
      : random_(seed), type_(type), layout_(layout), sample_(sample), shape_(sample) {
    note_shape();
  }
  /// Random operations and sizes that gather_resized() supports.
  static ResizedCase random(std::uint32_t seed, DType type, Layout layout) {
    std::mt19937 sizes(seed);
    const auto side = [&] { return static_cast<std::int64_t>(1 + sizes() % 40); };
    ResizedCase made(seed, type, layout, {1 + static_cast<std::int64_t>(sizes() % 4), side(), side()});
    made.add_random_ops();
    return made;
  }

  AugmentOp operation(AugmentKind kind, double probability = 1.0) {
    AugmentOp op{};
    op.kind = kind;
    op.slot = static_cast<std::uint32_t>(program_->op_count);
    op.probability = probability;
    op.fill.is_uniform = op.values.is_uniform = sample_.channels > kMostFillChannels || between(0, 1) == 1;
    for (int c = 0; c < kMostFillChannels; ++c) {
      op.fill.of_channel[c] = static_cast<std::int8_t>(random_());
      // The sign of a zero that is filled depends on the code below it.
      op.values.of_channel[c] = between(0, 4) == 0 ? -0.0f : static_cast<float>(between(-1000, 1000)) / 256.0f;
    }
    op.side = between(1, 30);
    op.is_inside = between(0, 1) == 1;
    op.area = {0.05, 0.4};
    op.ratio = {-1.5, 1.2};
    op.shift = {-0.25, 0.5};
    op.factor = {-0.75, 1.25};
    return op;
  }
  void push(const AugmentOp& op) {
    program_->ops[program_->op_count++] = op;
    program_->erases_values = program_->erases_values || op.is_normalized;
    if (op.height != 0) {
      shape_.height = op.height;
      shape_.width = op.width;
    }
    note_shape();
  }
  void push_resizing(AugmentKind kind, std::int64_t height, std::int64_t width, bool antialias, bool is_cubic) {
    AugmentOp op = operation(kind);
    op.height = static_cast<std::int32_t>(height);
    op.width = static_cast<std::int32_t>(width);
    op.antialias = antialias;
    op.is_cubic = is_cubic;
    op.area = {0.05, 1.0};
    program_->most_resampled_side = static_cast<std::int32_t>(std::max(shape_.height, shape_.width));
    program_->most_resampled_output = static_cast<std::int32_t>(std::max(height, width));
    program_->most_filter_weights =
        most_weights(program_->most_resampled_side, program_->most_resampled_output, is_cubic);
    push(op);
  }
  /// Fills the stored samples. The batch has `views` views of each.
  void finish(std::int64_t views = 1) {
    views_ = views;
    program_->seed = random_();
    codes_.resize(static_cast<std::size_t>(kRows * sample_.values()));
    for (std::int8_t& code : codes_) code = static_cast<std::int8_t>(random_());
    for (std::int64_t i = 0; i < kRows; ++i) labels_.push_back(static_cast<std::uint32_t>(random_()));
    const std::int64_t map_count = between(0, 1) == 1 ? 1 : sample_.channels;
    for (std::int64_t c = 0; c < map_count; ++c) {
      maps_.push_back({1.0f / static_cast<float>(50 + c), 0.25f - static_cast<float>(c)});
    }
  }
  /// The output begins `value_count` values after an aligned address.
  void move_values(std::int64_t value_count) { offset_ = value_count; }

  GatherArgs args() {
    const BatchShape batch = {.image = shape_, .views = views_, .dtype = type_, .layout = layout_};
    values_.assign(static_cast<std::size_t>(offset_ + kCount * batch.values()) * bytes_of(type_), std::byte{0xEE});
    out_labels_.assign(static_cast<std::size_t>(kCount), 0xEEEEEEEEu);
    GatherArgs args{};
    args.packed = {codes_.data(), labels_.data(), kRows, nullptr, nullptr, sample_.values(), 1};
    args.set_shapes(sample_, batch);
    *cursor_ = cursor_before();
    args.selection = rows_at(cursor_.get(), kRows);
    args.cursor_batches = 1;
    args.batch_count = kCount;
    args.maps = maps_.data();
    args.uniform_map = maps_.size() == 1;
    args.values = values_.data() + static_cast<std::size_t>(offset_) * bytes_of(type_);
    args.label_type = LabelType::words;
    args.out_labels = out_labels_.data();
    args.augment.program = program_.get();
    args.augment.demand = demand_of(*program_);
    args.augment.resizing = stored_resizing(*program_);
    return args;
  }
  /// The last batch of an epoch.
  OrderCursor cursor_before() const {
    return make_order_cursor(kRows, 11, true, kCount, {0, kCount}, 4, kRows / kCount - 1);
  }
  const OrderCursor& cursor() const { return *cursor_; }
  const Bytes& values() const { return values_; }
  const std::vector<std::uint32_t>& out_labels() const { return out_labels_; }

 private:
  static constexpr std::int64_t kRows = 5, kCount = 2;

  std::int32_t between(std::int64_t low, std::int64_t high) {
    return static_cast<std::int32_t>(low +
                                     static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(high - low + 1)));
  }
  void note_shape() {
    program_->most_pixels = std::max(program_->most_pixels, shape_.values_per_channel());
    program_->most_width = std::max(program_->most_width, static_cast<std::int32_t>(shape_.width));
    program_->sizes[program_->op_count] = {static_cast<std::int32_t>(shape_.height),
                                           static_cast<std::int32_t>(shape_.width)};
  }
  void push_crop(std::int32_t margin, Border border) {
    AugmentOp op = operation(AugmentKind::random_crop);
    op.margin = margin;
    op.border = border;
    op.height = between(1, shape_.height + 2 * margin);
    op.width = between(1, shape_.width + 2 * margin);
    push(op);
  }
  void push_center_crop(std::int32_t more) {
    AugmentOp op = operation(AugmentKind::center_crop);
    op.height = between(1, shape_.height + more);
    op.width = between(1, shape_.width + more);
    push(op);
  }
  void push_flip() {
    const AugmentKind flips[] = {AugmentKind::flip_x, AugmentKind::flip_y, AugmentKind::alternating_flip_x,
                                 AugmentKind::view_flip_x};
    push(operation(flips[between(0, 3)], 0.6));
  }
  void push_crop_with_border() {
    const auto border = static_cast<Border>(between(0, 2));
    const auto smaller = static_cast<std::int32_t>(std::min(shape_.height, shape_.width));
    push_crop(border == Border::reflect ? between(0, smaller - 1) : between(0, 9), border);
  }
  void push_values_ops() {
    push(operation(AugmentKind::jitter, 0.6));
    for (int i = between(0, 2); i > 0; --i) {
      AugmentOp erase = operation(AugmentKind::erase_square, 0.6);
      erase.is_normalized = true;
      push(erase);
      push(operation(AugmentKind::jitter, 0.6));
    }
  }
  void add_random_ops() {
    if (between(0, 2) == 0) push_flip();
    if (between(0, 3) == 0) push_crop(0, Border::constant);
    if (between(0, 3) == 0) push_center_crop(0);
    if (between(0, 2) == 0) push_flip();
    const auto kind = between(0, 2) == 0 ? AugmentKind::resize : AugmentKind::random_resized_crop;
    push_resizing(kind, between(1, 50), between(1, 50), between(0, 3) > 0, between(0, 2) == 0);
    if (between(0, 1) == 0) push_flip();
    for (int i = between(0, 2); i > 0; --i) push_crop_with_border();
    if (between(0, 3) == 0) push_center_crop(9);
    for (int i = between(0, 2); i > 0; --i) push(operation(AugmentKind::erase_rectangle, 0.6));
    if (between(0, 1) == 0) push_values_ops();
    finish(between(1, 2));
  }

  std::mt19937 random_;
  DType type_;
  Layout layout_;
  SampleShape sample_, shape_;  ///< stored, and after the last operation
  std::int64_t views_ = 1, offset_ = 0;
  std::unique_ptr<AugmentProgram> program_ = std::make_unique<AugmentProgram>();
  std::unique_ptr<OrderCursor> cursor_ = std::make_unique<OrderCursor>();
  std::vector<std::int8_t> codes_;
  std::vector<std::uint32_t> labels_, out_labels_;
  std::vector<Affine> maps_;
  Bytes values_;
};

void require_defined_values(ResizedCase& data) {
  GatherArgs args = data.args();
  REQUIRE(cuda::takes_resized<float>(args));
  gather_defined(args);
  const Bytes expected = data.values();
  const auto labels = data.out_labels();
  args = data.args();
  require_gather(args, kMiddleDevice);
  REQUIRE(data.values() == expected);
  REQUIRE(data.out_labels() == labels);
  OrderCursor after = data.cursor_before();
  advance(after, 1);
  REQUIRE(data.cursor().epoch == after.epoch);
  REQUIRE(data.cursor().step == after.step);
  REQUIRE(data.cursor().blocks_done == 0);
}

const char* name_of(Layout layout) { return layout == Layout::nhwc ? " NHWC" : " NCHW"; }

}  // namespace

TEST_CASE("the CUDA gather resizes images of every type and layout like the definition", "[unit][shim]") {
  for (const DType type : image_types()) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      for (std::uint32_t seed = 0; seed < 40; seed += case_stride()) {
        INFO(to_string(type) << name_of(layout) << " seed " << seed);
        ResizedCase data = ResizedCase::random(seed, type, layout);
        require_defined_values(data);
      }
    }
  }
}

TEST_CASE("the CUDA gather resizes images to and from every extreme size", "[unit][shim]") {
  struct Sizes {
    SampleShape sample;
    std::int64_t height, width;
  };
  const Sizes sizes[] = {{{3, 1, 1}, 1, 1},    {{3, 1, 1}, 9, 13},    {{1, 2, 3}, 30, 50},  {{1, 50, 60}, 1, 1},
                         {{3, 90, 7}, 5, 3},   {{2, 20, 120}, 2, 5},  {{3, 9, 300}, 12, 9}, {{1, 3, 600}, 4, 8},
                         {{7, 10, 12}, 11, 7}, {{3, 12, 12}, 24, 300}};
  std::uint32_t seed = 0;
  for (const Sizes& one : sizes) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      for (const auto& [antialias, is_cubic] : {std::pair{true, false}, {true, true}, {false, false}, {false, true}}) {
        INFO(one.sample.channels << "x" << one.sample.height << "x" << one.sample.width << " to " << one.height << "x"
                                 << one.width << name_of(layout) << (antialias ? " antialias" : "")
                                 << (is_cubic ? " cubic" : ""));
        ++seed;
        ResizedCase data(seed, image_types()[seed % 3], layout, one.sample);
        data.push_resizing(AugmentKind::resize, one.height, one.width, antialias, is_cubic);
        data.push(data.operation(AugmentKind::flip_x));
        data.finish();
        require_defined_values(data);
      }
    }
  }
}

TEST_CASE("the CUDA gather resizes images of several tiles and parts", "[unit][shim][order]") {
  for (const DType type : image_types()) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      for (const std::int64_t width : {64, 67}) {
        INFO(to_string(type) << name_of(layout) << " width " << width);
        ResizedCase data(3, type, layout, {3, 100, width});
        data.push_resizing(AugmentKind::random_resized_crop, 130, width + 3, true, type == DType::bfloat16);
        data.push(data.operation(AugmentKind::flip_x, 0.5));
        data.finish();
        require_defined_values(data);
      }
    }
  }
}

TEST_CASE("the CUDA gather stores resized images at any address", "[unit][shim]") {
  for (const DType type : image_types()) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      for (std::int64_t offset = 1; offset < 8; ++offset) {
        INFO(to_string(type) << name_of(layout) << " offset " << offset);
        ResizedCase data(static_cast<std::uint32_t>(offset), type, layout, {3, 11, 13});
        data.push_resizing(AugmentKind::random_resized_crop, 9, 10 + offset, true, false);
        data.finish();
        data.move_values(offset);
        require_defined_values(data);
      }
    }
  }
}
