"""Names the operations of `octavo.augment` that replace transforms of torchvision, Albumentations and Kornia."""

from __future__ import annotations

from types import FunctionType
from typing import Any

_LIBRARIES = {"torchvision": "torchvision", "albumentations": "Albumentations", "kornia": "Kornia", "timm": "timm"}

_OF_BATCHES = "leave it out, batches are normalized floats"
_NORMALIZE = "use normalize=octavo.Normalize(mean, std)"
_LIST = "use a list of operations"
_PROBABILITY = "use the probability of each operation"
_POLICY = "use TrivialAugment(), RandAugment(count, magnitude) or TimmRandAugment(...)"

#: What to use instead of a transform, by the name of its class. docs/reference/augmentation.md has the same table.
_REPLACEMENTS = {
    "RandomHorizontalFlip": "use HorizontalFlip(probability)",
    "RandomVerticalFlip": "use VerticalFlip(probability)",
    "RandomCrop": 'use RandomCrop(size, padding, border="constant")',
    "CenterCrop": "use CenterCrop(size)",
    "RandomResizedCrop": "use RandomResizedCrop(size, area, ratio)",
    "Resize": "use Resize(size)",
    "RandomAffine": "use Affine(degrees, translate_x, translate_y, scale, shear_x)",
    "RandomRotation": "use Affine(degrees), or Affine((-high, -low)) for a range, because Affine turns clockwise",
    "ColorJitter": "use ColorJitter(brightness, contrast, saturation, hue)",
    "RandomPhotometricDistort": "use ColorJitter(brightness, contrast, saturation, hue)",
    "RandomGrayscale": "use Grayscale(probability)",
    "Grayscale": "use Grayscale(1.0), or channels=1 of octavo.pack()",
    "RandomChannelPermutation": "use ChannelPermutation()",
    "RandomSolarize": "use Solarize(threshold, probability)",
    "RandomPosterize": "use Posterize(bits, probability)",
    "RandomInvert": "use Invert(probability)",
    "RandomAutocontrast": "use AutoContrast(probability)",
    "RandomEqualize": "use Equalize(probability)",
    "RandomAdjustSharpness": "use Sharpness(factor, probability)",
    "GaussianBlur": "use GaussianBlur(kernel_size, sigma)",
    "GaussianNoise": "use GaussianNoise(deviation)",
    "TrivialAugmentWide": "use TrivialAugment()",
    "RandAugment": "use RandAugment(count, magnitude)",
    "AutoAugment": _POLICY,
    "AugMix": _POLICY,
    "RandomErasing": "use RandomErasing(probability, area, ratio, value=value)",
    "MixUp": "use mix=Mix(mixup_alpha=alpha)",
    "CutMix": "use mix=Mix(cutmix_alpha=alpha)",
    "Compose": _LIST,
    "Sequential": _LIST,
    "RandomApply": _PROBABILITY,
    "ToTensor": _OF_BATCHES,
    "ToTensorV2": _OF_BATCHES,
    "PILToTensor": _OF_BATCHES,
    "ToImage": _OF_BATCHES,
    "ToPureTensor": _OF_BATCHES,
    "ToDtype": _OF_BATCHES,
    "ToFloat": _OF_BATCHES,
    "ConvertImageDtype": _OF_BATCHES,
    "Normalize": _NORMALIZE,
    # Albumentations and Kornia
    "HorizontalFlip": "use HorizontalFlip(probability)",
    "VerticalFlip": "use VerticalFlip(probability)",
    "Affine": "use Affine(degrees, translate_x, translate_y, scale, shear_x)",
    "Rotate": "use Affine(degrees)",
    "ShiftScaleRotate": "use Affine(degrees, translate_x, translate_y, scale)",
    "RandomBrightnessContrast": "use ColorJitter(brightness, contrast)",
    "HueSaturationValue": "use ColorJitter(saturation=saturation, hue=hue)",
    "ToGray": "use Grayscale(probability)",
    "ChannelShuffle": "use ChannelPermutation(probability)",
    "CoarseDropout": "use Cutout(size) or RandomErasing(probability)",
    "SmallestMaxSize": "use Resize(size)",
}
#: Others have no counterpart.
_NONE = "octavo.augment has none, apply it to the batches"


def replacement_of(name: str) -> str | None:
    """What to use instead of the transform of this name; None if no library has it."""
    return _REPLACEMENTS.get(name)


def replacements(given: Any) -> str | None:
    """How to replace the transforms of other libraries in `given`; None if there are none."""
    foreign = [transform for transform in _parts(given) if _library(transform)]
    if not foreign:
        return None
    later = [[_name(transform) for transform in foreign[number:]] for number in range(len(foreign))]
    replaced = zip(foreign, later, strict=True)
    each = dict.fromkeys(f"{_name(transform)}: {_replacement(transform, names)}" for transform, names in replaced)
    return f"transforms of {_library(foreign[0])}; use operations of octavo.augment instead: {'; '.join(each)}"


#: Random transforms whose names do not begin with "Random".
_RANDOM = frozenset({
    "ColorJitter", "GaussianBlur", "GaussianNoise", "ElasticTransform", "ScaleJitter", "TrivialAugmentWide",
    "RandAugment", "AutoAugment", "AugMix", "MixUp", "CutMix",
})  # fmt: skip


#: Random transforms that move no pixel, so that a mask still fits.
COLOR_TRANSFORMS = frozenset({
    "ColorJitter", "GaussianBlur", "GaussianNoise", "RandomPhotometricDistort", "RandomGrayscale",
    "RandomChannelPermutation", "RandomSolarize", "RandomPosterize", "RandomInvert", "RandomAutocontrast",
    "RandomEqualize", "RandomAdjustSharpness", "RandomBrightnessContrast", "HueSaturationValue", "ToGray",
})  # fmt: skip
#: Transforms that draw nothing but whether they are applied.
_ONLY_APPLIED = frozenset({
    "RandomHorizontalFlip", "RandomVerticalFlip", "RandomGrayscale", "RandomSolarize", "RandomPosterize",
    "RandomInvert", "RandomAutocontrast", "RandomEqualize", "RandomAdjustSharpness",
})  # fmt: skip


def random_transforms(given: Any) -> list[str]:
    """The names of random transforms of other libraries in `given`."""
    return [_name(part) for part in _parts(given) if _library(part) and _is_random(part)]


def _is_random(transform: Any) -> bool:
    """Whether it draws numbers: by its name, or because it has a probability, as in Albumentations."""
    name, probability = _name(transform), getattr(transform, "p", None)
    if probability == 0 or (probability == 1 and name in _ONLY_APPLIED):
        return False
    return name.startswith("Random") or name in _RANDOM or (isinstance(probability, float) and 0.0 < probability < 1.0)


def _parts(given: Any) -> list[Any]:
    """The transforms in a list or a ``Compose``, or the object itself."""
    inner: Any = given if isinstance(given, (list, tuple)) else None
    if _name(given) == "StandardTransform":  # of the datasets of torchvision
        inner = [getattr(given, "transform", None)]
    if _library(given) and _name(given) in ("Compose", "Sequential"):
        inner = getattr(given, "transforms", None) or getattr(given, "_modules", {}).values()
    return [part for one in inner for part in _parts(one)] if inner else [given]


def _name(transform: Any) -> str:
    own = transform if isinstance(transform, (type, FunctionType)) else type(transform)
    return own.__name__


def _library(transform: Any) -> str | None:
    """The library of a transform, which may be an object, a class or a function; None if it is not a transform."""
    own = transform if isinstance(transform, type) else type(transform)
    owners = (transform,) if isinstance(transform, FunctionType) else own.__mro__
    for owner in owners:
        module = owner.__module__ or ""  # a function made by exec() has none
        package = module.partition(".")[0]
        if package in _LIBRARIES:
            return _LIBRARIES[package]
        if module.startswith("torch.nn"):
            return "PyTorch"
    return None


def _replacement(transform: Any, later: list[str]) -> str:
    """What to use instead of a transform; `later` are the names of it and of those after it."""
    if later[0] == "RandomErasing":
        if _fills_with_noise(transform):
            return "use RandomErasing(probability, area, ratio), which fills with one color; it has no random values"
        if "Normalize" in later:
            return "use RandomErasing(probability, area, ratio, normalized=False, value=255 * value)"
    return _REPLACEMENTS.get(later[0], _NONE)


def _fills_with_noise(erasing: Any) -> bool:
    """Whether a ``RandomErasing`` of torchvision (None in v2, "random" in v1) or timm draws what it fills with."""
    value = getattr(erasing, "value", 0)
    is_noise = value is None or (isinstance(value, str) and value == "random")
    return is_noise or bool(getattr(erasing, "rand_color", False) or getattr(erasing, "per_pixel", False))
