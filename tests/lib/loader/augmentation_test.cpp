// Augmented batches: the same bits from every residency and device, and the shapes and errors of augmentations.
#include <octavo/augment.hpp>

#include <octavo/batch_shape.hpp>
#include <octavo/errors.hpp>
#include <octavo/graph_loader.hpp>
#include <octavo/loader.hpp>
#include <octavo/recipes.hpp>

#include "catch.hpp"
#include "device_tensor.hpp"
#include "devices.hpp"
#include "packed_fixture.hpp"
#include "served.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// Operations that move pixels, and such that make whole images between others.
std::vector<augment::Operations> operation_lists() {
  return {
      {augment::AlternatingFlip{}, augment::RandomCrop{.size = {{9, 8}}, .padding = 3, .border = augment::Border::edge},
       augment::VerticalFlip{}, augment::Cutout{.size = 3, .inside = false, .normalized = false, .value = {17}},
       augment::CenterCrop{.size = {7, 10}}, augment::RandomResizedCrop{.size = {8, 11}}, augment::HorizontalFlip{},
       augment::NormalizedJitter{.shift = {-0.1, 0.1}, .factor = {0.9, 1.1}},
       augment::RandomErasing{.probability = 0.7, .value = {-1}}},
      {augment::Resize{.size = augment::Size{12, 10}},
       augment::Affine{
           .degrees = {-20.0, 20.0}, .scale = {0.8, 1.2}, .interpolation = augment::Interpolation::bilinear},
       augment::ColorJitter{
           .brightness = {0.5, 1.5}, .contrast = {0.5, 1.5}, .saturation = {0.5, 2.0}, .hue = {-0.1, 0.1}},
       augment::RandomResizedCrop{.size = {8, 11}}, augment::GaussianBlur{}, augment::TrivialAugment{},
       augment::RandAugment{}, augment::TimmRandAugment{}, augment::HorizontalFlip{}, augment::Cutout{}}};
}

LoaderOptions augmented_options(const augment::Operations& operations, Layout layout) {
  LoaderOptions options{.batch_size = 8, .shuffle = Shuffle::windows(30), .seed = 5};
  options.spec.augment = operations;
  options.spec.augment_seed = 77;
  options.spec.views = layout == Layout::nchw ? 1 : 2;
  options.spec.layout = layout;
  return options;
}

/// Mixes the samples of batches.
void mix(BatchSpec& spec) {
  spec.views = 1;
  spec.with_masks = false;
  spec.mix = augment::Mix{.mixup_alpha = 0.2, .cutmix_alpha = 1.0, .per_sample = true};
  spec.soft_classes = 12;  // more than there are, so that some have only their share of the smoothing
  spec.label_smoothing = 0.1;
}

void residencies_augment_alike(Device device) {
  const PackedFixture fixture({masked_split("train", 101, {3, 7, 7})});
  const Split split = fixture.dataset().split("train");
  const Store reference = Store::load(split, Device::cpu(), {.residency = Residency::device});
  for (const LoadOptions& load :
       {LoadOptions{.residency = Residency::device}, LoadOptions{.residency = Residency::hybrid, .resident_count = 33},
        LoadOptions{.residency = Residency::streamed},
        LoadOptions{.residency = Residency::window, .window_samples = 30}}) {
    const Store store = Store::load(split, device, load);
    INFO(to_string(store.residency()));
    for (const augment::Operations& operations : operation_lists()) {
      for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
        LoaderOptions options = augmented_options(operations, layout);
        options.spec.mask_dtype = layout == Layout::nchw ? DType::uint8 : DType::int64;
        const Served expected = serve(reference, options);
        REQUIRE_FALSE(expected.masks.empty());
        REQUIRE(serve(store, options) == expected);
        mix(options.spec);
        REQUIRE(serve(store, options) == serve(reference, options));
        if (store.residency() == Residency::window) continue;
        options.shuffle = true;
        options.sampling = {
            .indices = {7, 3, 100, 55, 21, 20, 44}, .weights = {1, 2, 0, 4, 1, 1, 9}, .samples_per_epoch = 30};
        REQUIRE(serve(store, options) == serve(reference, options));
        options.sampling = {.groups = std::vector<std::int64_t>(101, 0), .repeats = 2};
        REQUIRE(serve(store, options) == serve(reference, options));
      }
    }
  }
}

void graphs_augment_alike(Device device) {
  const PackedFixture fixture({random_split("train", 36, {3, 6, 5})});
  const Store store = Store::load(fixture.dataset().split("train"), device, {.residency = Residency::device});
  for (const augment::Operations& operations : operation_lists()) {
    LoaderOptions options{.batch_size = 9, .shuffle = true, .seed = 9, .drop_last = true};
    options.spec.augment = operations;
    mix(options.spec);
    const std::int64_t classes = options.spec.soft_classes;
    GraphLoader graph(store, options, 2);
    Loader loader(store, options);
    const DeviceTensor images(device, DType::float32, {18, 3, 8, 11}), labels(device, DType::float32, {18, classes});
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      std::vector<float> made_images, made_labels;
      for (const Batch& batch : loader.epoch(epoch)) {
        const auto append = [](std::vector<float>& to, const std::vector<float>& more) {
          to.insert(to.end(), more.begin(), more.end());
        };
        append(made_images, DeviceTensor::read<float>(batch.images()));
        append(made_labels, DeviceTensor::read<float>(batch.labels()));
        if (made_labels.size() < static_cast<std::size_t>(18 * classes)) continue;
        graph.next(images.view(), labels.view());
        REQUIRE(images.to_host<float>() == std::exchange(made_images, {}));
        REQUIRE(labels.to_host<float>() == std::exchange(made_labels, {}));
      }
    }
  }
}

void graphs_make_masks(Device device) {
  const PackedFixture fixture({masked_split("train", 36, {3, 6, 5})});
  const Store store = Store::load(fixture.dataset().split("train"), device, {.residency = Residency::device});
  LoaderOptions options{.batch_size = 9, .shuffle = true, .seed = 9, .drop_last = true};
  options.spec.augment = operation_lists()[0];
  GraphLoader graph(store, options);
  Loader loader(store, options);
  const DeviceTensor images(device, DType::float32, {9, 3, 8, 11}), masks(device, DType::uint8, {9, 8, 11});
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    for (const Batch& batch : loader.epoch(epoch)) {
      graph.next(images.view(), {}, {}, masks.view());
      REQUIRE(images.to_host<float>() == DeviceTensor::read<float>(batch.images()));
      REQUIRE(masks.to_host<std::uint8_t>() == DeviceTensor::read<std::uint8_t>(batch.masks()));
    }
  }
}

}  // namespace

OCTAVO_CONTRACT(graphs_make_masks, "a graph loader makes the masks of a loader", "[unit][loader]")
OCTAVO_CONTRACT(residencies_augment_alike, "every residency serves the same augmented batches",
                "[unit][loader][many-batches]")
OCTAVO_CONTRACT(graphs_augment_alike, "a graph loader augments like a loader", "[unit][loader]")

TEST_CASE("operations determine the shape of batches", "[unit][loader]") {
  BatchSpec spec;
  spec.augment = operation_lists()[0];
  spec.views = 2;
  const BatchShape shape = batch_shape(spec, {3, 32, 32});
  REQUIRE(shape.image == SampleShape{3, 8, 11});
  REQUIRE(shape.axes(5) == std::vector<std::int64_t>{5, 2, 3, 8, 11});
  spec.layout = Layout::nhwc;
  REQUIRE(batch_shape(spec, {3, 32, 32}).axes(5) == std::vector<std::int64_t>{5, 2, 8, 11, 3});
}

TEST_CASE("masks have the shape of their images", "[unit][loader]") {
  const PackedFixture fixture({masked_split("train", 20, {3, 9, 10})});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  LoaderOptions options{.batch_size = 6};
  options.spec.augment = operation_lists()[0];
  Loader loader(store, options);
  REQUIRE(loader.epoch(0).begin()->masks().shape == std::vector<std::int64_t>{6, 8, 11});
  options.spec.views = 2;
  Loader views(store, options);
  REQUIRE(views.epoch(0).begin()->masks().shape == std::vector<std::int64_t>{6, 2, 8, 11});
}

TEST_CASE("batches have no masks if they are not loaded or not wanted", "[unit][loader]") {
  const PackedFixture fixture({masked_split("train", 20, {3, 9, 10})}, Compression::none);
  const Split split = fixture.dataset().split("train");
  const Store store = Store::load(split, Device::cpu());
  const Store without = Store::load(split, Device::cpu(), {.with_masks = false});
  REQUIRE(store.device_bytes() - without.device_bytes() == 20 * 90);
  LoaderOptions options{.batch_size = 6};
  Loader loader(without, options);
  REQUIRE(loader.epoch(0).begin()->masks().data == nullptr);
  options.spec.with_masks = false;
  Loader unwanted(store, options);
  REQUIRE(unwanted.epoch(0).begin()->masks().data == nullptr);
  const DeviceTensor images(Device::cpu(), DType::float32, {1, 3, 9, 10}), masks(Device::cpu(), DType::uint8, {90});
  const std::int64_t row = 3;
  REQUIRE_THROWS_WITH(without.gather({&row, 1}, BatchSpec{}, images.view(), {}, {}, 0, masks.view()),
                      ContainsSubstring("the samples have no masks"));
  REQUIRE_THROWS_WITH(
      store.gather({&row, 1}, BatchSpec{.mask_dtype = DType::int64}, images.view(), {}, {}, 0, masks.view()),
      ContainsSubstring("the tensor for masks has type uint8; expected int64"));
}

TEST_CASE("specifications of masks are checked", "[unit][loader]") {
  const PackedFixture fixture({masked_split("train", 20, {3, 9, 10})});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  REQUIRE_THROWS_WITH(store.prepare({.mask_dtype = DType::float32}),
                      ContainsSubstring("masks cannot have the type float32; expected uint8 or int64"));
  REQUIRE_THROWS_WITH(store.prepare({.ignored_mask_value = 256}), ContainsSubstring("256 is not a uint8"));
  BatchSpec spec;
  spec.mix = augment::Mix{.mixup_alpha = 0.2};
  spec.soft_classes = 10;
  REQUIRE_THROWS_WITH(store.prepare(spec), ContainsSubstring("samples with masks cannot be mixed"));
}

TEST_CASE("operations are described as in Python", "[unit][loader]") {
  REQUIRE(augment::describe({}).empty());
  REQUIRE(augment::describe(operation_lists()[0]) ==
          "AlternatingFlip(), RandomCrop(size=(9, 8), padding=3, border='edge'), VerticalFlip(), Cutout(size=3, "
          "inside=False, normalized=False, value=17), CenterCrop(size=(7, 10)), RandomResizedCrop(size=(8, 11)), "
          "HorizontalFlip(), NormalizedJitter(shift=(-0.1, 0.1), factor=(0.9, 1.1)), "
          "RandomErasing(probability=0.7, value=-1)");
  REQUIRE(augment::describe({augment::Resize{.size = 9}, augment::RandomCrop{.fill = {1.0, 2.5, 0.1}}}) ==
          "Resize(size=9), RandomCrop(fill=(1, 2.5, 0.1))");
}

TEST_CASE("operations that make whole images are described", "[unit][loader]") {
  REQUIRE(augment::describe(operation_lists()[1]) ==
          "Resize(size=(12, 10)), Affine(degrees=(-20, 20), scale=(0.8, 1.2), interpolation='bilinear'), "
          "ColorJitter(brightness=(0.5, 1.5), contrast=(0.5, 1.5), saturation=(0.5, 2), hue=(-0.1, 0.1)), "
          "RandomResizedCrop(size=(8, 11)), GaussianBlur(), TrivialAugment(), RandAugment(), TimmRandAugment(), "
          "HorizontalFlip(), Cutout()");
}

TEST_CASE("operations are parsed as on the command line", "[unit][loader]") {
  const auto [text, operations] = GENERATE(table<std::string, std::string>({
      {"", ""},
      {"crop:2, flip:1,cutout:6,resized-crop:8x9,rand:1:5",
       "RandomCrop(padding=2), HorizontalFlip(probability=1), Cutout(size=6), RandomResizedCrop(size=(8, 9)), "
       "RandAugment(count=1, magnitude=5)"},
      {"jitter:0.4,affine:10",
       "ColorJitter(brightness=(0.6, 1.4), contrast=(0.6, 1.4), saturation=(0.6, 1.4), hue=(-0.1, 0.1)), "
       "Affine(degrees=(-10, 10), interpolation='bilinear')"},
      {"alternating-flip,vertical-flip,center-crop:7,resize:9,erase,grayscale,blur,trivial,timm-rand:1:7",
       "AlternatingFlip(), VerticalFlip(), CenterCrop(size=(7, 7)), Resize(size=9), RandomErasing(), Grayscale(), "
       "GaussianBlur(), TrivialAugment(), TimmRandAugment(count=1, magnitude=7)"},
      {"crop:padding=2:border=constant:fill=1/2/3:size=5x6,resize:8x9:antialias=false:interpolation=bicubic",
       "RandomCrop(size=(5, 6), padding=2, border='constant', fill=(1, 2, 3)), "
       "Resize(size=(8, 9), antialias=False, interpolation='bicubic')"},
      {"gamma:1.5,gamma:0.5..2,affine:5:shear_x=3,sharpness:0:probability=1",
       "Gamma(gamma=(1.5, 1.5)), Gamma(gamma=(0.5, 2)), "
       "Affine(degrees=(-5, 5), shear_x=(-3, 3), interpolation='bilinear'), "
       "Sharpness(factor=(0, 0), probability=1)"},
      {"jitter:0:brightness=1.5", "ColorJitter(brightness=(0, 2.5))"},
  }));
  REQUIRE(augment::describe(augment::parse(text)) == operations);
}

TEST_CASE("the forms of all operations are listed", "[unit][loader]") {
  const std::string text = augment::spellings();
  for (const char* form :
       {"flip[:PROBABILITY]", "crop[:PADDING]", "resize:SIZE", "rand[:COUNT[:MAGNITUDE]]", "jitter[:STRENGTH]"}) {
    REQUIRE_THAT(text, ContainsSubstring(form));
  }
}

TEST_CASE("text that is no operation is refused with the reason", "[unit][loader]") {
  const auto [text, reason] = GENERATE(table<std::string, std::string>({
      {"spin", "it is unknown; expected flip, alternating-flip"},
      {"flip,", "parse the operation \"\": it is unknown"},
      {"flip:often", "\"often\" is not a number"},
      {"flip:nan", "\"nan\" is not a number"},
      {"crop:1.5", "\"1.5\" is not a whole number"},
      {"crop:1:2", "expected crop[:PADDING]"},
      {"alternating-flip:1", "expected alternating-flip"},
      {"resize", "give its size, such as resize:224"},
      {"resize:antialias=true", "give its size, such as resize:224"},
      {"resize:1x2x3", "a size is N or HxW"},
      {"resize:3x", "\"\" is not a number"},
      {"crop:edges=2", "it has no parameter \"edges\"; expected size, padding, border or fill"},
      {"crop:border=mirror", "border is \"mirror\"; expected constant, edge or reflect"},
      {"resize:8:antialias=1", "\"1\" is neither true nor false"},
      {"erase:area=0.5", "area has two numbers, LOW..HIGH"},
  }));
  REQUIRE_THROWS_WITH(augment::parse(text), ContainsSubstring(reason));
}

TEST_CASE("numbers beyond their limits are refused", "[unit][loader]") {
  const auto [text, reason] = GENERATE(table<std::string, std::string>({
      {"flip:1.5", "augment, HorizontalFlip(probability=1.5): probability is 1.5; expected 0 to 1"},
      {"solarize:257", "threshold is 257; expected 0 to 256"},
      {"crop:-1", "padding is -1; expected 0 to 16777216"},
      {"center-crop:0", "size is (0, 0); expected sides of 1 to 16777216 pixels"},
      {"erase:area=0..1", "area is (0, 1); expected numbers above 0 and at most 1"},
      {"erase:ratio=2..1", "ratio is (2, 1); expected two numbers in ascending order"},
      {"jitter:8", "brightness is (0, 9); expected numbers at least 0 and below 8"},
      {"gamma:0", "gamma is (0, 0); expected numbers of 0.01 to 100"},
      {"crop:fill=1/256/3", "fill is (1, 256, 3); expected numbers of 0 to 255"},
  }));
  REQUIRE_THROWS_WITH(augment::augmented_shape(augment::parse(text), {3, 32, 32}), ContainsSubstring(reason));
}

TEST_CASE("recipes have the names of their table", "[unit][loader]") {
  for (const RecipeInfo& info : kRecipes) {
    const Recipe recipe = make_recipe(info.name, 10);
    REQUIRE(recipe.batch_size > 0);
    REQUIRE_FALSE(recipe.train.augment.empty());
    REQUIRE(make_recipe(info.name).train.soft_classes == 0);
  }
  REQUIRE_THROWS_WITH(make_recipe("airbench"), ContainsSubstring("unknown recipe \"airbench\"; expected airbench94"));
}

TEST_CASE("mixing is described in one line", "[unit][loader]") {
  REQUIRE(augment::describe_mix({.mixup_alpha = 0.2, .cutmix_alpha = 1.0}) == "Mix(mixup_alpha=0.2, cutmix_alpha=1)");
  REQUIRE(augment::describe_mix(
              {.cutmix_alpha = 1.0, .probability = 0.5, .partner = augment::Partner::shuffled, .per_sample = true}) ==
          "Mix(cutmix_alpha=1, probability=0.5, partner='shuffled', per_sample=True)");
}

TEST_CASE("an epoch beyond the counter of random numbers is refused", "[unit][loader]") {
  const PackedFixture fixture({random_split("train", 20, {1, 6, 5})});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  Loader loader(store, {.batch_size = 5, .spec = {.augment = {augment::HorizontalFlip{}}}});
  REQUIRE_NOTHROW(loader.epoch((std::int64_t{1} << 32) - 1).begin());
  REQUIRE_THROWS_WITH(loader.epoch(std::int64_t{1} << 32).begin(), ContainsSubstring("epochs are below 2^32"));
}
