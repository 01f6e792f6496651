// Stores: samples in the memory of a device.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <octavo/batch_shape.hpp>
#include <octavo/store.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/exchanging.hpp"
#include "core/module.hpp"
#include "core/tensors.hpp"
#include "support/arrays.hpp"
#include "support/gil.hpp"
#include "support/interruptible.hpp"

namespace octavo::python {
namespace {

using namespace nb::literals;

void add_load_options(nb::module_& module) {
  nb::class_<LoadOptions>(module, "LoadOptions", "What a store loads, and where its samples live.")
      .def(nb::init<>())
      .def_rw("verify_checksums", &LoadOptions::verify_checksums)
      .def_rw("with_masks", &LoadOptions::with_masks)
      .def_rw("thread_count", &LoadOptions::thread_count)
      .def_prop_rw(
          "residency", [](const LoadOptions& self) { return to_string(self.residency); },
          [](LoadOptions& self, const std::string& name) { self.residency = parse_residency(name); })
      .def_rw("memory_limit_bytes", &LoadOptions::memory_limit_bytes)
      .def_rw("resident_count", &LoadOptions::resident_count)
      .def_rw("window_samples", &LoadOptions::window_samples)
      .def_rw("shares_host_memory", &LoadOptions::shares_host_memory)
      .def(
          "set_exchange",
          [](LoadOptions& self, nb::object connect) { self.exchange = exchange_function(std::move(connect)); },
          "connect"_a, "A function that returns an object with the functions of Exchange, or None.");
}

using Images = nb::ndarray<const std::int8_t, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

void set_images(HostSamples& samples, const Images& images) {
  samples.codes = {images.data(), images.size()};
  samples.shape = {static_cast<std::int64_t>(images.shape(1)), static_cast<std::int64_t>(images.shape(2)),
                   static_cast<std::int64_t>(images.shape(3))};
}

void set_labels(HostSamples& samples, const std::string& kind, const Labels& labels) {
  samples.label_bytes = {static_cast<const std::byte*>(labels.data()), labels.nbytes()};
  samples.labels = {row_of(kLabelKinds, kind, "label_kind").kind,
                    static_cast<std::int64_t>(labels.size() / labels.shape(0))};
}

void add_host_samples(nb::module_& module) {
  nb::class_<HostSamples>(module, "HostSamples", "Samples in memory that a Python object keeps alive.")
      .def(
          "__init__",
          [](HostSamples* self, nb::object owner) { (new (self) HostSamples{})->owner = shared(std::move(owner)); },
          "owner"_a)
      .def("set_images", &set_images, "images"_a, "int8 [N, C, H, W].")
      .def("set_labels", &set_labels, "kind"_a, "labels"_a, "[N] or [N, K], of the type of a dataset file.")
      .def_rw("class_names", &HostSamples::class_names);
}

/// A store that may have a thread which calls Python: it is destroyed without the GIL.
class LoadedStore : public Store {
 public:
  explicit LoadedStore(Store store) : Store(std::move(store)) {}
  LoadedStore(LoadedStore&&) = default;
  ~LoadedStore() {
    const GilRelease released;
    const Store last = std::move(static_cast<Store&>(*this));
  }
};

LoadedStore load(const Split& split, const std::string& device, const LoadOptions& options,
                 const nb::object& on_progress) {
  return LoadedStore(interruptibly(on_progress, [&](const ProgressFunction& progress) {
    LoadOptions with_progress = options;
    with_progress.on_progress = progress;
    return Store::load(split, Device::parse(device), with_progress);
  }));
}

LoadedStore load_from_memory(const HostSamples& samples, bool copy, const std::string& device,
                             const LoadOptions& options) {
  const GilRelease released;
  return LoadedStore(
      Store::load(samples, copy ? HostMemory::copy : HostMemory::borrow, Device::parse(device), options));
}

}  // namespace

void add_storing(nb::module_& module) {
  add_load_options(module);
  add_host_samples(module);
  nb::class_<PreparedSpec>(module, "PreparedSpec", "A BatchSpec folded for one store.");
  nb::class_<Store> store(module, "Store", "The samples of a split in the memory of a device.");
  nb::class_<LoadedStore, Store>(module, "LoadedStore", "A store that Python owns.");
  store.def_static("load", &load, "split"_a, "device"_a, "options"_a, "on_progress"_a.none())
      .def_static("load_from_memory", &load_from_memory, "samples"_a, "copy"_a, "device"_a, "options"_a)
      .def_prop_ro("device", [](const Store& store) { return to_string(store.device()); })
      .def_prop_ro("sample_count", &Store::sample_count)
      .def_prop_ro("device_bytes", &Store::device_bytes)
      .def_prop_ro("has_masks", &Store::has_masks)
      .def_prop_ro("residency", [](const Store& store) { return to_string(store.residency()); })
      .def_prop_ro("residency_reason", &Store::residency_reason)
      .def_prop_ro("resident_count", &Store::resident_count)
      .def_prop_ro("window_samples", &Store::window_samples)
      .def_prop_ro("statistics_split", &Store::statistics_split)
      .def("leave_ranks", &Store::leave_ranks, nb::call_guard<GilRelease>())
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

}  // namespace octavo::python
