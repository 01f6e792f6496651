"""The data side of recipes that are used to train image models.

>>> recipe = octavo.recipes.airbench94()
>>> train = octavo.Loader("cifar10.h5", "train", shuffle=True, drop_last=True, **recipe.train)
>>> test = octavo.Loader("cifar10.h5", "test", **recipe.evaluation)

A recipe has the arguments of two loaders. Each function says what its original does, and where this recipe differs.
Octavo makes the batches; models, optimizers and schedules are yours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import augment
from .normalize import Normalize

__all__ = [
    "Recipe",
    "airbench94",
    "airbench96",
    "ffcv_rn18",
    "ffcv_rn50",
    "hiverge",
    "simclr",
    "timm_rsb_a2",
    "torchvision_2",
]

# The program has the same recipes in lib/core/src/augment/recipes.cpp; test_recipes.py compares their batches. They
# remain two tables because those below are arguments: with epochs and sizes to choose, and in the words of a user.

_CIFAR10 = Normalize((0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616))


@dataclass(frozen=True)
class Recipe:
    """Arguments of `octavo.Loader`.

    Attributes
    ----------
    train
        For training: batch size, normalization, operations, mixing.
    evaluation
        For evaluation.
    view_weights
        With several views in `evaluation`: the weights of their predictions, which add up to 1. Otherwise empty.
    """

    train: dict[str, Any]
    evaluation: dict[str, Any]
    view_weights: tuple[float, ...] = ()


def _six_views(batch_size: int) -> dict[str, Any]:
    operations = [augment.ViewShift(1), augment.ViewFlip()]
    return {"batch_size": batch_size, "normalize": _CIFAR10, "augment": operations, "views": 6}


#: Half of the weight is that of the image and its mirror image.
_SIX_WEIGHTS = (0.25, 0.25, 0.125, 0.125, 0.125, 0.125)


def airbench94() -> Recipe:
    """94 % on CIFAR-10 in 2.6 seconds of an A100 (K. Jordan, github.com/KellerJordan/cifar10-airbench, 2024).

    Reflected padding by 2 and a random crop, the alternating flip, label smoothing 0.2, batches of 1024. Evaluation has
    six views: the image and two shifts by one pixel, each also mirrored.

    Differs: the original draws the side of each image before the first epoch, in which half of them are mirrored; so
    does Octavo, with other random numbers. It trains in float16; pass ``dtype="float16"``.
    """
    operations = [augment.RandomCrop(padding=2), augment.AlternatingFlip()]
    train = {"batch_size": 1024, "normalize": _CIFAR10, "augment": operations, "label_smoothing": 0.2}
    return Recipe(train, _six_views(2000), _SIX_WEIGHTS)


def airbench96() -> Recipe:
    """96 % on CIFAR-10 (K. Jordan, github.com/KellerJordan/cifar10-airbench, 2024).

    As `airbench94`, with padding by 4 and a cutout of 12 pixels inside the image, 0 after normalization.

    Differs: the original trains on the half of each batch with the larger losses of a small model, which is up to the
    training loop.
    """
    operations = [augment.RandomCrop(padding=4), augment.AlternatingFlip(), augment.Cutout(12)]
    train = {"batch_size": 1024, "normalize": _CIFAR10, "augment": operations, "label_smoothing": 0.2}
    return Recipe(train, _six_views(2000), _SIX_WEIGHTS)


def hiverge() -> Recipe:
    """94 % on CIFAR-10 in 1.99 seconds of an A100 (github.com/hiverge/cifar10-speedrun, 2025).

    Reflected padding by 2 and a random crop, the alternating flip, and normalized values that are shifted by up to
    0.1399 and scaled by up to 13.08 % for each image, not clamped. Batches of 1536.

    Differs: the original evaluates more views of the images with the least confident predictions, which is up to the
    evaluation loop.
    """
    operations = [
        augment.RandomCrop(padding=2),
        augment.AlternatingFlip(),
        augment.NormalizedJitter((-0.1399, 0.1399), (1 - 0.1308, 1 + 0.1308)),
    ]
    train = {"batch_size": 1536, "normalize": _CIFAR10, "augment": operations, "label_smoothing": 0.2}
    return Recipe(train, _six_views(2000), _SIX_WEIGHTS)


def _growing_sizes(epochs: int, first: int, last: int) -> Callable[[int], Sequence[augment.Operation]]:
    """Random resized crops that grow from `first` to `last` pixels in steps of 32, as FFCV's example does."""
    start, end = epochs * 65 // 88, epochs * 76 // 88

    def operations(epoch: int) -> Sequence[augment.Operation]:
        share = min(max((epoch - start) / max(1, end - start), 0.0), 1.0)
        size = round((first + share * (last - first)) / 32) * 32
        return augment.RandomResizedCrop(size), augment.HorizontalFlip()

    return operations


def _ffcv(epochs: int, batch_size: int) -> Recipe:
    train = {
        "batch_size": batch_size,
        "normalize": "imagenet",
        "augment": _growing_sizes(epochs, 160, 192),
        "label_smoothing": 0.1,
    }
    crop = [augment.Resize(256), augment.CenterCrop(224), augment.ViewFlip()]
    return Recipe(train, {"batch_size": 512, "normalize": "imagenet", "augment": crop, "views": 2}, (0.5, 0.5))


def ffcv_rn18(epochs: int = 16) -> Recipe:
    """ResNet-18 on ImageNet, 66.9 % in 16 epochs and 72.4 % in 88 (github.com/libffcv/ffcv-imagenet, 2022).

    Random resized crops whose size grows from 160 to 192 pixels between 74 % and 86 % of the epochs, flips, label
    smoothing 0.1. Evaluation: the center 224 of 256 pixels, and its mirror image.

    Differs: crops are resized with an antialiased bilinear filter; the original uses OpenCV's INTER_AREA. Images are
    packed in one size, at least 192 pixels.
    """
    return _ffcv(epochs, 1024)


def ffcv_rn50(epochs: int = 16) -> Recipe:
    """ResNet-50 on ImageNet, 73.8 % in 16 epochs and 78.4 % in 88: the same data as `ffcv_rn18`, in batches of 512."""
    return _ffcv(epochs, 512)


def torchvision_2() -> Recipe:
    """ResNet-50 on ImageNet, 80.86 % (V. Vryniotis, "How to train state-of-the-art models using TorchVision's latest
    primitives", 2021).

    Random resized crops to 176 pixels, flips, TrivialAugmentWide, random erasing 0.1, MixUp 0.2 or CutMix 1, label
    smoothing 0.1. Evaluation: the center 224 of 232 pixels.

    Differs: the original shows each sample four times per epoch (repeated augmentation).
    """
    operations = [
        augment.RandomResizedCrop(176),
        augment.HorizontalFlip(),
        augment.TrivialAugment("bilinear"),
        augment.RandomErasing(0.1),
    ]
    train = {
        "batch_size": 1024,
        "normalize": "imagenet",
        "augment": operations,
        "mix": augment.Mix(mixup_alpha=0.2, cutmix_alpha=1.0),
        "label_smoothing": 0.1,
    }
    crop = [augment.Resize(232), augment.CenterCrop(224)]
    return Recipe(train, {"batch_size": 1024, "normalize": "imagenet", "augment": crop})


def timm_rsb_a2() -> Recipe:
    """ResNet-50 on ImageNet, 79.8 % in 300 epochs (R. Wightman et al., "ResNet strikes back", 2021, procedure A2).

    Random resized crops to 224 pixels, flips, timm's RandAugment, MixUp 0.1 or CutMix 1 with the flipped batch. The
    loss is binary cross-entropy. Evaluation: the center 224 of 236 pixels.

    Differs: the original's warps are bicubic, and a third of the samples is shown three times per epoch.
    """
    operations = [
        augment.RandomResizedCrop(224, interpolation="bicubic"),
        augment.HorizontalFlip(),
        augment.TimmRandAugment(magnitude=7, fill=(124, 116, 104)),
    ]
    train = {
        "batch_size": 2048,
        "normalize": "imagenet",
        "augment": operations,
        "mix": augment.Mix(mixup_alpha=0.1, cutmix_alpha=1.0, partner="opposite"),
    }
    crop = [augment.Resize(236, interpolation="bicubic"), augment.CenterCrop(224)]
    return Recipe(train, {"batch_size": 1024, "normalize": "imagenet", "augment": crop})


def simclr(size: int = 224, strength: float = 1.0) -> Recipe:
    """Two views for contrastive learning (T. Chen et al., "A simple framework for contrastive learning", 2020).

    Random resized crops, flips, color jitter with the probability 0.8, grayscale 0.2, Gaussian blur 0.5 with a kernel
    of a tenth of the image. For CIFAR-10, the paper uses ``size=32, strength=0.5`` and no blur: below 64 pixels there
    is none.

    Differs: values are 0 to 1, not standardized.
    """
    s = strength
    operations: list[augment.Operation] = [
        augment.RandomResizedCrop(size, interpolation="bicubic"),
        augment.HorizontalFlip(),
        augment.ColorJitter(0.8 * s, 0.8 * s, 0.8 * s, 0.2 * s, probability=0.8),
        augment.Grayscale(0.2),
    ]
    if size >= 64:
        operations.append(augment.GaussianBlur(min(size // 10 // 2 * 2 + 1, 63), (0.1, 2.0), probability=0.5))
    train = {"batch_size": 512, "normalize": "unit", "augment": operations, "views": 2}
    crop = [augment.Resize(size, interpolation="bicubic")]
    return Recipe(train, {"batch_size": 512, "normalize": "unit", "augment": crop})
