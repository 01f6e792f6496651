#include "costs/cost_cases.hpp"

#include <cstring>
#include <random>

namespace device_code {
namespace {

using namespace octavo::kernels;
using octavo::BatchShape;
using octavo::DType;
using octavo::Layout;
using octavo::SampleShape;

AugmentOp operation(AugmentKind kind) {
  AugmentOp op{};
  op.kind = kind;
  op.probability = 1.0;
  op.fill.is_uniform = op.values.is_uniform = true;
  return op;
}

AugmentOp flip() {
  AugmentOp op = operation(AugmentKind::flip_x);
  op.probability = 0.5;
  return op;
}

AugmentOp crop(std::int32_t side, std::int32_t margin, Border border = Border::constant) {
  AugmentOp op = operation(AugmentKind::random_crop);
  op.height = op.width = side;
  op.margin = margin;
  op.border = border;
  return op;
}

AugmentOp cutout(std::int32_t side, bool is_normalized) {
  AugmentOp op = operation(AugmentKind::erase_square);
  op.side = side;
  op.is_normalized = is_normalized;
  return op;
}

AugmentOp resized_crop(std::int32_t side) {
  AugmentOp op = operation(AugmentKind::random_resized_crop);
  op.height = op.width = side;
  op.antialias = true;
  op.area = {0.35, 1.0};
  op.ratio = {-0.415, 0.415};
  return op;
}

AugmentOp resize(std::int32_t side) {
  AugmentOp op = operation(AugmentKind::resize);
  op.height = op.width = side;
  op.antialias = true;
  return op;
}

AugmentOp center_crop(std::int32_t side) {
  AugmentOp op = operation(AugmentKind::center_crop);
  op.height = op.width = side;
  return op;
}

/// Of the memory that cudaMalloc() returns.
constexpr std::size_t kDeviceAlignment = 256;

/// The memory of `bytes`, which has kDeviceAlignment bytes more than are used.
template <typename Byte>
void* aligned(std::vector<Byte>& bytes) {
  void* begin = bytes.data();
  std::size_t room = bytes.size();
  return std::align(kDeviceAlignment, room - kDeviceAlignment, begin, room);
}

/// Parts of a batch that are decoded into memory at once.
constexpr std::int64_t kSlots = 32;

/// What a row of the table names.
struct CostRow {
  const char* name;
  SampleShape sample;
  std::int64_t batch_count;
  std::vector<AugmentOp> ops;
  RowCoding coding = RowCoding::plain;
};

std::unique_ptr<AugmentProgram> program_of(const CostRow& row) {
  if (row.ops.empty()) return nullptr;
  auto program = std::make_unique<AugmentProgram>();
  ImageSize size = {static_cast<std::int32_t>(row.sample.height), static_cast<std::int32_t>(row.sample.width)};
  program->seed = 1;
  program->sizes[0] = size;
  program->most_pixels = row.sample.values_per_channel();
  program->most_width = size.width;
  for (AugmentOp op : row.ops) {
    op.slot = static_cast<std::uint32_t>(program->op_count);
    program->ops[program->op_count++] = op;
    if (resizes(op.kind)) {
      program->most_resampled_side = size.width;
      program->most_resampled_output = op.width;
      program->most_filter_weights = most_weights(size.width, op.width, true);
    }
    if (op.height != 0) size = {op.height, op.width};
    program->sizes[program->op_count] = size;
    program->erases_values = program->erases_values || op.is_normalized;
  }
  return program;
}

std::unique_ptr<CostCase> make_case(const CostRow& row, DType dtype, Layout layout) {
  const std::int64_t row_count = row.batch_count;
  auto made = std::make_unique<CostCase>();
  made->name = std::string(row.name) + ", " + std::to_string(row.sample.channels) + "x" +
               std::to_string(row.sample.height) + "x" + std::to_string(row.sample.width) +
               (layout == Layout::nhwc ? ", NHWC, " : ", ") + std::string(octavo::to_string(dtype));
  made->program = program_of(row);
  BatchShape batch = {.image = row.sample, .views = 1, .dtype = dtype, .layout = layout};
  if (made->program != nullptr) {
    const ImageSize size = made->program->sizes[made->program->op_count];
    batch.image = {row.sample.channels, size.height, size.width};
  }
  std::mt19937 random(1);
  made->codes.resize(static_cast<std::size_t>(row_count * row.sample.values()) + kDeviceAlignment);
  for (std::int8_t& code : made->codes) code = static_cast<std::int8_t>(random());
  made->labels.resize(static_cast<std::size_t>(row_count));
  made->out_labels.resize(static_cast<std::size_t>(row.batch_count));
  made->maps.assign(1, Affine{1.0f / 64, 0.0f});
  made->values.resize(static_cast<std::size_t>(row.batch_count * batch.bytes()) + kDeviceAlignment);
  GatherArgs& args = made->args;
  args.packed = {static_cast<const std::int8_t*>(aligned(made->codes)),
                 made->labels.data(),
                 row_count,
                 nullptr,
                 nullptr,
                 row.sample.values(),
                 1};
  if (row.coding != RowCoding::plain) {
    made->coded.emplace(row.coding, 1, row.sample, row_count, row_count);
    args.packed = made->coded->packed();
    args.packed.labels = made->labels.data();
    args.packed.label_words = 1;
    const std::uint64_t bytes = args.packed.row_offsets[row_count] + kRowGuardBytes;
    made->codes.resize(bytes + kDeviceAlignment);
    args.packed.codes = static_cast<const std::int8_t*>(
        std::memcpy(aligned(made->codes), args.packed.codes, static_cast<std::size_t>(bytes)));
    const std::int64_t slot_bytes = decoded_bytes(row.coding, row.sample.values());
    made->block_memory.resize(static_cast<std::size_t>(kSlots * slot_bytes) + kDeviceAlignment);
    args.block_memory = {static_cast<std::byte*>(aligned(made->block_memory)), slot_bytes, kSlots};
    const std::int64_t decoded = DecodedParts(row.batch_count, row.sample.values(), 1).bytes();
    made->decoded_memory.resize(static_cast<std::size_t>(decoded) + kDeviceAlignment);
    args.decoded_memory = {static_cast<std::byte*>(aligned(made->decoded_memory)), decoded};
  }
  args.set_shapes(row.sample, batch);
  args.selection = rows_in_order(make_order_key(row_count, 7, 3, true), 0, 3);
  args.batch_count = row.batch_count;
  args.maps = made->maps.data();
  args.uniform_map = true;
  args.values = aligned(made->values);
  args.label_type = LabelType::words;
  args.out_labels = made->out_labels.data();
  args.augment.program = made->program.get();
  if (made->program != nullptr) args.augment.demand = demand_of(*made->program);
  if (args.augment.demand == AugmentDemand::resizing) args.augment.resizing = stored_resizing(*made->program);
  return made;
}

}  // namespace

std::int64_t CostCase::ideal_bytes() const {
  return value_count() * (1 + static_cast<std::int64_t>(octavo::bytes_of(args.batch.dtype)));
}

std::vector<std::unique_ptr<CostCase>> cost_cases() {
  const SampleShape small{3, 32, 32}, large{3, 224, 224}, larger{3, 256, 256};
  const std::vector<CostRow> rows = {
      {"plain", small, 128, {}},
      {"lp8", small, 128, {}, RowCoding::lp8},
      {"lc8", small, 128, {}, RowCoding::lc8},
      {"lp8, crop with fill, flip", small, 128, {crop(32, 4), flip()}, RowCoding::lp8},
      {"lc8, crop with fill, flip", small, 128, {crop(32, 4), flip()}, RowCoding::lc8},
      {"lp8, crop of a quarter", {3, 256, 256}, 2, {crop(128, 0)}, RowCoding::lp8},
      {"lc8, crop of a quarter", {3, 256, 256}, 2, {crop(128, 0)}, RowCoding::lc8},
      {"lp8", {1, 28, 28}, 256, {}, RowCoding::lp8},
      {"lc8", {1, 28, 28}, 256, {}, RowCoding::lc8},
      {"flip", small, 128, {flip()}},
      {"crop with fill, flip", small, 128, {crop(32, 4), flip()}},
      {"crop with fill, flip, cutout of codes", small, 128, {crop(32, 4), flip(), cutout(16, false)}},
      {"crop with fill, flip, cutout of values", small, 128, {crop(32, 4), flip(), cutout(16, true)}},
      {"crop with reflection, flip", small, 128, {crop(32, 4, Border::reflect), flip()}},
      {"crop with fill, flip", {3, 30, 30}, 128, {crop(30, 4), flip()}},
      {"crop with fill, flip", {3, 33, 33}, 128, {crop(33, 4), flip()}},
      {"plain", {1, 28, 28}, 256, {}},
      {"crop with fill, flip", {1, 28, 28}, 256, {crop(28, 4), flip()}},
      {"plain", {4, 32, 32}, 128, {}},
      {"crop with fill, flip", {4, 32, 32}, 128, {crop(32, 4), flip()}},
      {"crop with fill, flip", {1, 27, 27}, 256, {crop(27, 4), flip()}},
      {"plain", large, 4, {}},
      {"crop of 256x256, flip", larger, 4, {crop(224, 0), flip()}},
      {"crop with fill, flip", large, 4, {crop(224, 28), flip()}},
      {"crop with fill, flip, cutout of values", large, 4, {crop(224, 28), flip(), cutout(112, true)}},
      {"resized crop, flip", larger, 1, {resized_crop(224), flip()}},
      {"resized crop, flip", {3, 500, 500}, 1, {resized_crop(224), flip()}},
      {"resize, center crop", {3, 320, 320}, 1, {resize(256), center_crop(224)}},
  };
  std::vector<std::unique_ptr<CostCase>> cases;
  for (const CostRow& row : rows) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      for (const DType dtype : {DType::float32, DType::float16}) cases.push_back(make_case(row, dtype, layout));
    }
  }
  return cases;
}

}  // namespace device_code
