// Batches.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <memory>
#include <octavo/batch_maker.hpp>
#include <octavo/batch_shape.hpp>
#include <octavo/owned_tensor.hpp>
#include <octavo/recipes.hpp>
#include <octavo/store.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/module.hpp"
#include "core/recycled_memory.hpp"
#include "core/tensors.hpp"
#include "support/arrays.hpp"
#include "support/gil.hpp"

namespace octavo::python {
namespace {

using namespace nb::literals;

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
        owned_maker_(std::make_unique<BatchMaker>(store, options)),
        maker_(*owned_maker_),
        memory_{std::make_shared<RecycledMemory>(maker_.largest_batch_count() * shape_.bytes())},
        mask_memory_{std::make_shared<RecycledMemory>(maker_.largest_batch_count() * mask_bytes())},
        tensors_(device_) {}

  ~Maker() {
    const GilRelease released;  // a thread that reads ahead may need it to come to an end
    owned_maker_.reset();
  }
  Maker(const Maker&) = delete;
  Maker& operator=(const Maker&) = delete;

  std::int64_t batches_per_epoch(std::int64_t epoch) const { return maker_.batches_per_epoch(epoch); }
  std::string shuffle() const { return to_string(maker_.options().shuffle); }
  int prefetch() const { return maker_.options().prefetch; }
  std::int64_t largest_batch_bytes() const { return memory_.pool->block_bytes(); }
  std::int64_t largest_mask_bytes() const { return mask_memory_.pool->block_bytes(); }
  std::int64_t batch_count(std::int64_t epoch, std::int64_t step) const { return maker_.batch_count(epoch, step); }
  std::int64_t device_bytes() const { return maker_.device_bytes(); }
  NumpyArray<std::int64_t> indices(std::int64_t epoch, std::int64_t step) const {
    const std::vector<std::int64_t> indices = maker_.indices(epoch, step);
    return to_numpy(indices, {indices.size()});
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
  /// (epoch, samples) of a saved state, which must fit.
  std::pair<std::int64_t, std::int64_t> place_of(const std::string& state) const {
    const LoaderPlace place = maker_.place_of(LoaderState::from_json(state));
    return {place.epoch, place.samples};
  }
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
  std::unique_ptr<BatchMaker> owned_maker_;
  BatchMaker& maker_;
  Memory memory_;
  Memory mask_memory_;
  mutable TensorPool tensors_;  ///< of make_owned()
};

}  // namespace

void add_loading(nb::module_& module) {
  module.def(
      "make_recipe",
      [](const std::string& name, std::int64_t class_count, std::int64_t epoch) {
        const Recipe recipe = make_recipe(name, class_count, epoch);
        return nb::make_tuple(recipe.batch_size, recipe.train, recipe.evaluation_batch_size, recipe.evaluation,
                              recipe.view_weights);
      },
      "name"_a, "class_count"_a, "epoch"_a,
      "Batch size and spec for training and for evaluation, and the weights of the views: the recipe of the program.");
  nb::class_<Maker>(module, "BatchMaker", "Makes any batch, by epoch and step.")
      .def(nb::init<const Store&, const LoaderOptions&, const std::string&>(), "store"_a, "options"_a, "label_dtype"_a)
      .def("batches_per_epoch", &Maker::batches_per_epoch, "epoch"_a)
      .def_prop_ro("shuffle", &Maker::shuffle)
      .def_prop_ro("prefetch", &Maker::prefetch)
      .def_prop_ro("device_bytes", &Maker::device_bytes)
      .def_prop_ro("largest_batch_bytes", &Maker::largest_batch_bytes)
      .def_prop_ro("largest_mask_bytes", &Maker::largest_mask_bytes)
      .def("batch_count", &Maker::batch_count, "epoch"_a, "step"_a)
      .def("indices", &Maker::indices, "epoch"_a, "step"_a)
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
      .def("place_of", &Maker::place_of, "state"_a)
      .def("fingerprint", &Maker::fingerprint, "epoch"_a, "with_pixels"_a, nb::call_guard<GilRelease>())
      .def("make_owned", &Maker::make_owned, "epoch"_a, "step"_a);
}

}  // namespace octavo::python
