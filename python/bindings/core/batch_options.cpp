// Options of batches: what they look like, which samples they have, and how they are made.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <octavo/batch_shape.hpp>
#include <octavo/batch_spec.hpp>
#include <octavo/loader.hpp>
#include <octavo/residency.hpp>
#include <octavo/sampling.hpp>
#include <octavo/text.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/module.hpp"
#include "core/tensors.hpp"

namespace octavo::python {
namespace {

using namespace nb::literals;

template <typename Value>
struct Named {
  const char* name;
  Value value;
};
constexpr std::array<Named<Center>, 6> kCenters = {{{"none", Center::none},
                                                    {"dataset", Center::dataset},
                                                    {"channel", Center::channel},
                                                    {"pixel", Center::pixel},
                                                    {"batch", Center::batch},
                                                    {"values", Center::values}}};
constexpr std::array<Named<Divisor>, 2> kDivisors = {
    {{"std", Divisor::standard_deviation}, {"values", Divisor::values}}};

/// A field with one of the values of `table`, which Python names.
template <auto Field, typename Table>
void def_named(nb::class_<BatchSpec>& spec, const char* field, const Table& table) {
  spec.def_prop_rw(
      field,
      [&table](const BatchSpec& self) {
        return std::ranges::find(table, self.*Field, &Table::value_type::value)->name;
      },
      [&table, field](BatchSpec& self, const std::string& name) { self.*Field = row_of(table, name, field).value; });
}

/// A field that is a type of numbers.
template <auto Field>
void def_dtype(nb::class_<BatchSpec>& spec, const char* field) {
  spec.def_prop_rw(
      field, [](const BatchSpec& self) { return to_string(self.*Field); },
      [field](BatchSpec& self, const std::string& name) { self.*Field = dtype_of(name, field); });
}

void add_batch_spec(nb::module_& module) {
  module.attr("image_dtypes") = nb::tuple(nb::cast(image_type_names()));
  module.attr("label_dtypes") = nb::tuple(nb::cast(label_type_names()));
  module.attr("mask_dtypes") = nb::tuple(nb::cast(mask_type_names()));
  module.attr("residencies") = nb::tuple(nb::cast(names_of(kResidencies)));
  nb::dict presets;
  for (const PresetInfo& info : kPresets) presets[info.name] = describe(BatchSpec::preset(info.name));
  module.attr("presets") = presets;
  nb::class_<BatchSpec> spec(module, "BatchSpec", "Everything that defines a batch's values.");
  spec.def(nb::init<>());
  def_named<&BatchSpec::center>(spec, "center", kCenters);
  spec.def_rw("center_values", &BatchSpec::center_values);
  def_named<&BatchSpec::divisor>(spec, "divisor", kDivisors);
  spec.def_rw("divisor_values", &BatchSpec::divisor_values)
      .def_rw("of_stored_values", &BatchSpec::of_stored_values)
      .def_rw("statistics", &BatchSpec::statistics, nb::arg().none())
      .def_rw("augment", &BatchSpec::augment)
      .def_rw("augment_seed", &BatchSpec::augment_seed)
      .def_rw("views", &BatchSpec::views)
      .def_rw("mix", &BatchSpec::mix, nb::arg().none())
      .def_rw("soft_classes", &BatchSpec::soft_classes)
      .def_rw("label_smoothing", &BatchSpec::label_smoothing)
      .def_rw("with_masks", &BatchSpec::with_masks)
      .def_rw("ignored_mask_value", &BatchSpec::ignored_mask_value);
  def_dtype<&BatchSpec::mask_dtype>(spec, "mask_dtype");
  def_dtype<&BatchSpec::dtype>(spec, "dtype");
  spec.def_prop_rw(
          "layout", [](const BatchSpec& self) { return to_string(self.layout); },
          [](BatchSpec& self, const std::string& name) { self.layout = row_of(kLayouts, name, "layout").layout; })
      .def(
          "image_shape",
          [](const BatchSpec& self, const std::tuple<std::int64_t, std::int64_t, std::int64_t>& sample) {
            const auto& [channels, height, width] = sample;
            const SampleShape image = batch_shape(self, {channels, height, width}).image;
            return std::tuple(image.channels, image.height, image.width);
          },
          "sample_shape"_a, "(C, H, W) of the images of batches from samples of this shape.")
      .def("__str__", &describe);
}

/// Sets a list of a Sampling from an array of its type, without a Python object for each number.
template <auto Field>
void set_numbers(Sampling& sampling,
                 nb::ndarray<const typename std::remove_reference_t<decltype(sampling.*Field)>::value_type, nb::ndim<1>,
                             nb::c_contig, nb::device::cpu>
                     numbers) {
  (sampling.*Field).assign(numbers.data(), numbers.data() + numbers.size());
}

void add_sampling(nb::module_& module) {
  nb::class_<Sampling>(module, "Sampling")
      .def(nb::init<>())
      .def("set_indices", &set_numbers<&Sampling::indices>, "indices"_a)
      .def("set_weights", &set_numbers<&Sampling::weights>, "weights"_a)
      .def("set_groups", &set_numbers<&Sampling::groups>, "groups"_a)
      .def_rw("replacement", &Sampling::replacement)
      .def_rw("samples_per_epoch", &Sampling::samples_per_epoch)
      .def_rw("repeats", &Sampling::repeats);
}

void add_loader_options(nb::module_& module) {
  using Place = std::pair<std::int64_t, std::int64_t>;
  nb::class_<LoaderOptions>(module, "LoaderOptions", "What batches are, and which of them a rank makes.")
      .def(nb::init<>())
      .def_rw("batch_size", &LoaderOptions::batch_size)
      .def_prop_rw(
          "shuffle", [](const LoaderOptions& self) { return to_string(self.shuffle); },
          [](LoaderOptions& self, const std::string& order) { self.shuffle = parse_shuffle(order); })
      .def_rw("seed", &LoaderOptions::seed)
      .def_rw("drop_last", &LoaderOptions::drop_last)
      .def_rw("carry_over", &LoaderOptions::carry_over)
      .def_rw("rank", &LoaderOptions::rank)
      .def_rw("world_size", &LoaderOptions::world_size)
      .def_rw("equal_shares", &LoaderOptions::equal_shares)
      .def_prop_rw(
          "origin", [](const LoaderOptions& self) { return Place(self.origin.epoch, self.origin.samples); },
          [](LoaderOptions& self, const Place& place) {
            self.origin = {place.first, place.second};
          },
          "An epoch, and the number of its samples after which a batch begins.")
      .def_rw("spec", &LoaderOptions::spec)
      .def_rw("sampling", &LoaderOptions::sampling)
      .def_rw("prefetch", &LoaderOptions::prefetch);
  module.attr("last_epoch") = LoaderState::kLastEpoch;
}

}  // namespace

void add_batch_options(nb::module_& module) {
  add_batch_spec(module);
  add_sampling(module);
  add_loader_options(module);
}

}  // namespace octavo::python
