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
  nb::enum_<augment::Interpolation>(module, "Interpolation")
      .value("nearest", augment::Interpolation::nearest)
      .value("bilinear", augment::Interpolation::bilinear)
      .value("bicubic", augment::Interpolation::bicubic);
  nb::enum_<augment::Partner>(module, "Partner")
      .value("previous", augment::Partner::previous)
      .value("opposite", augment::Partner::opposite)
      .value("shuffled", augment::Partner::shuffled);
  nb::class_<augment::Mix>(module, "Mix")
      .def(nb::init<>())
      .def_rw("mixup_alpha", &augment::Mix::mixup_alpha)
      .def_rw("cutmix_alpha", &augment::Mix::cutmix_alpha)
      .def_rw("cutmix_share", &augment::Mix::cutmix_share)
      .def_rw("pairs", &augment::Mix::pairs)
      .def_rw("probability", &augment::Mix::probability)
      .def_rw("partner", &augment::Mix::partner)
      .def_rw("per_sample", &augment::Mix::per_sample);
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
      .def_rw("antialias", &augment::RandomResizedCrop::antialias)
      .def_rw("interpolation", &augment::RandomResizedCrop::interpolation);
  nb::class_<augment::Resize>(module, "Resize")
      .def(nb::init<>())
      .def_rw("size", &augment::Resize::size)
      .def_rw("shorter_side", &augment::Resize::shorter_side)
      .def_rw("antialias", &augment::Resize::antialias)
      .def_rw("interpolation", &augment::Resize::interpolation);
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
  nb::class_<augment::Affine>(module, "Affine")
      .def(nb::init<>())
      .def_rw("degrees", &augment::Affine::degrees)
      .def_rw("translate_x", &augment::Affine::translate_x)
      .def_rw("translate_y", &augment::Affine::translate_y)
      .def_rw("scale", &augment::Affine::scale)
      .def_rw("shear_x", &augment::Affine::shear_x)
      .def_rw("shear_y", &augment::Affine::shear_y)
      .def_rw("interpolation", &augment::Affine::interpolation)
      .def_rw("fill", &augment::Affine::fill)
      .def_rw("probability", &augment::Affine::probability);
  nb::class_<augment::ColorJitter>(module, "ColorJitter")
      .def(nb::init<>())
      .def_rw("brightness", &augment::ColorJitter::brightness)
      .def_rw("contrast", &augment::ColorJitter::contrast)
      .def_rw("saturation", &augment::ColorJitter::saturation)
      .def_rw("hue", &augment::ColorJitter::hue)
      .def_rw("probability", &augment::ColorJitter::probability);
  nb::class_<augment::Grayscale>(module, "Grayscale")
      .def(nb::init<>())
      .def_rw("probability", &augment::Grayscale::probability);
  nb::class_<augment::ChannelPermutation>(module, "ChannelPermutation")
      .def(nb::init<>())
      .def_rw("probability", &augment::ChannelPermutation::probability);
  nb::class_<augment::Solarize>(module, "Solarize")
      .def(nb::init<>())
      .def_rw("threshold", &augment::Solarize::threshold)
      .def_rw("probability", &augment::Solarize::probability);
  nb::class_<augment::Posterize>(module, "Posterize")
      .def(nb::init<>())
      .def_rw("bits", &augment::Posterize::bits)
      .def_rw("probability", &augment::Posterize::probability);
  nb::class_<augment::Invert>(module, "Invert").def(nb::init<>()).def_rw("probability", &augment::Invert::probability);
  nb::class_<augment::Gamma>(module, "Gamma")
      .def(nb::init<>())
      .def_rw("gamma", &augment::Gamma::gamma)
      .def_rw("probability", &augment::Gamma::probability);
  nb::class_<augment::AutoContrast>(module, "AutoContrast")
      .def(nb::init<>())
      .def_rw("probability", &augment::AutoContrast::probability);
  nb::class_<augment::Equalize>(module, "Equalize")
      .def(nb::init<>())
      .def_rw("probability", &augment::Equalize::probability);
  nb::class_<augment::Sharpness>(module, "Sharpness")
      .def(nb::init<>())
      .def_rw("factor", &augment::Sharpness::factor)
      .def_rw("probability", &augment::Sharpness::probability);
  nb::class_<augment::GaussianBlur>(module, "GaussianBlur")
      .def(nb::init<>())
      .def_rw("kernel_size", &augment::GaussianBlur::kernel_size)
      .def_rw("sigma", &augment::GaussianBlur::sigma)
      .def_rw("probability", &augment::GaussianBlur::probability);
  nb::class_<augment::TrivialAugment>(module, "TrivialAugment")
      .def(nb::init<>())
      .def_rw("interpolation", &augment::TrivialAugment::interpolation)
      .def_rw("fill", &augment::TrivialAugment::fill);
  nb::class_<augment::RandAugment>(module, "RandAugment")
      .def(nb::init<>())
      .def_rw("count", &augment::RandAugment::count)
      .def_rw("magnitude", &augment::RandAugment::magnitude)
      .def_rw("interpolation", &augment::RandAugment::interpolation)
      .def_rw("fill", &augment::RandAugment::fill);
  nb::class_<augment::TimmRandAugment>(module, "TimmRandAugment")
      .def(nb::init<>())
      .def_rw("count", &augment::TimmRandAugment::count)
      .def_rw("magnitude", &augment::TimmRandAugment::magnitude)
      .def_rw("deviation", &augment::TimmRandAugment::deviation)
      .def_rw("probability", &augment::TimmRandAugment::probability)
      .def_rw("interpolation", &augment::TimmRandAugment::interpolation)
      .def_rw("fill", &augment::TimmRandAugment::fill);
  nb::class_<augment::ViewFlip>(module, "ViewFlip").def(nb::init<>());
  nb::class_<augment::ViewShift>(module, "ViewShift").def(nb::init<>()).def_rw("pixels", &augment::ViewShift::pixels);
  nb::class_<augment::NormalizedJitter>(module, "NormalizedJitter")
      .def(nb::init<>())
      .def_rw("shift", &augment::NormalizedJitter::shift)
      .def_rw("factor", &augment::NormalizedJitter::factor);
  module.def("describe_augmentation", &augment::describe, "operations"_a);
}

}  // namespace octavo::python
