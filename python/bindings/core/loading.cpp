// Stores and batches.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <memory>
#include <octavo/batch_maker.hpp>
#include <octavo/batch_shape.hpp>
#include <octavo/errors.hpp>
#include <octavo/owned_tensor.hpp>
#include <octavo/recipes.hpp>
#include <octavo/residency.hpp>
#include <octavo/store.hpp>
#include <octavo/text.hpp>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/module.hpp"
#include "core/recycled_memory.hpp"
#include "core/tensors.hpp"
#include "support/arrays.hpp"
#include "support/gil.hpp"
#include "support/interruptible.hpp"

namespace octavo::python {
namespace {

using namespace nb::literals;

/// The spec with these settings; the values are used only with the rule "values".
BatchSpec make_spec(const std::string& center, const std::vector<double>& center_values, const std::string& divisor,
                    const std::vector<double>& divisor_values, bool of_stored_values,
                    const std::optional<Statistics>& statistics, const std::string& dtype, const std::string& layout) {
  BatchSpec spec;
  spec.center = value_of<Center>(center, "center",
                                 {{"none", Center::none},
                                  {"dataset", Center::dataset},
                                  {"channel", Center::channel},
                                  {"pixel", Center::pixel},
                                  {"batch", Center::batch},
                                  {"values", Center::values}});
  spec.center_values = center_values;
  spec.divisor =
      value_of<Divisor>(divisor, "divisor", {{"std", Divisor::standard_deviation}, {"values", Divisor::values}});
  spec.divisor_values = divisor_values;
  spec.of_stored_values = of_stored_values;
  spec.statistics = statistics;
  spec.dtype = dtype_of(dtype, "dtype");
  spec.layout = row_of(kLayouts, layout, "layout").layout;
  return spec;
}

Store load(const Split& split, const std::string& device, bool verify_checksums, bool with_masks, int thread_count,
           const nb::object& on_progress, const std::string& residency, std::int64_t memory_limit_bytes,
           std::int64_t resident_count, std::int64_t window_samples) {
  return interruptibly(on_progress, [&](const ProgressFunction& progress) {
    return Store::load(split, Device::parse(device),
                       {verify_checksums, with_masks, thread_count, progress, parse_residency(residency),
                        memory_limit_bytes, resident_count, window_samples});
  });
}

/// Keeps a Python object alive; the last owner may release it on any thread.
std::shared_ptr<const void> owner_of(nb::object object) {
  return {new nb::object(std::move(object)), [](const void* pointer) {
            if (!Py_IsInitialized()) return;  // at process exit everything is freed anyway
            const nb::gil_scoped_acquire held;
            delete static_cast<const nb::object*>(pointer);
          }};
}

/// A store of `count` samples at these addresses, in memory that `owner` keeps alive.
Store load_from_memory(const nb::object& owner, std::uintptr_t codes, std::int64_t count,
                       const std::tuple<std::int64_t, std::int64_t, std::int64_t>& shape, std::uintptr_t labels,
                       const std::string& label_kind, std::int64_t label_width,
                       const std::vector<std::string>& class_names, bool copy, const std::string& device,
                       int thread_count, const std::string& residency, std::int64_t memory_limit_bytes,
                       std::int64_t resident_count, std::int64_t window_samples) {
  HostSamples samples;
  samples.shape = {std::get<0>(shape), std::get<1>(shape), std::get<2>(shape)};
  samples.labels = {row_of(kLabelKinds, label_kind, "label_kind").kind, label_width};
  samples.codes = {reinterpret_cast<const std::int8_t*>(codes),
                   static_cast<std::size_t>(count * samples.shape.values())};
  samples.label_bytes = {reinterpret_cast<const std::byte*>(labels),
                         static_cast<std::size_t>(count * samples.labels.bytes_per_sample())};
  samples.class_names = class_names;
  samples.owner = owner_of(owner);
  const LoadOptions options{.verify_checksums = false,
                            .thread_count = thread_count,
                            .residency = parse_residency(residency),
                            .memory_limit_bytes = memory_limit_bytes,
                            .resident_count = resident_count,
                            .window_samples = window_samples};
  const GilRelease released;
  return Store::load(samples, copy ? HostMemory::copy : HostMemory::borrow, Device::parse(device), options);
}

void add_store(nb::module_& module) {
  module.attr("image_dtypes") = nb::tuple(nb::cast(image_type_names()));
  module.attr("label_dtypes") = nb::tuple(nb::cast(label_type_names()));
  module.attr("mask_dtypes") = nb::tuple(nb::cast(mask_type_names()));
  module.attr("residencies") = nb::tuple(nb::cast(names_of(kResidencies)));
  nb::dict presets;
  for (const PresetInfo& info : kPresets) presets[info.name] = describe(BatchSpec::preset(info.name));
  module.attr("presets") = presets;
  nb::class_<BatchSpec>(module, "BatchSpec", "Everything that defines a batch's values.")
      .def(
          "__init__",
          [](BatchSpec* self, const std::string& center, const std::vector<double>& center_values,
             const std::string& divisor, const std::vector<double>& divisor_values, bool of_stored_values,
             const std::optional<Statistics>& statistics, const std::string& dtype, const std::string& layout) {
            new (self) BatchSpec(
                make_spec(center, center_values, divisor, divisor_values, of_stored_values, statistics, dtype, layout));
          },
          "center"_a, "center_values"_a, "divisor"_a, "divisor_values"_a, "of_stored_values"_a, "statistics"_a.none(),
          "dtype"_a, "layout"_a)
      .def(
          "augment",
          [](BatchSpec& self, const augment::Operations& operations, std::uint64_t seed, std::int64_t views) {
            self.augment = operations;
            self.augment_seed = seed;
            self.views = views;
          },
          "operations"_a, "seed"_a, "views"_a, "Sets the augmentation.")
      .def(
          "set_masks",
          [](BatchSpec& self, const std::string& dtype, std::int64_t ignored_value) {
            self.mask_dtype = dtype_of(dtype, "mask_dtype");
            self.ignored_mask_value = ignored_value;
          },
          "dtype"_a, "ignored_value"_a, "Sets the type of masks, and the value of pixels beyond the edge of an image.")
      .def(
          "omit_masks", [](BatchSpec& self) { self.with_masks = false; }, "Makes batches without masks.")
      .def(
          "soften_labels",
          [](BatchSpec& self, const std::optional<augment::Mix>& mix, std::int64_t classes, double smoothing) {
            self.mix = mix;
            self.soft_classes = classes;
            self.label_smoothing = smoothing;
          },
          "mix"_a.none(), "classes"_a, "smoothing"_a, "Makes labels probabilities of `classes` classes.")
      .def(
          "image_shape",
          [](const BatchSpec& self, const std::tuple<std::int64_t, std::int64_t, std::int64_t>& sample) {
            const auto& [channels, height, width] = sample;
            const SampleShape image = batch_shape(self, {channels, height, width}).image;
            return std::tuple(image.channels, image.height, image.width);
          },
          "sample_shape"_a, "(C, H, W) of the images of batches from samples of this shape.")
      .def("__str__", &describe);
  module.def(
      "make_recipe",
      [](const std::string& name, std::int64_t class_count, std::int64_t epoch) {
        const Recipe recipe = make_recipe(name, class_count, epoch);
        return nb::make_tuple(recipe.batch_size, recipe.train, recipe.evaluation_batch_size, recipe.evaluation,
                              recipe.view_weights);
      },
      "name"_a, "class_count"_a, "epoch"_a,
      "Batch size and spec for training and for evaluation, and the weights of the views: the recipe of the program.");
  nb::class_<PreparedSpec>(module, "PreparedSpec", "A BatchSpec folded for one store.");
  nb::class_<Store>(module, "Store", "The samples of a split in the memory of a device.")
      .def_static("load", &load, "split"_a, "device"_a, "verify_checksums"_a, "with_masks"_a, "thread_count"_a,
                  "on_progress"_a.none(), "residency"_a, "memory_limit_bytes"_a, "resident_count"_a, "window_samples"_a)
      .def_static("load_from_memory", &load_from_memory, "owner"_a, "codes"_a, "count"_a, "shape"_a, "labels"_a,
                  "label_kind"_a, "label_width"_a, "class_names"_a, "copy"_a, "device"_a, "thread_count"_a,
                  "residency"_a, "memory_limit_bytes"_a, "resident_count"_a, "window_samples"_a)
      .def_prop_ro("device", [](const Store& store) { return to_string(store.device()); })
      .def_prop_ro("sample_count", &Store::sample_count)
      .def_prop_ro("device_bytes", &Store::device_bytes)
      .def_prop_ro("has_masks", &Store::has_masks)
      .def_prop_ro("residency", [](const Store& store) { return to_string(store.residency()); })
      .def_prop_ro("residency_reason", &Store::residency_reason)
      .def_prop_ro("resident_count", &Store::resident_count)
      .def_prop_ro("window_samples", &Store::window_samples)
      .def_prop_ro("statistics_split", &Store::statistics_split)
      .def("prepare", &Store::prepare, "spec"_a, nb::call_guard<GilRelease>())
      .def(
          "gather",
          [](const Store& store, const std::vector<std::int64_t>& rows, const PreparedSpec& spec, std::uintptr_t images,
             const std::vector<std::int64_t>& image_shape, std::uintptr_t labels, const std::string& label_dtype,
             std::uintptr_t masks, std::uintptr_t stream, std::int64_t epoch) {
            const GilRelease released;
            const auto count = static_cast<std::int64_t>(rows.size());
            const TensorView image_view{reinterpret_cast<void*>(images), spec.spec().dtype, image_shape,
                                        store.device()};
            const TensorView label_view{reinterpret_cast<void*>(labels),
                                        dtype_of(label_dtype, "label_dtype"),
                                        {count, batch_labels(spec.spec(), store.labels()).width},
                                        store.device()};
            const BatchShape shape = batch_shape(spec.spec(), store.shape());
            const TensorView mask_view{reinterpret_cast<void*>(masks), spec.spec().mask_dtype, shape.mask_axes(count),
                                       store.device()};
            store.gather(rows, spec, image_view, label_view, StreamRef(reinterpret_cast<void*>(stream)), epoch,
                         mask_view);
          },
          "rows"_a, "spec"_a, "images"_a, "image_shape"_a, "labels"_a, "label_dtype"_a, "masks"_a, "stream"_a,
          "epoch"_a,
          "Writes a batch of these rows to addresses. Those of labels and masks may be 0. The caller guarantees enough "
          "memory there.");
}

/// Sets a list of a Sampling from an array of its type, without a Python object for each number.
template <auto Field>
void set_numbers(Sampling& sampling,
                 nb::ndarray<const typename std::remove_reference_t<decltype(sampling.*Field)>::value_type, nb::ndim<1>,
                             nb::c_contig, nb::device::cpu>
                     numbers) {
  (sampling.*Field).assign(numbers.data(), numbers.data() + numbers.size());
}

void init_options(LoaderOptions* options, const BatchSpec& spec, std::int64_t batch_size, const std::string& shuffle,
                  std::uint64_t seed, bool drop_last, bool carry_over, std::int64_t rank, std::int64_t world_size,
                  bool equal_shares, std::pair<std::int64_t, std::int64_t> origin, const Sampling& sampling,
                  int prefetch) {
  new (options) LoaderOptions{.batch_size = batch_size,
                              .shuffle = parse_shuffle(shuffle),
                              .seed = seed,
                              .drop_last = drop_last,
                              .carry_over = carry_over,
                              .rank = rank,
                              .world_size = world_size,
                              .equal_shares = equal_shares,
                              .origin = {origin.first, origin.second},
                              .spec = spec,
                              .sampling = sampling,
                              .prefetch = prefetch};
}

/// A BatchMaker and the types of its batches.
class Maker {
 public:
  Maker(const Store& store, const LoaderOptions& options, const std::string& label_dtype)
      : device_(store.device()),
        shape_(batch_shape(options.spec, store.shape())),
        labels_(batch_labels(options.spec, store.labels())),
        label_dtype_(dtype_of(label_dtype, "label_dtype")),
        mask_dtype_(options.spec.mask_dtype),
        has_masks_(store.has_masks() && options.spec.with_masks),
        maker_(store, options),
        memory_{std::make_shared<RecycledMemory>(maker_.largest_batch_count() * shape_.bytes())},
        mask_memory_{std::make_shared<RecycledMemory>(maker_.largest_batch_count() * mask_bytes())},
        tensors_(device_) {}

  Maker(const Maker&) = delete;
  Maker& operator=(const Maker&) = delete;

  std::int64_t batches_per_epoch(std::int64_t epoch) const { return maker_.batches_per_epoch(epoch); }
  std::string shuffle() const { return to_string(maker_.options().shuffle); }
  int prefetch() const { return maker_.options().prefetch; }
  std::int64_t largest_batch_bytes() const { return memory_.pool->block_bytes(); }
  std::int64_t largest_mask_bytes() const { return mask_memory_.pool->block_bytes(); }
  std::int64_t batch_count(std::int64_t epoch, std::int64_t step) const { return maker_.batch_count(epoch, step); }
  std::int64_t device_bytes() const { return maker_.device_bytes(); }
  NumpyArray<std::int64_t> rows(std::int64_t epoch, std::int64_t step) const {
    const std::vector<std::int64_t> rows = maker_.rows(epoch, step);
    return to_numpy(rows, {rows.size()});
  }

  /// What the samples of a batch draw: (index, views, mix) for each, a view being a list of (name, numbers).
  nb::list drawn(std::int64_t epoch, std::int64_t step) const {
    nb::list samples;
    for (const DrawnSample& sample : maker_.drawn(epoch, step)) {
      nb::list views;
      for (const std::vector<DrawnStep>& steps : sample.views) {
        nb::list made;
        for (const DrawnStep& one : steps) {
          nb::dict numbers;
          for (const auto& [name, value] : one.values) numbers[name.c_str()] = value;
          made.append(nb::make_tuple(one.name, numbers));
        }
        views.append(made);
      }
      samples.append(nb::make_tuple(sample.index, views, mix_of(sample)));
    }
    return samples;
  }
  /// (own, repeats, batch); see RankShare.
  std::tuple<std::int64_t, std::int64_t, std::int64_t> share(std::int64_t epoch, std::int64_t step) const {
    const RankShare share = maker_.share(epoch, step);
    return {share.own, share.repeats, share.batch};
  }
  /// (epoch, step) of the batch that begins after this many samples of an epoch; None if no batch does.
  std::optional<std::pair<std::int64_t, std::int64_t>> batch_at(std::int64_t epoch, std::int64_t samples) const {
    const auto state = maker_.state_at({epoch, samples});
    return state ? std::optional(std::pair(state->epoch, state->step)) : std::nullopt;
  }
  std::string state(std::int64_t epoch, std::int64_t step) const { return maker_.state(epoch, step).to_json(); }
  std::string fingerprint(std::int64_t epoch, bool with_pixels) const { return maker_.fingerprint(epoch, with_pixels); }

  /// Makes a batch at these addresses; the caller guarantees enough memory there. Address 0: no labels, no masks.
  void make(std::int64_t epoch, std::int64_t step, std::uintptr_t images, std::uintptr_t labels, std::uintptr_t masks,
            std::uintptr_t stream) const {
    const std::int64_t count = maker_.batch_count(epoch, step);
    maker_.make(epoch, step, {reinterpret_cast<void*>(images), shape_.dtype, {count, shape_.values()}, device_},
                {reinterpret_cast<void*>(labels), label_dtype_, {count, labels_.width}, device_},
                StreamRef(reinterpret_cast<void*>(stream)),
                {reinterpret_cast<void*>(masks), mask_dtype_, shape_.mask_axes(count), device_});
  }

  /// Makes a batch in host memory that is recycled once the images are released: a DLPack capsule with the axes
  /// [B,C,H,W] in either layout. Labels and masks are written to addresses, as in make().
  nb::object make_recycled(std::int64_t epoch, std::int64_t step, std::uintptr_t labels, std::uintptr_t masks) const {
    std::unique_ptr<RecycledMemory::Block> block = recycled(epoch, step, labels, masks);
    const std::array<std::size_t, 4> axes = {static_cast<std::size_t>(maker_.batch_count(epoch, step) * shape_.views),
                                             static_cast<std::size_t>(shape_.image.channels),
                                             static_cast<std::size_t>(shape_.image.height),
                                             static_cast<std::size_t>(shape_.image.width)};
    const std::vector<std::int64_t> strides = shape_.nchw_strides();
    void* data = block->data();
    return nb::cast(
        nb::ndarray<>(data, 4, axes.data(), owner_of(std::move(block)), strides.data(), dlpack_type(shape_.dtype)));
  }

  /// Host memory for the masks of a batch, recycled once they are released: a DLPack capsule with their axes.
  nb::object recycled_masks(std::int64_t epoch, std::int64_t step) const {
    std::unique_ptr<RecycledMemory::Block> block = mask_memory_.pool->take();
    const std::vector<std::int64_t> sizes = shape_.mask_axes(maker_.batch_count(epoch, step));
    const std::vector<std::size_t> axes(sizes.begin(), sizes.end());
    void* data = block->data();
    return nb::cast(
        nb::ndarray<>(data, axes.size(), axes.data(), owner_of(std::move(block)), nullptr, dlpack_type(mask_dtype_)));
  }

  /// The same as plain bytes, [bytes].
  NumpyArray<std::uint8_t> recycled_mask_bytes(std::int64_t epoch, std::int64_t step) const {
    std::unique_ptr<RecycledMemory::Block> block = mask_memory_.pool->take();
    const std::size_t bytes = static_cast<std::size_t>(maker_.batch_count(epoch, step) * mask_bytes());
    auto* data = static_cast<std::uint8_t*>(block->data());
    return NumpyArray<std::uint8_t>(data, {bytes}, owner_of(std::move(block)));
  }

  /// Makes a batch as plain bytes, [bytes], in recycled memory.
  NumpyArray<std::uint8_t> make_recycled_bytes(std::int64_t epoch, std::int64_t step, std::uintptr_t labels,
                                               std::uintptr_t masks) const {
    std::unique_ptr<RecycledMemory::Block> block = recycled(epoch, step, labels, masks);
    const std::size_t bytes = static_cast<std::size_t>(maker_.batch_count(epoch, step) * shape_.bytes());
    auto* data = static_cast<std::uint8_t*>(block->data());
    return NumpyArray<std::uint8_t>(data, {bytes}, owner_of(std::move(block)));
  }

  /// Makes a batch in tensors owned by the library, for any consumer of DLPack. They are complete on return, so any
  /// stream may use them.
  nb::tuple make_owned(std::int64_t epoch, std::int64_t step) const {
    const std::int64_t count = maker_.batch_count(epoch, step);
    std::optional<OwnedTensor> images, labels, masks;
    {
      const GilRelease released;
      images = tensors_.take(shape_.dtype, {count, shape_.values()});
      labels = tensors_.take(label_dtype_, {count, labels_.width});
      if (has_masks_) masks = tensors_.take(mask_dtype_, shape_.mask_axes(count));
      maker_.make(epoch, step, images->view(), labels->view(), {}, masks ? masks->view() : TensorView{});
      synchronize(device_);
    }
    nb::object image_array = to_dlpack(std::move(*images), shape_.axes(count));
    nb::object label_array =
        labels_.kind == LabelKind::none ? nb::none() : to_dlpack(std::move(*labels), label_axes(labels_, count));
    if (!masks) return nb::make_tuple(image_array, label_array);
    return nb::make_tuple(image_array, to_dlpack(std::move(*masks), shape_.mask_axes(count)), label_array);
  }

 private:
  /// Bytes of the masks of a sample.
  std::int64_t mask_bytes() const { return shape_.mask_values() * bytes_of(mask_dtype_); }
  std::unique_ptr<RecycledMemory::Block> recycled(std::int64_t epoch, std::int64_t step, std::uintptr_t labels,
                                                  std::uintptr_t masks) const {
    const GilRelease released;
    std::unique_ptr<RecycledMemory::Block> block = memory_.pool->take();
    make(epoch, step, reinterpret_cast<std::uintptr_t>(block->data()), labels, masks, 0);
    return block;
  }

  static nb::object mix_of(const DrawnSample& sample) {
    if (!sample.mix) return nb::none();
    const DrawnMix& mix = *sample.mix;
    nb::dict numbers;
    numbers["partner"] = mix.partner;
    numbers["own"] = mix.own;
    numbers["other"] = mix.other;
    if (mix.name == "cutmix") {
      numbers["top"] = mix.top;
      numbers["left"] = mix.left;
      numbers["height"] = mix.height;
      numbers["width"] = mix.width;
    }
    return nb::make_tuple(mix.name, numbers);
  }

  static nb::capsule owner_of(std::unique_ptr<RecycledMemory::Block> block) {
    return nb::capsule(block.release(),
                       [](void* pointer) noexcept { delete static_cast<RecycledMemory::Block*>(pointer); });
  }

  Device device_;
  BatchShape shape_;
  LabelLayout labels_;
  DType label_dtype_;
  DType mask_dtype_;
  bool has_masks_;
  /// Closes the pool when destroyed.
  struct Memory {
    std::shared_ptr<RecycledMemory> pool;
    ~Memory() { pool->close(); }
  };
  BatchMaker maker_;
  Memory memory_;
  Memory mask_memory_;
  mutable TensorPool tensors_;  ///< of make_owned()
};

}  // namespace

void add_loading(nb::module_& module) {
  add_store(module);
  nb::class_<Sampling>(module, "Sampling")
      .def(nb::init<>())
      .def("set_indices", &set_numbers<&Sampling::indices>, "indices"_a)
      .def("set_weights", &set_numbers<&Sampling::weights>, "weights"_a)
      .def("set_groups", &set_numbers<&Sampling::groups>, "groups"_a)
      .def_rw("replacement", &Sampling::replacement)
      .def_rw("samples_per_epoch", &Sampling::samples_per_epoch)
      .def_rw("repeats", &Sampling::repeats);
  nb::class_<LoaderOptions>(module, "LoaderOptions", "What batches are, and which of them a rank makes.")
      .def("__init__", &init_options, nb::kw_only(), "spec"_a, "batch_size"_a, "shuffle"_a, "seed"_a, "drop_last"_a,
           "carry_over"_a, "rank"_a, "world_size"_a, "equal_shares"_a, "origin"_a, "sampling"_a, "prefetch"_a);
  nb::class_<Maker>(module, "BatchMaker", "Makes any batch, by epoch and step.")
      .def(nb::init<const Store&, const LoaderOptions&, const std::string&>(), "store"_a, "options"_a, "label_dtype"_a)
      .def("batches_per_epoch", &Maker::batches_per_epoch, "epoch"_a)
      .def_prop_ro("shuffle", &Maker::shuffle)
      .def_prop_ro("prefetch", &Maker::prefetch)
      .def_prop_ro("device_bytes", &Maker::device_bytes)
      .def_prop_ro("largest_batch_bytes", &Maker::largest_batch_bytes)
      .def_prop_ro("largest_mask_bytes", &Maker::largest_mask_bytes)
      .def("batch_count", &Maker::batch_count, "epoch"_a, "step"_a)
      .def("rows", &Maker::rows, "epoch"_a, "step"_a)
      .def("make", &Maker::make, "epoch"_a, "step"_a, "images"_a, "labels"_a, "masks"_a, "stream"_a,
           nb::call_guard<GilRelease>())
      .def("make_recycled", &Maker::make_recycled, "epoch"_a, "step"_a, "labels"_a, "masks"_a)
      .def("recycled_masks", &Maker::recycled_masks, "epoch"_a, "step"_a)
      .def("recycled_mask_bytes", &Maker::recycled_mask_bytes, "epoch"_a, "step"_a)
      .def("make_recycled_bytes", &Maker::make_recycled_bytes, "epoch"_a, "step"_a, "labels"_a, "masks"_a)
      .def("drawn", &Maker::drawn, "epoch"_a, "step"_a)
      .def("share", &Maker::share, "epoch"_a, "step"_a)
      .def("batch_at", &Maker::batch_at, "epoch"_a, "samples"_a)
      .def("state", &Maker::state, "epoch"_a, "step"_a)
      .def("fingerprint", &Maker::fingerprint, "epoch"_a, "with_pixels"_a, nb::call_guard<GilRelease>())
      .def("make_owned", &Maker::make_owned, "epoch"_a, "step"_a);
}

}  // namespace octavo::python
