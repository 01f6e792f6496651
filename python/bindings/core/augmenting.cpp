// The operations of augmentations, field by field.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <octavo/augment.hpp>

#include "core/module.hpp"

namespace octavo::python {

namespace nb = nanobind;

using namespace nb::literals;

void add_augmenting(nb::module_& module) {
  nb::enum_<augment::Border>(module, "Border")
      .value("constant", augment::Border::constant)
      .value("edge", augment::Border::edge)
      .value("reflect", augment::Border::reflect);
  nb::class_<augment::HorizontalFlip>(module, "HorizontalFlip")
      .def(nb::init<>())
      .def_rw("probability", &augment::HorizontalFlip::probability);
  nb::class_<augment::AlternatingFlip>(module, "AlternatingFlip").def(nb::init<>());
  nb::class_<augment::VerticalFlip>(module, "VerticalFlip")
      .def(nb::init<>())
      .def_rw("probability", &augment::VerticalFlip::probability);
  nb::class_<augment::RandomCrop>(module, "RandomCrop")
      .def(nb::init<>())
      .def_rw("size", &augment::RandomCrop::size)
      .def_rw("padding", &augment::RandomCrop::padding)
      .def_rw("border", &augment::RandomCrop::border)
      .def_rw("fill", &augment::RandomCrop::fill);
  nb::class_<augment::CenterCrop>(module, "CenterCrop")
      .def(nb::init<>())
      .def_rw("size", &augment::CenterCrop::size)
      .def_rw("fill", &augment::CenterCrop::fill);
  nb::class_<augment::RandomResizedCrop>(module, "RandomResizedCrop")
      .def(nb::init<>())
      .def_rw("size", &augment::RandomResizedCrop::size)
      .def_rw("area", &augment::RandomResizedCrop::area)
      .def_rw("ratio", &augment::RandomResizedCrop::ratio)
      .def_rw("antialias", &augment::RandomResizedCrop::antialias);
  nb::class_<augment::Resize>(module, "Resize")
      .def(nb::init<>())
      .def_rw("size", &augment::Resize::size)
      .def_rw("antialias", &augment::Resize::antialias);
  nb::class_<augment::Cutout>(module, "Cutout")
      .def(nb::init<>())
      .def_rw("size", &augment::Cutout::size)
      .def_rw("probability", &augment::Cutout::probability)
      .def_rw("inside", &augment::Cutout::inside)
      .def_rw("normalized", &augment::Cutout::normalized)
      .def_rw("value", &augment::Cutout::value);
  nb::class_<augment::RandomErasing>(module, "RandomErasing")
      .def(nb::init<>())
      .def_rw("probability", &augment::RandomErasing::probability)
      .def_rw("area", &augment::RandomErasing::area)
      .def_rw("ratio", &augment::RandomErasing::ratio)
      .def_rw("normalized", &augment::RandomErasing::normalized)
      .def_rw("value", &augment::RandomErasing::value);
  nb::class_<augment::NormalizedJitter>(module, "NormalizedJitter")
      .def(nb::init<>())
      .def_rw("shift", &augment::NormalizedJitter::shift)
      .def_rw("factor", &augment::NormalizedJitter::factor);
  module.def("describe_augmentation", &augment::describe, "operations"_a);
}

}  // namespace octavo::python
