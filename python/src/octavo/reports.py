"""The memory report, the findings of the doctor, and verification of dataset files."""

from __future__ import annotations

import html
import json
import operator
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from . import _progress
from ._info_text import info_text
from ._loading import frameworks as _frameworks
from ._remote.byte_source import Location, find_source
from ._wrong_data import wrong_data
from .dataset import Dataset, Split, dataset_and_split, dataset_of

if TYPE_CHECKING:
    from . import _pack


class Report(Mapping[str, Any]):
    """The result of `info` or `plan`: a mapping with every figure, which prints as readable text."""

    def __init__(self, figures: dict[str, Any], text: str) -> None:
        self._figures = figures
        self._text = text

    def __getitem__(self, key: str) -> Any:
        return self._figures[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


class MemoryReport(Report):
    """The result of `report`: a mapping with every figure, which prints as text, and shows as a page in a notebook."""

    def __init__(self, measured: _pack.MemoryReport, dataset: Dataset, device: Any, batch_size: int) -> None:
        super().__init__(json.loads(measured.to_json()), measured.to_text())
        self._measured = measured
        self._dataset = dataset
        self._device = device
        self._batch_size = batch_size
        self._page: str | None = None

    def to_html(self, path: str | os.PathLike[str] | None = None, *, progress: _progress.Progress = None) -> str:
        """Returns the report as one HTML page without scripts or links to other files.

        The page shows what is in the dataset (classes, samples, brightness, mean image), what int8 saves and costs, how
        fast it is, what fits on well-known GPUs, and what looks wrong, as `doctor` finds it. With PyTorch, it compares
        the speed of `Loader` with a `DataLoader` over the same samples.

        The first call reads all samples and measures for a few seconds.

        >>> octavo.report("photos.h5").to_html("photos.html")

        Parameters
        ----------
        path
            Also write the page to this .html or .htm file, which is replaced if it exists.
        progress
            As in `Store`.

        Raises
        ------
        FormatError, OSError
            If a sample is damaged, or a file cannot be read or written.
        ValueError
            If `path` does not end in .html or .htm.
        """
        from . import _pack
        from ._loading import loader_speed as _loader_speed

        # Prevents a typo from replacing a file of another kind, such as the dataset.
        if path is not None and Path(path).suffix not in (".html", ".htm"):
            raise ValueError(
                f"path is {os.fspath(path)!r}; the page is an HTML file; use a name that ends in .html or .htm"
            )
        if self._page is None:
            speeds, missing = _loader_speed.measure(self._dataset[self["split"]], self._device, self._batch_size)
            with _progress.shown(progress) as on_progress:
                self._page = _pack.report_page(self._dataset._opened(), self._measured, speeds, missing, on_progress)
        if path is not None:
            Path(path).write_text(self._page, encoding="utf-8")
        return self._page

    def _repr_html_(self) -> str:
        # A frame keeps the page's style away from the notebook's.
        page = html.escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:720px;border:0" title="Octavo report"></iframe>'


@dataclass(frozen=True)
class Finding:
    """Something in a dataset file that would spoil training or a benchmark, or is worth a look."""

    check: str  #: such as ``"near_across_splits"``
    severity: str  #: ``"error"``, ``"warning"`` or ``"note"``
    count: int  #: of what the summary counts first
    summary: str
    #: Each has ``samples``, a list of mappings with ``split``, ``row`` and, if the file has names, ``name``; and
    #: perhaps ``detail``.
    examples: list[dict[str, Any]]
    remedy: str


class DoctorReport(Sequence[Finding]):
    """The result of `doctor`: its findings, most severe first. Prints as text."""

    def __init__(self, figures: dict[str, Any], text: str) -> None:
        self._findings = [Finding(**finding) for finding in figures["findings"]]
        self._text = text
        #: What was not checked, or not completely, and why.
        self.limits: list[str] = figures["limits"]

    def __getitem__(self, index: Any) -> Any:
        return self._findings[index]

    def __len__(self) -> int:
        return len(self._findings)

    def __repr__(self) -> str:
        return self._text.rstrip("\n")

    @property
    def errors(self) -> list[Finding]:
        """The findings that make a benchmark or a training wrong."""
        return [finding for finding in self if finding.severity == "error"]

    @property
    def warnings(self) -> list[Finding]:
        """The findings that probably do."""
        return [finding for finding in self if finding.severity == "warning"]

    @property
    def notes(self) -> list[Finding]:
        """The findings that are worth a look."""
        return [finding for finding in self if finding.severity == "note"]


def info(data: Location | Dataset) -> Report:
    """Describes a dataset file: its splits, classes, masks, targets, statistics and origin. Reads no images.

    >>> octavo.info("photos.h5")
    >>> octavo.info("photos.h5")["splits"]["train"]["class_counts"]

    Parameters
    ----------
    data
        A dataset file or a `Dataset`.

    Returns
    -------
    Report
        ``path``, ``file_bytes``, ``format_version``, ``created``, ``writer``, ``classes``, ``provenance``, and
        ``splits`` by name: ``samples``, ``shape``, ``color``, ``label_kind``, ``label_shape``,
        ``has_masks``, ``has_names``, ``columns``, ``compression``, ``max_error``, ``packed_bytes``,
        ``mask_bytes``, ``stored_bytes``, ``stored_mask_bytes``, ``mean``, ``std``, ``source_dtype``,
        ``ranges``, the numbers that 0 and 255 represent in each channel, ``loss`` of quantizing and
        ``label_outliers``, each as text, empty if there is none; with class numbers or multi-labels,
        ``class_counts`` by number; with targets, ``targets``: for each column ``min``, ``mean``, ``max``,
        ``histogram`` (equal parts of min ... max), ``count`` and ``not_finite``; with masks,
        ``mask_counts``, the pixels by value, of ``mask_samples`` samples (those of 64 MiB of masks, spread
        evenly).

    Raises
    ------
    FormatError, OSError
        See `Dataset`.
    """
    dataset = dataset_of(data, "describe")
    native = dataset._opened()
    splits = {split.name: _split_figures(split) for split in dataset}
    figures = {
        "path": str(dataset.path),
        "file_bytes": dataset.file_bytes,
        "format_version": native.format_version,
        "created": dataset.created,
        "writer": native.writer,
        "classes": dataset.classes,
        "splits": splits,
        "provenance": dataset.provenance,
    }
    return Report(figures, info_text(figures, dataset._file_name, dataset.mask_classes))


#: Of more masks, the pixels of some are counted.
_MASK_BYTES = 64 << 20


def _ranges(split: Split) -> list[list[float]]:
    """The numbers that 0 and 255 represent in each channel."""
    statistics = split.statistics
    low = np.asarray(statistics.zero_point, np.float64)
    return np.stack([low, low + 255.0 * np.asarray(statistics.scale, np.float64)], axis=1).tolist()  # type: ignore[no-any-return]


def _split_figures(split: Split) -> dict[str, Any]:
    from . import _pack

    figures: dict[str, Any] = {
        "samples": len(split),
        "shape": split.shape,
        "color": _pack.color_of(split._opened()).name,
        "label_kind": split.label_kind,
        "label_shape": split.label_shape,
        "has_masks": split.has_masks,
        "has_names": split.sample_name(0) is not None,
        "columns": split._native.columns,
        "compression": split.compression,
        "max_error": split.max_error,
        "packed_bytes": split.packed_bytes,
        "mask_bytes": len(split) * split.shape[1] * split.shape[2] if split.has_masks else 0,
        "stored_bytes": split.stored_bytes,
        "stored_mask_bytes": split.stored_mask_bytes,
        "mean": split.mean.tolist(),
        "std": split.std.tolist(),
        "source_dtype": split._native.source_dtype,
        "ranges": _ranges(split),
        "loss": _pack.recorded_loss(split.dataset._opened(), split.name),
        "label_outliers": _pack.label_outliers(split._opened()),
    }
    if split.label_kind == "class" and split.labels is not None:
        counts = dict.fromkeys(range(len(split.classes)), 0)
        numbers, found = np.unique(split.labels, return_counts=True)
        figures["class_counts"] = counts | dict(zip(numbers.tolist(), found.tolist(), strict=True))
    if split.label_kind == "multi_label" and split.labels is not None:
        figures["class_counts"] = dict(enumerate(np.count_nonzero(split.labels, axis=0).tolist()))
    if split.label_kind == "target":
        names = ("count", "not_finite", "min", "mean", "max", "histogram")
        columns = _pack.summarize_targets(split._opened())
        figures["targets"] = [{name: getattr(column, name) for name in names} for column in columns]
    if split.has_masks:
        figures["mask_counts"], figures["mask_samples"] = _pack.count_masks(split._opened(), _MASK_BYTES)
    return figures


def report(
    data: Location | Dataset | Split,
    split: str | None = None,
    *,
    device: Any = "auto",
    batch_size: int = 512,
    progress: _progress.Progress = None,
) -> MemoryReport:
    """Measures the memory that int8 storage saves on a device: bytes as float32, float16 and int8, speed, exactness.

    Call it while nothing else in the process allocates or frees memory. `MemoryReport.to_html` makes a page of it.

    Parameters
    ----------
    data
        A dataset file, a `Dataset` or a `Split`.
    split
        By default ``train`` if it exists, else the first split.
    device
        As in `Loader`.
    batch_size
        Samples per batch, for the batch buffers and the measured gathers.
    progress
        As in `Store`.

    Raises
    ------
    ValueError
        If there is no such split, or batch_size is below 1.
    FormatError, OSError, MemoryError, UnavailableError
        See `Store`.
    """
    from . import _lab, _pack

    dataset, split = dataset_and_split(data, split, "report")
    name = _frameworks.resolve_device(device)
    with _progress.shown(progress) as on_progress:
        native = dataset._opened()
        model_bytes = _lab.default_model_bytes(native, split or "", name, batch_size)
        measured = _pack.report(native, split or "", name, batch_size, model_bytes, on_progress)
    return MemoryReport(measured, dataset, device, batch_size)


def doctor(
    data: Location | Dataset,
    *,
    strict: bool = False,
    group_by: str | None = None,
    examples: int = 3,
    threads: int = 0,
    progress: _progress.Progress = None,
) -> DoctorReport:
    """Finds what in a dataset file would spoil training or a benchmark.

    Equal and near-identical images across splits, patients or videos that splits share, labels that one pixel shows,
    blank and truncated images, classes that a split lacks, and more; ``octavo doctor --help`` lists the checks. Reads
    all samples.

    >>> octavo.doctor("photos.h5")
    >>> octavo.doctor("photos.h5", group_by="path:(patient[0-9]+)/").errors

    Parameters
    ----------
    data
        A dataset file or a `Dataset`.
    strict
        Raise an error if there is a finding of severity error or warning.
    group_by
        What must be in one split: the name of a column, or ``"path:"`` and a regular expression (ECMAScript) with one
        capture group, which is searched in the names of the samples. None: columns such as ``patient`` or ``video``.
    examples
        At most so many examples of each finding.
    threads, progress
        As in `pack`.

    Returns
    -------
    DoctorReport
        A sequence of `Finding`, most severe first.

    Raises
    ------
    ValueError
        If an option is invalid, no sample has a group by `group_by`, or `strict` is set and there is an error or a
        warning.
    FormatError, OSError
        If a sample is damaged, or the file cannot be read.
    """
    from . import _pack

    if operator.index(threads) < 0:
        raise ValueError(f"threads is {threads}; it must be 0 for all, or the number of threads")
    if operator.index(examples) < 0:
        raise ValueError(f"examples is {examples}; it must be 0 or more")
    dataset = dataset_of(data, "examine")
    with _progress.shown(progress) as on_progress:
        text, document = _pack.examine(dataset._opened(), group_by or "", examples, threads, on_progress)
    report = DoctorReport(json.loads(document), text)
    if strict and (report.errors or report.warnings):
        raise ValueError(f"examine {text.rstrip()}")
    return report


@overload
def verify(  # type: ignore[overload-overlap]  # a str is a sequence too, but the first matches
    path: str | os.PathLike[str], *, threads: int = 0, progress: _progress.Progress = None
) -> _pack.VerifyResult: ...
@overload
def verify(
    path: Sequence[str | os.PathLike[str]], *, threads: int = 0, progress: _progress.Progress = None
) -> list[_pack.VerifyResult]: ...
def verify(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    threads: int = 0,
    progress: _progress.Progress = None,
) -> _pack.VerifyResult | list[_pack.VerifyResult]:
    """Checks every byte of dataset files: header, index, metadata, every sample; and recomputes the statistics.

    Parameters
    ----------
    path
        A dataset file, or several. An address is accepted, too; then all of it is read, and the view of HDF5 is not
        compared.
    threads, progress
        As for `pack`.

    Returns
    -------
    VerifyResult
        True if the file is intact; otherwise ``defects`` lists each problem with its location and, if it is stored, the
        name of the sample. For several files, a list with a result for each.

    Raises
    ------
    OSError
        If a file cannot be read.
    ValueError
        If threads is negative.
    """
    if threads < 0:
        raise ValueError(f"threads is {threads}; it must be 0 for all, or the number of threads")
    if not isinstance(path, (str, os.PathLike)):
        path = _checked_paths(path)
    with _progress.shown(progress) as on_progress:
        if isinstance(path, (str, os.PathLike)):
            return _verified(path, threads, on_progress)
        return [_verified(file, threads, on_progress) for file in path]


def _verified(path: str | os.PathLike[str], threads: int, on_progress: Any) -> _pack.VerifyResult:
    from . import _pack
    from ._remote.remote_folder import open_native

    source = find_source(path)
    if source is None:
        return _pack.verify(Path(path), threads, on_progress)
    open_shard = (lambda name: open_native(source._sibling(name))) if source.name.endswith(".json") else None
    return _pack.verify_remote(open_native(source), open_shard, threads, on_progress)


def _checked_paths(paths: Any) -> list[str | os.PathLike[str]]:
    """Several paths. Raises TypeError if they are something else."""
    if isinstance(paths, (Dataset, Split)):
        attribute = "path" if isinstance(paths, Dataset) else "dataset.path"
        raise TypeError(f"verify: path is a {type(paths).__name__}; pass the path of its file, .{attribute}")
    given = list(paths) if isinstance(paths, Iterable) else [paths]
    for path in given:
        if not isinstance(path, (str, os.PathLike)):
            raise wrong_data("verify", "path", paths, "the path of a dataset file, or several")
    return given
