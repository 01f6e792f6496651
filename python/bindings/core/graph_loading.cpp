// Batches for CUDA graphs.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <octavo/batch_shape.hpp>
#include <octavo/graph_loader.hpp>
#include <utility>

#include "core/module.hpp"
#include "core/tensors.hpp"
#include "support/gil.hpp"

namespace octavo::python {
namespace {

using namespace nb::literals;

/// A GraphLoader, the types of its batches, and on request tensors for them.
class GraphMaker {
 public:
  GraphMaker(const Store& store, const LoaderOptions& options, const std::string& label_dtype,
             std::int64_t batches_per_launch)
      : device_(store.device()),
        shape_(batch_shape(options.spec, store.shape())),
        labels_(batch_labels(options.spec, store.labels())),
        label_dtype_(dtype_of(label_dtype, "label_dtype")),
        mask_dtype_(options.spec.mask_dtype),
        has_masks_(store.has_masks() && options.spec.with_masks),
        loader_(store, options, batches_per_launch) {}

  std::int64_t batches_per_epoch(std::int64_t epoch) const { return loader_.batches_per_epoch(epoch); }
  std::int64_t samples_per_launch() const { return loader_.samples_per_launch(); }

  /// Makes the next batch at these addresses; the caller guarantees enough memory there. Address 0: no labels, no
  /// masks.
  void next(std::uintptr_t images, std::uintptr_t labels, std::uintptr_t masks, std::uintptr_t stream) {
    const std::int64_t count = loader_.samples_per_launch();
    loader_.next({reinterpret_cast<void*>(images), shape_.dtype, {count, shape_.values()}, device_},
                 {reinterpret_cast<void*>(labels), label_dtype_, {count, labels_.width}, device_},
                 StreamRef(reinterpret_cast<void*>(stream)),
                 {reinterpret_cast<void*>(masks), mask_dtype_, shape_.mask_axes(count), device_});
  }
  void seek(std::int64_t epoch, std::int64_t step, std::uintptr_t stream) {
    loader_.seek(epoch, step, StreamRef(reinterpret_cast<void*>(stream)));
  }
  std::string state(std::uintptr_t stream) const {
    return loader_.state(StreamRef(reinterpret_cast<void*>(stream))).to_json();
  }
  /// As BatchMaker.place_of().
  std::pair<std::int64_t, std::int64_t> place_of(const std::string& state) const {
    const LoaderPlace place = loader_.place_of(LoaderState::from_json(state));
    return {place.epoch, place.samples};
  }

  /// Library-owned tensors for the images, the labels and the masks, for any consumer of DLPack, each with its address;
  /// None and 0 if there are none.
  nb::tuple make_tensors() const {
    const std::int64_t count = loader_.samples_per_launch();
    const auto made = [&](bool is_wanted, DType dtype, const std::vector<std::int64_t>& axes) {
      if (!is_wanted) return nb::make_tuple(nb::none(), 0);
      OwnedTensor tensor(dtype, axes, device_);
      const auto address = reinterpret_cast<std::uintptr_t>(tensor.view().data);
      return nb::make_tuple(to_dlpack(std::move(tensor), axes), address);
    };
    return nb::make_tuple(made(true, shape_.dtype, shape_.axes(count)),
                          made(labels_.kind != LabelKind::none, label_dtype_, label_axes(labels_, count)),
                          made(has_masks_, mask_dtype_, shape_.mask_axes(count)));
  }

 private:
  Device device_;
  BatchShape shape_;
  LabelLayout labels_;
  DType label_dtype_;
  DType mask_dtype_;
  bool has_masks_;
  GraphLoader loader_;
};

}  // namespace

void add_graph_loading(nb::module_& module) {
  nb::class_<GraphMaker>(module, "GraphMaker", "Makes the next batch, always in the same tensors.")
      .def(nb::init<const Store&, const LoaderOptions&, const std::string&, std::int64_t>(), "store"_a, "options"_a,
           "label_dtype"_a, "batches_per_launch"_a)
      .def("batches_per_epoch", &GraphMaker::batches_per_epoch, "epoch"_a)
      .def_prop_ro("samples_per_launch", &GraphMaker::samples_per_launch)
      .def("next", &GraphMaker::next, "images"_a, "labels"_a, "masks"_a, "stream"_a, nb::call_guard<GilRelease>())
      .def("seek", &GraphMaker::seek, "epoch"_a, "step"_a, "stream"_a, nb::call_guard<GilRelease>())
      .def("state", &GraphMaker::state, "stream"_a, nb::call_guard<GilRelease>())
      .def("place_of", &GraphMaker::place_of, "state"_a)
      .def("make_tensors", &GraphMaker::make_tensors);
}

}  // namespace octavo::python
