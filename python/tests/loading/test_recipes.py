"""Recipes: their loaders, and the facts that their descriptions state."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import octavo
import pytest
from conftest import write_packed
from octavo import augment, recipes

SIZES = {"airbench94": 32, "airbench96": 32, "hiverge": 32}


def loader(path: Path, arguments: dict, count: int = 8, **options) -> octavo.Loader:
    return octavo.Loader(path, framework="numpy", device="cpu", **{**arguments, "batch_size": count}, **options)


@pytest.fixture(scope="module", params=[name for name in recipes.__all__ if name != "Recipe"])
def named(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    size = SIZES.get(request.param, 256)
    path = write_packed(tmp_path_factory.mktemp("recipes") / "data.h5", 16, (3, size, size)).path
    return request.param, path


def test_every_recipe_makes_batches(named: tuple[str, Path]) -> None:
    name, path = named
    recipe = getattr(recipes, name)()
    images, labels = loader(path, recipe.train, shuffle=True)[0]
    views = recipe.train.get("views", 1)
    assert images.shape[: 2 if views > 1 else 1] == ((8, views) if views > 1 else (8,))
    assert np.isfinite(images).all()
    is_soft = "mix" in recipe.train or "label_smoothing" in recipe.train
    assert labels.ndim == (2 if is_soft else 1)
    if is_soft:
        np.testing.assert_allclose(labels.sum(1), 1.0, rtol=1e-5)
    evaluated = loader(path, recipe.evaluation)
    first, again = evaluated[0], evaluated[0]
    assert first[1].ndim == 1
    np.testing.assert_array_equal(first[0], again[0])
    evaluated.set_epoch(5)
    np.testing.assert_array_equal(first[0], evaluated[0][0])  # nothing is random
    assert len(recipe.view_weights) == (recipe.evaluation.get("views", 0))
    assert sum(recipe.view_weights) == (1.0 if recipe.view_weights else 0.0)
    assert "Differs:" in inspect.getdoc(getattr(recipes, name)) or name == "ffcv_rn50"


def test_a_recipe_serves_the_same_batches_from_every_residency(named: tuple[str, Path]) -> None:
    name, path = named
    recipe = getattr(recipes, name)()
    resident = loader(path, recipe.train, shuffle=True, seed=5)
    streamed = loader(path, recipe.train, shuffle=True, seed=5, residency="streamed")
    one_thread = loader(path, recipe.train, shuffle=True, seed=5, threads=1)
    for other in (streamed, one_thread):
        for (images, labels), (other_images, other_labels) in zip(resident, other, strict=True):
            np.testing.assert_array_equal(images, other_images)
            np.testing.assert_array_equal(labels, other_labels)
        resident.set_epoch(0)


def test_sizes_of_ffcv_grow_late_in_training() -> None:
    operations = recipes.ffcv_rn50(88).train["augment"]
    sizes = [operations(epoch)[0].size for epoch in range(88)]
    assert sizes[0] == 160
    assert sizes[65] == 160
    assert sizes[76] == sizes[87] == 192
    assert set(sizes) == {160, 192}


def test_airbench_shows_both_sides_of_each_image(tmp_path: Path) -> None:
    packed = write_packed(tmp_path / "data.h5", 20, (3, 32, 32))
    train = {**recipes.airbench94().train, "augment": [augment.AlternatingFlip()]}
    epochs = loader(packed.path, train, count=20)
    first = epochs[0][0]
    epochs.set_epoch(1)
    np.testing.assert_array_equal(epochs[0][0], first[..., ::-1])


@pytest.mark.parametrize("name", [name for name in recipes.__all__ if name != "Recipe"])
@pytest.mark.parametrize("epoch", [0, 12, 15])
def test_the_recipes_of_the_program_are_the_same(tmp_path: Path, name: str, epoch: int) -> None:
    data = write_packed(tmp_path / "data.h5", 6, (3, 40, 36)).path
    recipe = getattr(octavo.recipes, name)()
    sizes_and_specs = octavo._core.make_recipe(name, 10, epoch)
    for arguments, size, spec in (
        (recipe.train, *sizes_and_specs[:2]),
        (recipe.evaluation, *sizes_and_specs[2:4]),
    ):
        assert arguments["batch_size"] == size
        softens = "mix" in arguments or "label_smoothing" in arguments
        loader = octavo.Loader(
            data, device="cpu", framework="numpy", progress=False,
            **{**arguments, "batch_size": 3, **({"num_classes": 10} if softens else {})},
        )  # fmt: skip
        options = octavo._core.LoaderOptions()
        options.spec, options.batch_size = spec, 3
        maker = octavo._core.BatchMaker(loader.store._native, options, "float32" if softens else "int64")
        assert maker.fingerprint(epoch, True) == loader.fingerprint(epoch, pixels=True)
    assert tuple(sizes_and_specs[4]) == recipe.view_weights
