// Augmented gathers on the CPU, compared with the plain gather of the same samples: rows in the order of an epoch, with
// data and output far larger than the cache.
#include <cstring>
#include <memory>
#include <vector>

#include <octavo/batch_shape.hpp>
#include <octavo/batch_spec.hpp>

#include "augment/augment_program.hpp"
#include "kernels/cpu/gather.hpp"
#include "support/big_memory.hpp"
#include "support/results.hpp"
#include "support/team.hpp"

namespace {

using namespace octavo::bench;
using namespace octavo::kernels;
using octavo::BatchSpec;
using octavo::SampleShape;

/// A recipe, and the samples that it is used for.
struct Recipe {
  std::string name;
  SampleShape shape;
  BatchSpec spec;
};

std::vector<Recipe> recipes() {
  namespace augment = octavo::augment;
  const octavo::augment::Operations flip = {augment::HorizontalFlip{}};
  const octavo::augment::Operations flip_crop = {augment::RandomCrop{}, augment::HorizontalFlip{}};
  const octavo::augment::Operations flip_crop_cutout = {augment::RandomCrop{}, augment::HorizontalFlip{},
                                                        augment::Cutout{}};
  std::vector<Recipe> all;
  for (const SampleShape& shape : {SampleShape{3, 32, 32}, SampleShape{3, 224, 224}}) {
    const std::string size = std::to_string(shape.height) + "x" + std::to_string(shape.width);
    for (const auto type : {octavo::DType::float32, octavo::DType::bfloat16}) {
      const auto add = [&](const char* name, const augment::Operations& operations) {
        BatchSpec spec{.augment = operations, .augment_seed = 3};
        spec.dtype = type;
        all.push_back({"3x" + size + " " + octavo::to_string(type) + ", " + name, shape, spec});
      };
      add("plain", {});
      add("flip", flip);
      add("crop, flip", flip_crop);
      add("crop, flip, cutout", flip_crop_cutout);
    }
  }
  for (const bool antialias : {true, false}) {
    const std::string kind = antialias ? "" : ", not antialiased";
    const SampleShape shape = {3, 256, 256};
    const auto add = [&](const std::string& name, const augment::Operations& operations) {
      all.push_back({"3x256x256 float32, " + name + kind, shape, BatchSpec{.augment = operations, .augment_seed = 3}});
    };
    if (antialias) add("plain", {});
    add("resized crop 224, flip",
        {augment::RandomResizedCrop{.size = {224, 224}, .antialias = antialias}, augment::HorizontalFlip{}});
    add("resized crop 224 bicubic, flip",
        {augment::RandomResizedCrop{
             .size = {224, 224}, .antialias = antialias, .interpolation = augment::ResizeFilter::bicubic},
         augment::HorizontalFlip{}});
    if (antialias) {
      const auto add_changed = [&](const std::string& change, const augment::Operation& operation) {
        add("resized crop 224, flip, " + change,
            {augment::RandomResizedCrop{.size = {224, 224}}, augment::HorizontalFlip{}, operation});
      };
      add_changed("color jitter",
                  augment::ColorJitter{
                      .brightness = {0.6, 1.4}, .contrast = {0.6, 1.4}, .saturation = {0.6, 1.4}, .hue = {-0.1, 0.1}});
      add_changed("TrivialAugment", augment::TrivialAugment{});
      add_changed("RandAugment", augment::RandAugment{});
      add_changed("affine, bilinear", augment::Affine{.degrees = {-15.0, 15.0},
                                                      .scale = {0.9, 1.1},
                                                      .interpolation = augment::Interpolation::bilinear});
      add_changed("Gaussian blur 23", augment::GaussianBlur{.kernel_size = 23});
    }
    add("resize 232, center crop 224", {augment::Resize{.size = augment::Size{232, 232}, .antialias = antialias},
                                        augment::CenterCrop{.size = {224, 224}}});
  }
  return all;
}

/// Memory and arguments of the measured gathers.
class Bench {
 public:
  explicit Bench(std::size_t bytes) : bytes_(bytes), data_(make_big_memory(bytes)), out_(make_big_memory(bytes)) {}

  GatherArgs args(const Recipe& recipe, const AugmentProgram* program) {
    const std::int64_t N = static_cast<std::int64_t>(bytes_) / recipe.shape.values();
    const octavo::BatchShape batch = octavo::batch_shape(recipe.spec, recipe.shape);
    GatherArgs args{};
    args.packed.codes = reinterpret_cast<const std::int8_t*>(data_.get());
    args.packed.resident_count = N;
    args.packed.row_stride_bytes = recipe.shape.values();
    args.set_shapes(recipe.shape, batch);
    ++epoch_;
    args.selection = rows_in_order(make_order_key(N, 1, epoch_, true), 0, epoch_);
    args.batch_count = std::min(N, static_cast<std::int64_t>(bytes_) / batch.bytes());
    args.maps = maps_;
    args.values = out_.get();
    args.augment.program = program;
    return args;
  }

  std::int64_t image_count(const Recipe& recipe) { return args(recipe, nullptr).batch_count; }

  /// Checks that the fast path gives the bits of the portable one.
  void check(const Recipe& recipe) {
    const AugmentProgram program = octavo::augment::make_program(recipe.spec, recipe.shape);
    GatherArgs args = this->args(recipe, &program);
    args.batch_count = std::min<std::int64_t>(args.batch_count, 50);
    const auto bytes = static_cast<std::size_t>(args.batch_count * args.batch.bytes());
    std::vector<std::byte> memory(static_cast<std::size_t>(cpu::portable_scratch_bytes(args)));
    cpu::gather_portable(args, 0, args.batch_count, memory.data());
    const std::vector<std::byte> expected(out_.get(), out_.get() + bytes);
    std::memset(out_.get(), 0xEE, bytes);
    gather(args, 0, args.batch_count);
    require(std::memcmp(out_.get(), expected.data(), expected.size()) == 0, recipe.name);
  }

  Subject measured(const Recipe& recipe, int thread_count) {
    auto program = std::make_shared<AugmentProgram>(octavo::augment::make_program(recipe.spec, recipe.shape));
    const GatherArgs first = args(recipe, program.get());
    const std::int64_t code_bytes = first.batch_count * recipe.shape.values();
    return {recipe.name, static_cast<double>(code_bytes + first.batch_count * first.batch.bytes()), [=, this, &recipe] {
              const GatherArgs args = this->args(recipe, program.get());  // a different epoch each time
              return run_team(thread_count, [&](int thread) {
                gather(args, args.batch_count * thread / thread_count, args.batch_count * (thread + 1) / thread_count);
              });
            }};
  }

 private:
  static void gather(const GatherArgs& args, std::int64_t first, std::int64_t last) {
    if (args.augment.program->op_count == 0) {
      GatherArgs plain = args;
      plain.augment.program = nullptr;
      return cpu::gather(plain, first, last, cpu::Stores::streaming);
    }
    std::vector<std::byte> memory(static_cast<std::size_t>(cpu::augment_scratch_bytes(args) + cpu::kScratchAlignment));
    void* scratch = memory.data();
    std::size_t space = memory.size();
    std::align(cpu::kScratchAlignment, static_cast<std::size_t>(cpu::augment_scratch_bytes(args)), scratch, space);
    cpu::gather_augmented(args, first, last, cpu::Stores::streaming, static_cast<std::byte*>(scratch));
  }

  std::size_t bytes_;
  BigMemory data_, out_;
  Affine maps_[3] = {{1.0f / 58.4f, 0.12f}, {1.0f / 57.1f, 0.11f}, {1.0f / 57.4f, 0.1f}};
  std::uint64_t epoch_ = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  const long mebibytes = option(argc, argv, "--mib", 1024);
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 7));
  Results results("augmented", argc, argv);
  Bench bench(static_cast<std::size_t>(mebibytes) << 20);
  results.note("target", cpu::gather_target_name());
  std::printf("augmented gather with %s, %ld MiB of samples, %ld MiB of output, median of %d\n",
              cpu::gather_target_name(), mebibytes, mebibytes, rounds);
  const std::vector<Recipe> all_recipes = recipes();
  for (const Recipe& recipe : all_recipes) bench.check(recipe);
  const int all = thread_count_of_process();
  for (const int threads : all == 1 ? std::vector{1} : std::vector{1, all}) {
    std::vector<Subject> subjects;
    for (const Recipe& recipe : all_recipes) subjects.push_back(bench.measured(recipe, threads));
    const std::vector<Measurement> measured = measure(subjects, rounds);
    results.section(std::to_string(threads) + " thread" + (threads == 1 ? "" : "s") +
                    ", speed as a fraction of the plain gather");
    double plain = 0.0;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      if (all_recipes[i].spec.augment.empty()) plain = measured[i].bytes_per_second();
      const double images_per_second =
          static_cast<double>(bench.image_count(all_recipes[i])) / measured[i].median_seconds;
      results.add(measured[i], plain, {{"images_per_second", images_per_second}});
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_augmented: %s\n", error.what());
  return 1;
}
