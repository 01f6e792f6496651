// Runs the CUDA gather of images that are flipped, cropped and erased, compiled for the host.
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "augment_cases.hpp"
#include "case_stride.hpp"
#include "catch.hpp"
#include "cuda_devices.hpp"
#include "gather_cases.hpp"
#include "kernels/cuda/gather.hpp"
#include "kernels/cuda/gather_variants.hpp"
#include "unwritten.hpp"

using namespace octavo::kernels;
using namespace octavo::test;
using octavo::BatchShape;
using octavo::DType;
using octavo::Layout;
using octavo::SampleShape;

namespace {

/// A batch of images with random operations that gather_moved() supports, drawn by a cursor. Every buffer and argument
/// in memory is an object of exact size.
class MovedCase {
 public:
  MovedCase(std::uint32_t seed, DType type, Layout layout, std::int64_t count = 2)
      : random_(seed),
        type_(type),
        layout_(layout),
        shape_{layout == Layout::nhwc ? between(3, 4) : between(1, 4), between(1, 20), between(4, 20)},
        count_(count) {
    add_random_ops();
  }
  /// An image of any width, in rows without gaps that begin at any byte.
  MovedCase(std::uint32_t seed, DType type, Layout layout, std::int64_t channels, std::int64_t width,
            std::int64_t count = 3)
      : random_(seed), type_(type), layout_(layout), shape_{channels, between(1, 9), width}, count_(count) {
    has_words_ = false;
    first_byte_ = between(0, 3);
    add_random_ops();
  }
  /// An image of a certain shape.
  MovedCase(DType type, Layout layout, const SampleShape& sample, const SampleShape& out, bool erases_values = false,
            std::int64_t count = 1)
      : random_(5), type_(type), layout_(layout), shape_(sample), count_(count) {
    sample_ = sample;
    note_shape();
    push(crop(out.height, out.width, 8, Border::reflect));
    push(operation(AugmentKind::flip_x));
    AugmentOp erase = operation(AugmentKind::erase_square);
    erase.side = 30;
    erase.is_normalized = program_->erases_values = erases_values;
    for (float& value : erase.values.of_channel) value = 1.5f;
    push(erase);
    fill();
  }

  GatherArgs args() {
    const BatchShape batch = {.image = shape_, .views = views_, .dtype = type_, .layout = layout_};
    values_.assign(static_cast<std::size_t>(count_ * batch.values()) * bytes_of(type_), std::byte{0xEE});
    out_labels_.assign(static_cast<std::size_t>(count_), 0xEEEEEEEEu);
    GatherArgs args{};
    args.packed = {codes_.data() + first_byte_, labels_.data(), kRows, nullptr, nullptr, stride(), 1};
    args.set_shapes(sample_, batch);
    *cursor_ = cursor_before();
    args.selection = rows_at(cursor_.get(), kRows);
    args.cursor_batches = 1;
    args.batch_count = count_;
    args.maps = maps_.data();
    args.uniform_map = maps_.size() == 1;
    args.values = values_.data();
    args.label_type = LabelType::words;
    args.out_labels = out_labels_.data();
    args.augment.program = program_.get();
    args.augment.demand = demand_of(*program_);
    return args;
  }
  bool is_taken() {
    const GatherArgs arguments = args();
    bool is_taken = false;
    visit_value_type(type_, [&](auto value) { is_taken = cuda::takes_moved<decltype(value)>(arguments); });
    return is_taken;
  }
  /// The last batch of an epoch.
  OrderCursor cursor_before() const {
    return make_order_cursor(kRows, 11, true, count_, {0, count_}, 4, kRows / count_ - 1);
  }
  const OrderCursor& cursor() const { return *cursor_; }
  const Bytes& values() const { return values_; }
  const std::vector<std::uint32_t>& out_labels() const { return out_labels_; }

 private:
  static constexpr std::int64_t kRows = 21;

  std::int64_t stride() const { return has_words_ ? (sample_.values() + 3) / 4 * 4 : sample_.values(); }

  std::int32_t between(std::int64_t low, std::int64_t high) {
    return static_cast<std::int32_t>(low +
                                     static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(high - low + 1)));
  }
  AugmentOp operation(AugmentKind kind) {
    AugmentOp op{};
    op.kind = kind;
    op.slot = static_cast<std::uint32_t>(program_->op_count);
    op.probability = between(0, 2) == 0 ? 1.0 : 0.6;
    op.fill.is_uniform = op.values.is_uniform = between(0, 1) == 1;
    for (int c = 0; c < kMostFillChannels; ++c) {
      op.fill.of_channel[c] = static_cast<std::int8_t>(random_());
      // The sign of a zero that is filled depends on the code below it.
      op.values.of_channel[c] = between(0, 4) == 0 ? -0.0f : static_cast<float>(between(-1000, 1000)) / 256.0f;
    }
    op.side = between(1, 12);
    op.is_inside = between(0, 1) == 1;
    op.area = {0.05, 0.4};
    op.ratio = {-1.5, 1.2};
    op.shift = {-0.25, 0.5};
    op.factor = {0.75, 1.25};
    return op;
  }
  AugmentOp crop(std::int64_t height, std::int64_t width, std::int32_t margin, Border border) {
    AugmentOp op = operation(AugmentKind::random_crop);
    op.probability = 1.0;
    op.margin = margin;
    op.border = border;
    op.height = static_cast<std::int32_t>(height);
    op.width = static_cast<std::int32_t>(width);
    return op;
  }
  void push(const AugmentOp& op) {
    program_->ops[program_->op_count++] = op;
    if (op.kind == AugmentKind::random_crop) {
      shape_.height = op.height;
      shape_.width = op.width;
    }
    note_shape();
  }
  void note_shape() {
    program_->sizes[program_->op_count] = {static_cast<std::int32_t>(shape_.height),
                                           static_cast<std::int32_t>(shape_.width)};
  }
  void push_random_crop() {
    const auto border = static_cast<Border>(between(0, 2));
    const std::int64_t smaller = std::min(shape_.height, shape_.width);
    const std::int32_t margin = border == Border::reflect ? between(0, smaller - 1) : between(0, 6);
    push(crop(between(1, shape_.height + 2 * margin), between(1, shape_.width + 2 * margin), margin, border));
  }
  /// A crop to whole words, or to any width.
  void push_last_crop() {
    const std::int32_t margin = between(4, 8);
    const auto border = static_cast<Border>(between(0, 1));
    const std::int64_t most_width = shape_.width + 2 * margin;
    const std::int64_t width = has_words_           ? between(1, most_width / 4) * 4
                               : between(0, 1) == 1 ? shape_.width
                                                    : between(1, most_width);
    push(crop(between(1, shape_.height + 2 * margin), width, margin, border));
  }
  void add_random_ops() {
    sample_ = shape_;
    note_shape();
    const AugmentKind flips[] = {AugmentKind::flip_x, AugmentKind::flip_y, AugmentKind::alternating_flip_x,
                                 AugmentKind::view_flip_x};
    for (int i = between(0, 2); i > 0; --i) push(operation(flips[between(0, 3)]));
    if (between(0, 1) == 1) push_random_crop();
    push_last_crop();
    push_erasures();
    views_ = between(1, 2);
    fill();
  }
  /// None, one of each kind, or several, for which there is another kernel.
  void push_erasures() {
    const std::int32_t choice = between(0, 4);
    if (choice == 1 || choice == 4) push(operation(AugmentKind::erase_square));
    if (choice == 2 || choice == 4) push(operation(AugmentKind::erase_rectangle));
    if (choice >= 3) push_values_ops();
  }
  void push_values_ops() {
    push(operation(AugmentKind::jitter));
    AugmentOp erase = operation(AugmentKind::erase_square);
    erase.is_normalized = true;
    push(erase);
    push(operation(AugmentKind::jitter));
    program_->has_jitter = program_->erases_values = true;
  }
  void fill() {
    program_->seed = random_();
    codes_.resize(static_cast<std::size_t>(first_byte_ + kRows * stride()));
    for (std::int8_t& code : codes_) code = static_cast<std::int8_t>(random_());
    for (std::int64_t i = 0; i < kRows; ++i) labels_.push_back(static_cast<std::uint32_t>(random_()));
    const std::int64_t map_count = between(0, 1) == 1 ? 1 : sample_.channels;
    for (std::int64_t c = 0; c < map_count; ++c) {
      maps_.push_back({1.0f / static_cast<float>(50 + c), 0.25f - static_cast<float>(c)});
    }
  }

  std::mt19937 random_;
  DType type_;
  Layout layout_;
  SampleShape sample_, shape_;   ///< stored, and after the last operation
  bool has_words_ = true;        ///< rows and lines of the output are whole words
  std::int64_t first_byte_ = 0;  ///< of the first row
  std::int64_t views_ = 1, count_ = 1;
  std::unique_ptr<AugmentProgram> program_ = std::make_unique<AugmentProgram>();
  std::unique_ptr<OrderCursor> cursor_ = std::make_unique<OrderCursor>();
  std::vector<std::int8_t> codes_;
  std::vector<std::uint32_t> labels_, out_labels_;
  std::vector<Affine> maps_;
  Bytes values_;
};

void require_defined_values(MovedCase& data, const cuda::DeviceTraits& device = kMiddleDevice) {
  REQUIRE(data.is_taken() == (data.args().batch.image.width >= 4));
  gather_defined(data.args());
  const Bytes expected = data.values();
  const auto labels = data.out_labels();
  const GatherArgs args = data.args();
  mark_unwritten(args);
  REQUIRE(cuda::launch_gather(args, device, nullptr) == cudaSuccess);
  REQUIRE(unwritten_bytes(args) == 0);
  REQUIRE(data.values() == expected);
  REQUIRE(data.out_labels() == labels);
  OrderCursor after = data.cursor_before();
  advance(after, 1);
  REQUIRE(data.cursor().epoch == after.epoch);
  REQUIRE(data.cursor().step == after.step);
  REQUIRE(data.cursor().blocks_done == 0);
}

}  // namespace

TEST_CASE("the CUDA gather moves images of every type and layout like the definition", "[unit][shim]") {
  for (const DType type : image_types()) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      for (std::uint32_t seed = 0; seed < 40; ++seed) {
        INFO(to_string(type) << (layout == Layout::nhwc ? " NHWC" : " NCHW") << " seed " << seed);
        MovedCase data(seed, type, layout);
        require_defined_values(data);
      }
    }
  }
}

TEST_CASE("the CUDA gather moves several images per warp", "[unit][shim][order]") {
  for (const DType type : image_types()) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      for (std::uint32_t seed = 0; seed < 4; ++seed) {
        INFO(to_string(type) << (layout == Layout::nhwc ? " NHWC" : " NCHW") << " seed " << seed);
        MovedCase data(seed, type, layout, 20);
        require_defined_values(data, kSmallDevice);
      }
    }
  }
}

TEST_CASE("the CUDA gather moves images with every variant of its kernel", "[unit][shim]") {
  for (const DType type : image_types()) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      for (const std::int64_t C : {1, 3, 4}) {
        for (const std::int64_t width : {12, 10}) {
          for (const bool erases_values : {false, true}) {
            INFO(to_string(type) << (layout == Layout::nhwc ? " NHWC" : " NCHW") << " C " << C << " width " << width);
            MovedCase data(type, layout, {C, 10, width}, {C, 8, width}, erases_values);
            REQUIRE(data.args().augment.demand ==
                    (erases_values ? AugmentDemand::erasing_moves : AugmentDemand::moves));
            require_defined_values(data);
          }
        }
      }
    }
  }
}

TEST_CASE("the CUDA gather moves images of any width and alignment", "[unit][shim]") {
  std::uint32_t seed = 0;
  for (const DType type : image_types()) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      for (const std::int64_t C : {1, 3, 4}) {
        // Six seeds of each width, so that every fourth case has all widths.
        for (const std::int64_t width : {1, 2, 3, 4, 5, 6, 7, 8, 9, 27, 30, 33}) {
          for (int k = 0; k < 6; ++k, ++seed) {
            if (seed % case_stride() != 0) continue;
            INFO(to_string(type) << (layout == Layout::nhwc ? " NHWC" : " NCHW") << " C " << C << " width " << width
                                 << " seed " << seed);
            MovedCase data(seed, type, layout, C, width);
            require_defined_values(data);
          }
        }
      }
    }
  }
}

TEST_CASE("the CUDA gather moves several images of any width per warp", "[unit][shim][order]") {
  std::uint32_t seed = 0;
  for (const DType type : image_types()) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      for (const std::int64_t width : {3, 27, 30, 33}) {
        INFO(to_string(type) << (layout == Layout::nhwc ? " NHWC" : " NCHW") << " width " << width);
        MovedCase data(++seed, type, layout, 3, width, 20);
        require_defined_values(data, kSmallDevice);
      }
    }
  }
}

TEST_CASE("the CUDA gather moves images whose lines are longer than a tile", "[unit][shim]") {
  for (const DType type : image_types()) {
    for (const std::int64_t C : {3, 4}) {
      INFO(to_string(type) << " C " << C);
      // 98 units in a line, 64 in a tile of interleaved channels. A block has several images.
      MovedCase data(type, Layout::nhwc, {C, 9, 400}, {C, 8, 392}, false, 3);
      require_defined_values(data, kSmallDevice);
      MovedCase any_width(type, Layout::nhwc, {C, 9, 400}, {C, 8, 391});
      require_defined_values(any_width);
    }
    // 129 units in a line, 128 in a tile of planes.
    MovedCase planes(type, Layout::nchw, {2, 7, 512}, {2, 6, 511});
    require_defined_values(planes);
  }
}

TEST_CASE("the CUDA gather moves images that have several blocks", "[unit][shim][order]") {
  for (const DType type : image_types()) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      INFO(to_string(type) << (layout == Layout::nhwc ? " NHWC" : " NCHW"));
      MovedCase data(type, layout, {3, 100, 96}, {3, 96, 88});  // 58 tiles for 5 multiprocessors
      require_defined_values(data);
    }
  }
}
