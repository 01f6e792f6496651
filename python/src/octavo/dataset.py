"""Opens dataset files and gives access to their contents."""

from __future__ import annotations

import json
import operator
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from . import _core
from ._loading.frameworks import to_host
from ._loading.integrations import check_trainer
from ._loading.samplers import Items
from ._remote.byte_source import Location, checked_cache, find_source, is_location
from ._wrong_data import wrong_data

if TYPE_CHECKING:
    import numpy.typing as npt

# In notebooks, which are saved with their output: all pictures of a dataset take less than 60 KB.
_SHEET_IMAGES = 16
_BLOCK_BYTES = 32 << 20


def _is_array(index: Any) -> bool:
    """True for a sequence of indices or a mask."""
    if hasattr(index, "__array__"):  # also tensors
        return getattr(index, "ndim", 0) > 0
    return isinstance(index, Sequence) and not isinstance(index, (str, bytes, tuple))


class _FileArray:
    """An array of one item per sample, read from the file when indexed. Every read is verified against checksums."""

    _what: ClassVar[str]
    _dtype: ClassVar[np.dtype[Any]]

    def __init__(self, split: Split) -> None:
        self._split = split

    @property
    def _item_shape(self) -> tuple[int, ...]:
        raise NotImplementedError

    def _read_file(self, native: _core.Split, first: int, count: int) -> npt.NDArray[Any]:
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of samples, and the shape of an item."""
        return (len(self._split), *self._item_shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __len__(self) -> int:
        return len(self._split)

    def __getitem__(self, index: Any) -> npt.NDArray[Any]:
        """The items at an index, slice, array of indices or mask; further indices apply to the axes of an item.

        Raises
        ------
        IndexError
            If an index is out of range.
        FormatError
            If a sample is damaged.
        """
        if not isinstance(index, tuple):
            return self._read(index)
        if not index:
            return self._read(slice(None))
        first, rest = index[0], index[1:]
        if first is Ellipsis:
            # It expands to as many full slices as there are missing axes.
            if len(rest) > self.ndim:
                raise IndexError(f"too many indices: got {len(rest)} for {self.ndim} axes")
            return self[(slice(None),) * (self.ndim - len(rest)) + rest]
        if _is_array(first) and any(_is_array(further) for further in rest):
            raise IndexError(f"{self._what} accept at most one index array; apply the other one to the result")
        items = self._read(first)
        # A single index has removed the first axis.
        places = rest if items.ndim < self.ndim else (slice(None), *rest)
        taken: npt.NDArray[Any] = items[places]
        return taken

    def _read(self, index: Any) -> npt.NDArray[Any]:
        native, count = self._split._opened(), len(self)
        if index is Ellipsis:
            index = slice(None)
        if isinstance(index, slice):
            start, stop, step = index.indices(count)
            chosen = range(start, stop, step)
            if chosen and abs(step) == 1:
                return self._read_range(native, min(chosen[0], chosen[-1]), len(chosen))[::step]
            return self._read_rows(native, chosen)
        if isinstance(index, (bool, np.bool_)):
            raise IndexError(
                f"{self._what} are indexed by integers, slices, lists of integers and masks, not by a bool"
            )
        if _is_array(index):
            numbers = np.asarray(to_host(index))
            if numbers.dtype == np.bool_:
                if numbers.shape != (count,):
                    raise IndexError(f"a mask of shape {numbers.shape} does not fit {count} {self._what}")
                numbers = np.flatnonzero(numbers)
            elif numbers.size == 0:
                return self._read_rows(native, [])
            elif numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer):
                raise IndexError(f"{self._what} are indexed by integers, slices, lists of integers and masks")
            return self._read_rows(native, [self._row(int(number)) for number in numbers])
        item: npt.NDArray[Any] = self._read_file(native, self._row(operator.index(index)), 1)[0]
        return item

    def _row(self, number: int) -> int:
        count = len(self)
        if not -count <= number < count:
            raise IndexError(f"sample {number} is out of range; split {self._split.name!r} has {count}")
        return number % count

    def _read_range(self, native: _core.Split, first: int, count: int) -> npt.NDArray[Any]:
        items = np.empty((count, *self._item_shape), self._dtype)
        # In blocks, so that Ctrl-C is handled in between.
        block = max(1, _BLOCK_BYTES // max(1, items[:1].nbytes))
        for start in range(0, count, block):
            stop = min(count, start + block)
            items[start:stop] = self._read_file(native, first + start, stop - start)
        return items

    def _read_rows(self, native: _core.Split, rows: Sequence[int]) -> npt.NDArray[Any]:
        items = np.empty((len(rows), *self._item_shape), self._dtype)
        for place, row in enumerate(rows):
            items[place] = self._read_file(native, row, 1)[0]
        return items

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError(f"the {self._what} are in a file; converting them needs copy=True or copy=None")
        return np.asarray(self[:], dtype=dtype)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape={self.shape}, dtype={self._dtype})"


class ImageArray(_FileArray):
    """The images of a split, int8 [N, C, H, W], read from the file when indexed.

    A code is the image's value, 0 ... 255, minus 128: ``images[i].view("uint8") ^ 0x80`` is the image. Every read is
    verified against checksums; damage raises `FormatError`, which names the sample.
    """

    _what = "images"
    _dtype = np.dtype(np.int8)

    @property
    def _item_shape(self) -> tuple[int, ...]:
        return self._split.shape

    def _read_file(self, native: _core.Split, first: int, count: int) -> npt.NDArray[Any]:
        return native.read_images(first, count)


class MaskArray(_FileArray):
    """The masks of a split, uint8 [N, H, W], read from the file when indexed, and verified like images."""

    _what = "masks"
    _dtype = np.dtype(np.uint8)

    @property
    def _item_shape(self) -> tuple[int, ...]:
        return self._split.shape[1:]

    def _read_file(self, native: _core.Split, first: int, count: int) -> npt.NDArray[Any]:
        masks: npt.NDArray[Any] = native.read_masks(first, count)
        return masks


class Split:
    """One split of an open `Dataset`, such as ``train``.

    Also a map-style dataset, as PyTorch defines it, of (image, label) or (image, mask, label); without labels, of
    (image,) or (image, mask). Images are uint8 [C, H, W], masks uint8 [H, W], class numbers and single targets are
    Python numbers, and other labels arrays. A ``torch.utils.data.DataLoader`` or ``Subset`` accepts it; an
    `octavo.Loader` is faster. A slice gives the arrays of its samples.
    """

    def __init__(self, dataset: Dataset, native: _core.Split) -> None:
        self._dataset = dataset
        self._native = native

    def _opened(self) -> _core.Split:
        self._dataset._opened()
        return self._native

    @property
    def name(self) -> str:
        """Its name."""
        return self._native.name

    @property
    def dataset(self) -> Dataset:
        """The dataset that contains this split."""
        return self._dataset

    @property
    def shape(self) -> tuple[int, int, int]:
        """(C, H, W) of an image."""
        return self._native.shape

    @property
    def images(self) -> ImageArray:
        """int8 [N, C, H, W], read when indexed."""
        return ImageArray(self)

    @property
    def has_masks(self) -> bool:
        """Whether each image has a mask: one value, such as a class, for each of its pixels."""
        return self._native.has_masks

    @property
    def masks(self) -> MaskArray | None:
        """uint8 [N, H, W], read when indexed; None if there are none."""
        return MaskArray(self) if self.has_masks else None

    @cached_property
    def labels(self) -> npt.NDArray[Any] | None:
        """int32 [N] class numbers, int32 [N, K] multi-labels, float32 [N] or [N, K] targets; None if there are none."""
        labels = cast("npt.NDArray[Any] | None", self._opened().read_labels())
        return None if labels is None else labels.reshape(len(self), *self.label_shape)

    @property
    def label_kind(self) -> str:
        """``"class"``, ``"multi_label"``, ``"target"`` or ``"none"``."""
        return self._native.label_kind

    @property
    def label_shape(self) -> tuple[int, ...]:
        """The shape of one label: () for a class number or a single target, else (K,)."""
        width = self._native.label_width
        return (width,) if self.label_kind == "multi_label" or (self.label_kind == "target" and width > 1) else ()

    @property
    def targets(self) -> list[Any]:
        """The labels as a list, as torchvision's datasets have it; of class numbers, or of lists. Empty if none."""
        targets: list[Any] = [] if self.labels is None else self.labels.tolist()
        return targets

    @property
    def classes(self) -> list[str]:
        """Class names in label order; empty if unknown."""
        return self._native.class_names

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The class number of each class name."""
        return {name: number for number, name in enumerate(self.classes)}

    @cached_property
    def statistics(self) -> _core.Statistics:
        """Exact statistics, in source units."""
        return self._opened().statistics()

    @property
    def mean(self) -> npt.NDArray[np.float64]:
        """float64 [C]: mean of each channel, in source units (0 ... 255 for 8-bit images)."""
        return self.statistics.mean

    @property
    def std(self) -> npt.NDArray[np.float64]:
        """float64 [C]: population standard deviation of each channel, in source units."""
        return self.statistics.std

    @property
    def mean_image(self) -> npt.NDArray[np.float32]:
        """float32 [C, H, W]: the mean of each pixel."""
        return self.statistics.mean_image.reshape(self.shape)

    @property
    def histogram(self) -> npt.NDArray[np.int64]:
        """int64 [C, 256]: how often each value 0 ... 255 occurs in each channel."""
        return self.statistics.histogram

    @property
    def compression(self) -> str:
        """How the file stores the images: ``"none"``, ``"deflate"``, ``"lp8"`` or ``"lc8"``."""
        return self._native.compression

    @property
    def max_error(self) -> int:
        """Values are multiples of 2 * max_error + 1; `info` gives what packing lost in all."""
        return self._native.max_error

    @property
    def stored_bytes(self) -> int:
        """Bytes that the images occupy in the file."""
        return self._native.stored_bytes

    @property
    def stored_mask_bytes(self) -> int:
        """Bytes that the masks occupy in the file; 0 if there are none."""
        return self._native.stored_mask_bytes

    @property
    def packed_bytes(self) -> int:
        """N*C*H*W: bytes of all images without compression."""
        return self._native.packed_bytes

    @cached_property
    def columns(self) -> dict[str, npt.NDArray[Any] | list[Any]]:
        """The metadata of each sample, by column: int64 or float64 [N] for numbers, NaN if missing; else a list."""
        return {name: _column(values) for name, values in json.loads(self._opened().metadata()).items()}

    def sample_name(self, index: int) -> str | None:
        """Where an image came from, or None if the file was packed without names."""
        return self._opened().sample_name(self.images._row(operator.index(index)))

    def __len__(self) -> int:
        return self._native.sample_count

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        """The image, its mask if there are masks, and its label if there are labels, as a tuple.

        With a slice, an array of indices or a mask: arrays of the images, [n, C, H, W], the masks and the labels.
        """
        if not isinstance(index, slice) and not _is_array(index):
            index = self.images._row(operator.index(index))
        images = np.bitwise_xor(self.images[index].view(np.uint8), 0x80)
        labels = None if self.labels is None else self.labels[to_host(index)]
        if isinstance(labels, np.generic):
            labels = labels.item()
        masks = self.masks
        parts = (images,) if masks is None else (images, masks[index])
        return parts if labels is None else (*parts, labels)

    def __getitems__(self, indices: Sequence[int]) -> Items:
        """The items at several indices, as a ``torch.utils.data.DataLoader`` fetches them."""
        check_trainer(sys._getframe(1))
        return Items(self, indices)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen_split, (self._dataset, self.name)

    def __repr__(self) -> str:
        channels, height, width = self.shape
        return f"Split({self.name!r}, {len(self)} images of {channels}x{height}x{width}, labels: {self.label_kind}" + (
            ", masks)" if self.has_masks else ")"
        )

    #: The HTML of a split in a notebook, with at most so many images. The package sets it: pictures need loaders, which
    #: need splits.
    _sheet_html: ClassVar[Callable[[Split, int], str]]

    def _repr_html_(self, most: int = _SHEET_IMAGES) -> str:
        return self._sheet_html(most)


class Dataset:
    """A dataset file, opened for reading; its contents are read on demand.

    ``dataset["train"]`` is a `Split`, ``"train" in dataset`` shows whether there is one with this name, and iterating
    yields all of them; `split_names` has their names.

    Safe to use after ``fork()``. Pickling passes the path, so another process opens the file again.

    Parameters
    ----------
    path
        The file: its path; an address, such as ``"s3://bucket/photos.h5"`` or ``"https://host/photos.h5"``; what
        `remote_file` returns, or the arguments of that as a tuple; or a file of fsspec, such as
        ``fsspec.open("gs://bucket/photos.h5")``. How remote files are read: ``docs/how-to/remote.md``.
    cache
        For a remote file: a folder on a local disk that keeps what is read, for later epochs and other processes.
    cache_size
        The disk space of that folder, at most, in bytes or as ``"200GiB"``. None: 64 GiB.

    Raises
    ------
    OSError
        If it cannot be read; `FileNotFoundError` if it does not exist, `PermissionError` if that is denied.
    FormatError
        If it is not an Octavo dataset file, has a newer version, is damaged, or was changed by another program.
    ImportError
        If it is an address, and neither obstore (the extra ``octavo[remote]``) nor fsspec is installed.
    """

    def __init__(
        self,
        path: Location,
        *,
        cache: str | os.PathLike[str] | None = None,
        cache_size: int | str | None = None,
    ) -> None:
        self._source = find_source(path)
        kept = checked_cache(cache, cache_size)
        if self._source is not None and kept is not None:
            self._source = self._source._with_cache(kept)
        self._native: _core.Dataset | None
        self._path: Path | str
        if self._source is not None:
            self._native, self._path = self._source._open(), self._source.name
        elif isinstance(path, (str, os.PathLike)):
            self._native, self._path = _core.Dataset.open(os.fspath(path)), Path(path)
        else:
            raise wrong_data("open a dataset", "path", path, "the path of a dataset file")

    def _opened(self) -> _core.Dataset:
        if self._native is None:
            raise ValueError(f"the dataset {str(self._path)!r} is closed; open it again")
        return self._native

    @property
    def path(self) -> Path | str:
        """The file; of a remote one, its address as a string, without user and query."""
        return self._path

    @property
    def _file_name(self) -> str:
        return str(self._path).rpartition("/")[2]

    @property
    def split_names(self) -> list[str]:
        """Names of the splits, in the order of the file."""
        return self._opened().split_names

    def split(self, name: str | None = None) -> Split:
        """The split with this name; by default ``train`` if it exists, else the first split.

        Raises
        ------
        ValueError
            If there is no such split; the message lists the available ones.
        """
        native = self._opened()
        if name is not None and not isinstance(name, str):
            raise TypeError(f"split is {name!r}; it must be a name, of {', '.join(native.split_names)}")
        return Split(self, native.training_split() if name is None else native.split(name))

    def __getitem__(self, name: str) -> Split:
        """The split with this name. Raises KeyError if it does not exist; the message lists the available ones."""
        native = self._opened()
        if name in native.split_names:
            return self.split(name)
        if not isinstance(name, str):
            raise KeyError(f"splits have names, got {name!r}; {self._file_name} has {', '.join(native.split_names)}")
        try:
            return self.split(name)
        except ValueError as error:
            raise KeyError(str(error)) from None

    def __contains__(self, item: object) -> bool:
        """Whether the file has a split with this name, or this split."""
        if isinstance(item, Split):
            return item.dataset.digest == self.digest and item.name in self.split_names
        return item in self.split_names

    def __iter__(self) -> Iterator[Split]:
        return (self.split(name) for name in self.split_names)

    def __len__(self) -> int:
        return len(self.split_names)

    @property
    def classes(self) -> list[str]:
        """Class names in label order; empty if unknown."""
        return self._opened().class_names

    @property
    def mask_classes(self) -> dict[int, str]:
        """Names of the classes of masks by number; empty if unknown. ``octavo.pack(mask_colors=)`` stores them."""
        from . import _pack

        names: dict[int, str] = _pack.mask_class_names(self._opened())
        return names

    @property
    def provenance(self) -> dict[str, Any]:
        """How the file was made: command line, sources, resizing, skipped files, library versions."""
        provenance: dict[str, Any] = json.loads(self._opened().provenance)
        return provenance

    @property
    def uuid(self) -> str:
        """The file's unique identifier."""
        return self._opened().uuid

    @property
    def digest(self) -> str:
        """A digest of the file's contents, 16 hex digits.

        It covers everything that the file stores, also when it was made and how images are compressed, so that files
        with equal samples differ. To compare samples, use ``provenance["source_digests"]``: for each split, a digest of
        the values of its images and their order, without labels and masks, however and whenever they were packed.
        """
        return self._opened().digest

    @property
    def created(self) -> str:
        """When the file was made: ISO 8601, UTC."""
        return self._opened().created

    @property
    def file_bytes(self) -> int:
        """Bytes of the whole file."""
        return self._opened().file_bytes

    def close(self) -> None:
        """Closes the dataset: later reads raise ValueError. Stores that were loaded from it stay valid.

        The file handle is released with the last `Split` or `Store` created from it.
        """
        self._native = None

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, (self._source or self._path, self.digest)

    def __repr__(self) -> str:
        if self._native is None:
            return f"Dataset({str(self._path)!r}, closed)"
        splits = ", ".join(f"{split.name}: {len(split)}" for split in self)
        return f"Dataset({str(self._path)!r}, {splits})"

    def _repr_html_(self) -> str:
        import html

        each = max(1, _SHEET_IMAGES // len(self))
        shown = [split._repr_html_(each) for split, _ in zip(self, range(_SHEET_IMAGES), strict=False)]
        return f"<div>{html.escape(repr(self))}</div>" + "".join(shown)


def dataset_of(data: Location | Dataset, action: str) -> Dataset:
    """The dataset of a path, or the given one. Raises TypeError for anything else; `action` is what needs it."""
    if isinstance(data, Dataset):
        return data
    if not isinstance(data, Split) and is_location(data):
        return Dataset(data)
    if isinstance(data, Split):
        raise TypeError(f"{action}: data is a Split; pass its dataset, split.dataset")
    raise wrong_data(action, "data", data, "the path of a dataset file, or a Dataset")


def dataset_and_split(data: Location | Dataset | Split, split: str | None, action: str) -> tuple[Dataset, str | None]:
    """The dataset, and the name of the split that `data` or `split` chooses, if one of them does.

    Raises
    ------
    TypeError
        If `data` is something else.
    ValueError
        If both choose a split, but not the same one.
    """
    if not isinstance(data, Split):
        return dataset_of(data, action), split
    if split not in (None, data.name):
        raise ValueError(f"split is {split!r}, but data is already the split {data.name!r}")
    return data.dataset, data.name


def _column(values: list[Any]) -> npt.NDArray[Any] | list[Any]:
    kinds = {type(value) for value in values}
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in values):
        return np.array(values, np.int64)
    if kinds <= {int, float, type(None)} and kinds != {type(None)}:
        return np.array([np.nan if value is None else value for value in values], np.float64)
    return values


def _reopen(path: Location, digest: str) -> Dataset:
    dataset = Dataset(path)
    if dataset.digest != digest:
        dataset.close()
        raise ValueError(f"{str(dataset.path)!r} has changed since a dataset of it was pickled; open it again")
    return dataset


def _reopen_split(dataset: Dataset, name: str) -> Split:
    return dataset.split(name)
