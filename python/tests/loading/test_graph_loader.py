"""Batches that are always written to the same tensors."""

from __future__ import annotations

import numpy as np
import octavo
import pytest
from conftest import Packed


def batches_of_loader(packed: Packed, epochs: int, **options):
    loader = octavo.Loader(packed.path, device="cpu", framework="numpy", drop_last=True, **options)
    return [batch for _ in range(epochs) for batch in loader]


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("normalize", ["default", octavo.Normalize("batch")])
def test_next_makes_the_batches_of_a_loader_epoch_after_epoch(packed: Packed, shuffle: bool, normalize) -> None:
    options = {"batch_size": 9, "shuffle": shuffle, "seed": 5, "normalize": normalize}
    graph_loader = octavo.GraphLoader(packed.path, device="cpu", framework="numpy", **options)
    assert len(graph_loader) == 5
    for images, labels in batches_of_loader(packed, 3, **options):
        made, made_labels = graph_loader.next()
        assert made is graph_loader.images
        assert made_labels is graph_loader.labels
        np.testing.assert_array_equal(made, images)
        np.testing.assert_array_equal(made_labels, labels)


def test_one_launch_makes_several_batches(packed: Packed) -> None:
    options = {"batch_size": 7, "shuffle": True, "seed": 1}
    graph_loader = octavo.GraphLoader(packed.path, device="cpu", framework="numpy", batches_per_launch=2, **options)
    wanted = batches_of_loader(packed, 2, **options)
    for first, second in zip(wanted[::2], wanted[1::2], strict=True):
        np.testing.assert_array_equal(graph_loader.next()[0], np.concatenate([first[0], second[0]]))


def test_a_saved_state_moves_to_a_loader_and_back(packed: Packed) -> None:
    options = {"batch_size": 10, "shuffle": True, "seed": 3, "device": "cpu", "framework": "numpy"}
    graph_loader = octavo.GraphLoader(packed.path, **options)
    for _ in range(6):
        graph_loader.next()
    state = graph_loader.state_dict()
    assert (state["epoch"], state["step"]) == (1, 2)
    loader = octavo.Loader(packed.path, drop_last=True, **options)
    loader.load_state_dict(state)
    images, _ = next(iter(loader))
    np.testing.assert_array_equal(graph_loader.next()[0], images)
    graph_loader.load_state_dict(state)
    np.testing.assert_array_equal(graph_loader.next()[0], images)
    with pytest.raises(ValueError, match="it is from a loader with seed 3; this one has 4"):
        octavo.GraphLoader(packed.path, **{**options, "seed": 4}).load_state_dict(state)


def test_options_that_graphs_do_not_support_are_refused(packed: Packed) -> None:
    for options, message in [
        ({"shuffle": "blocks"}, "shuffle is 'blocks'"),
        ({"batch_size": 48}, "batch_size 48 is larger than the 47 samples"),
        ({"batches_per_launch": 0}, "batches_per_launch is 0"),
        ({"batch_size": 1, "rank": 0, "world_size": 2}, "cannot be shared by 2 ranks"),
    ]:
        with pytest.raises(ValueError, match=message):
            octavo.GraphLoader(packed.path, device="cpu", framework="numpy", **options)
    graph_loader = octavo.GraphLoader(packed.path, batch_size=10, device="cpu", framework="numpy")
    for epoch, step in [(-1, 0), (0, 4), (0, -1)]:
        with pytest.raises(ValueError, match="there is no batch"):
            graph_loader.seek(epoch, step)


def test_dlpack_tensors_stay_in_place(packed: Packed) -> None:
    graph_loader = octavo.GraphLoader(packed.path, batch_size=10, device="cpu", framework="dlpack")
    images = np.from_dlpack(graph_loader.images)
    wanted = batches_of_loader(packed, 1, batch_size=10)
    for values, labels in wanted:
        graph_loader.next()
        np.testing.assert_array_equal(images, values)
        np.testing.assert_array_equal(np.from_dlpack(graph_loader.labels), labels)


@pytest.mark.parametrize(
    "name",
    [
        "batch_size", "seed", "shuffle", "carry_over", "rank", "world_size", "batches_per_launch", "augment_seed",
        "views", "label_smoothing", "num_classes", "masks", "ignore_index", "samples_per_epoch", "repeats", "verify",
        "threads",
    ],
)  # fmt: skip
def test_values_of_a_wrong_type_are_named(packed: Packed, name: str) -> None:
    ranks = {"rank": 0, "world_size": 1} if name in ("rank", "world_size") else {}
    for wrong in ("no", [1], 2**70 + 0.5):
        if name == "label_smoothing" and isinstance(wrong, float):
            continue
        with pytest.raises((TypeError, ValueError), match=rf"{name} is "):
            octavo.GraphLoader(packed.path, device="cpu", framework="numpy", **{"batch_size": 5, **ranks, name: wrong})


def test_arguments_of_other_loaders_are_explained(packed: Packed) -> None:
    for options, message in [
        ({"num_workers": 2}, "a GraphLoader has no num_workers=, as a DataLoader has: it has no worker processes"),
        ({"drop_last": True}, "a GraphLoader has no drop_last=, as a Loader has: all its batches are complete"),
        ({"shufle": True}, "octavo.GraphLoader has no argument 'shufle'; did you mean 'shuffle'"),
        ({"augment": octavo.augment.HorizontalFlip}, r"augment is the class HorizontalFlip; pass an operation"),
        ({"augment": lambda epoch: ()}, "augment of a graph cannot depend on the epoch; use a Loader"),
    ]:
        with pytest.raises(TypeError, match=message):
            octavo.GraphLoader(packed.path, device="cpu", batch_size=5, **options)
    graph_loader = octavo.GraphLoader(packed.path, batch_size=5, device="cpu", framework="numpy")
    with pytest.raises(TypeError, match=r"step is 1.5; it must be a whole number"):
        graph_loader.seek(0, 1.5)


def test_only_loaders_have_the_arguments_that_a_graph_refers_to_them() -> None:
    import inspect

    from octavo._loading.loader_arguments import _ONLY_OF_LOADERS

    own, of_loader = (set(inspect.signature(kind.__init__).parameters) for kind in (octavo.GraphLoader, octavo.Loader))
    assert set(_ONLY_OF_LOADERS) == of_loader - own
