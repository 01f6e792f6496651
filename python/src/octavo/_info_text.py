"""The text of `info`, as ``octavo info`` prints it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: If there are more classes than this, only the first `_FIRST_CLASSES` are listed; and so many targets at most.
_MOST_CLASSES = 20
_FIRST_CLASSES = 10

#: The ranges of more channels are not listed.
_MOST_CHANNELS = 8

#: The value of mask pixels to ignore.
_IGNORED = 255


def info_text(figures: Mapping[str, Any], name: str, mask_names: Mapping[int, str]) -> str:
    """The figures of `info` as text; `name` is that of the file."""
    splits: dict[str, dict[str, Any]] = figures["splits"]
    classes: list[str] = figures["classes"]
    lines = [_summary(figures, name), "", "Splits", *_split_lines(splits)]
    lines += _choice_lines(figures["provenance"])
    lines += _class_lines(splits, classes)
    lines += _mask_lines(splits, mask_names)
    lines += _target_lines(splits)
    sizes = _source_sizes(figures["provenance"])
    unusual = [
        ("labels of " + key, split["label_outliers"]) for key, split in splits.items() if split["label_outliers"]
    ]
    if sizes or unusual:
        lines += ["", "Sizes and outliers", *_table("ll", [*sizes, *unusual])]
    return "\n".join(lines) + "\n"


def format_bytes(count: int) -> str:
    """For example ``764.3 KiB``."""
    if count < 1024:
        return f"{count} B"
    value, units = count / 1024, ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    while value >= 1023.95:
        value /= 1024
        units.pop(0)
    return f"{value:.1f} {units[0]}"


def _loss_line(name: str, loss: str) -> str:
    return f"  {name}{': loss ' if loss.startswith('unknown') else ' is lossy: '}{loss}"


def _range_line(name: str, ranges: Sequence[Sequence[float]]) -> str:
    texts = [f"{low:.6g} to {high:.6g}" for low, high in ranges]
    if all(pair == ranges[0] for pair in ranges):
        return f"  range of {name}: {texts[0]}"
    shown = ", ".join(texts) if len(texts) <= _MOST_CHANNELS else f"different ones in {len(texts):,} channels"
    return f"  ranges of {name}, by channel: {shown}"


def _counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def _shape(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape))


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _table(alignment: str, rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows as lines; a letter for each column: l or r."""
    widths = [max((len(row[at]) for row in rows if at < len(row)), default=0) for at in range(len(alignment))]
    lines = []
    for row in rows:
        cells = zip(row, alignment, widths, strict=False)
        padded = (cell.rjust(width) if side == "r" else cell.ljust(width) for cell, side, width in cells)
        lines.append(("  " + "  ".join(padded)).rstrip())
    return lines


def _summary(figures: Mapping[str, Any], name: str) -> str:
    splits = list(figures["splits"].values())
    shapes = {split["shape"] for split in splits}
    text = f"{_printable(name)}: {_counted(sum(split['samples'] for split in splits), 'sample')}"
    if len(shapes) == 1:
        text += f" of {_shape(splits[0]['shape'])}"
    text += f" in {_counted(len(splits), 'split')}"
    if figures["classes"]:
        text += f", {_counted(len(figures['classes']), 'class', 'classes')}"
    as_float32 = sum(_float32_bytes(split) for split in splits)
    return f"{text}; {format_bytes(figures['file_bytes'])}, as float32 {format_bytes(as_float32)}"


def _float32_bytes(split: Mapping[str, Any]) -> int:
    return int(4 * split["packed_bytes"] + split["mask_bytes"])


def _split_lines(splits: Mapping[str, Mapping[str, Any]]) -> list[str]:
    rows = [["split", "samples", "shape", "color", "labels", "source", "float32", "int8", "in the file"]]
    for name, split in splits.items():
        int8 = format_bytes(split["packed_bytes"] + split["mask_bytes"])
        sizes = [split["source_dtype"], format_bytes(_float32_bytes(split)), int8, _stored(split)]
        rows.append([name, f"{split['samples']:,}", _shape(split["shape"]), split["color"], _labels(split), *sizes])
    lines = _table("lrllllrrr", rows)
    for name, split in splits.items():
        lines += [_range_line(name, split["ranges"])] if split["source_dtype"] != "uint8" else []
        lines += [_loss_line(name, split["loss"])] if split["loss"] else []
    for name, split in splits.items():
        if split["columns"]:
            lines.append(f"  columns of {name}: {_printable(', '.join(split['columns']))}")
    return lines


def _stored(split: Mapping[str, Any]) -> str:
    if split["compression"] == "none":
        return "plain"
    ratio = split["packed_bytes"] / split["stored_bytes"]
    error = f" with max error {split['max_error']}" if split["max_error"] else ""
    stored = format_bytes(split["stored_bytes"] + split["stored_mask_bytes"])
    return f"{stored} ({split['compression']}{error}, {ratio:.2f}x)"


def _labels(split: Mapping[str, Any]) -> str:
    """For example ``class; masks, 21 classes``."""
    kind = split["label_kind"]
    width = split["label_shape"][0] if split["label_shape"] else 1
    text = str(kind)
    if kind == "multi_label":
        text = f"multi-label x {width:,}"
    elif kind == "target":
        text = _counted(width, "target")
    if not split["has_masks"]:
        return text
    masks = f"masks, {_counted(len(split['mask_counts'].keys() - {_IGNORED}), 'class', 'classes')}"
    return masks if kind == "none" else f"{text}; {masks}"


def _choice_lines(provenance: Any) -> list[str]:
    """How the samples were chosen."""
    notes = _notes(provenance)
    lines = []
    if holdout := notes.get("holdout"):
        lines.append(f"  held out of train: {_as_text(holdout)}")
    if group_by := notes.get("group_by"):
        lines.append(f"  samples in one split: those with the same {_as_text(group_by)}")
    return lines


def _notes(provenance: Any) -> Mapping[str, Any]:
    """What packing recorded; provenance may be any text."""
    notes = provenance.get("notes") if isinstance(provenance, Mapping) else None
    return notes if isinstance(notes, Mapping) else {}


def _as_text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key.replace('_', ' ')} {_as_text(part)}" for key, part in value.items())
    return _printable(str(value))


def _class_lines(splits: Mapping[str, Mapping[str, Any]], classes: Sequence[str]) -> list[str]:
    counts = {name: split["class_counts"] for name, split in splits.items() if "class_counts" in split}
    numbers = sorted(set(range(len(classes))).union(*counts.values()))
    if not numbers:
        return []
    rows = [["label", "name", *counts]]
    for number in numbers[: _FIRST_CLASSES if len(numbers) > _MOST_CLASSES else _MOST_CLASSES]:
        name = _printable(classes[number]) if number < len(classes) else ""
        rows.append([str(number), name, *(f"{count.get(number, 0):,}" for count in counts.values())])
    lines = ["", f"Classes: {len(numbers):,}" + ("" if classes else ", without names")]
    lines += _table("rl" + "r" * len(counts), rows)
    if (hidden := len(numbers) - len(rows) + 1) > 0:
        lines.append(f"  and {hidden:,} more")
    return lines


def _mask_lines(splits: Mapping[str, Mapping[str, Any]], names: Mapping[int, str]) -> list[str]:
    """The share of each class of masks in the pixels of each split."""
    counts = {name: split["mask_counts"] for name, split in splits.items() if split["has_masks"]}
    if not counts:
        return []
    rows = [["class", *counts]]
    for value in sorted(set().union(*counts.values())):
        name = names.get(value, "ignored" if value == _IGNORED else "")
        shares = (_percent(count.get(value, 0) / sum(count.values())) for count in counts.values())
        rows.append([f"{value} {_printable(name)}".rstrip(), *shares])
    lines = ["", "Masks: share of the pixels", *_table("l" + "r" * len(counts), rows)]
    for name in counts:
        if (sampled := splits[name]["mask_samples"]) < splits[name]["samples"]:
            lines.append(f"  {name}: of {sampled:,} samples, spread evenly")
    return lines


def _percent(share: float) -> str:
    return "<0.1 %" if 0 < share < 0.0005 else f"{100 * share:.1f} %"


def _target_lines(splits: Mapping[str, Mapping[str, Any]]) -> list[str]:
    rows = [["split", "target", "min", "mean", "max", "histogram, from min to max"]]
    for name, split in splits.items():
        columns = split.get("targets", [])
        for number, column in enumerate(columns[:_MOST_CLASSES]):
            figures = [f"{column[key]:.6g}" if column["count"] else "" for key in ("min", "mean", "max")]
            bad = f"{column['not_finite']:,} not finite" if column["not_finite"] else ""
            drawn = f"{_sketch(column['histogram'])} {bad}".rstrip() if column["count"] else bad
            rows.append([name if number == 0 else "", str(number), *figures, drawn])
        if len(columns) > _MOST_CLASSES:
            rows.append(["", f"and {len(columns) - _MOST_CLASSES:,} more"])
    return ["", "Targets", *_table("lrrrrl", rows)] if len(rows) > 1 else []


def _sketch(counts: Sequence[int]) -> str:
    """Counts as one character each: a blank for 0, "." for few, "#" for the most."""
    levels, largest = ".:-=+*#", max(1, *counts)
    drawn = (levels[int(count / largest * (len(levels) - 1))] if count else " " for count in counts)
    return f"|{''.join(drawn)}|"


def _source_sizes(provenance: Any) -> list[tuple[str, str]]:
    """What packing recorded of the sizes of the source images, for each split and source."""
    recorded = _notes(provenance).get("source_sizes")
    if not isinstance(recorded, list):
        return []
    all_sizes = [sizes for sizes in recorded if isinstance(sizes, Mapping)]
    rows = []
    seen: dict[str, int] = {}
    for sizes in all_sizes:
        split = str(sizes.get("split"))
        seen[split] = seen.get(split, 0) + 1
        of_split = sum(str(other.get("split")) == split for other in all_sizes)
        source = "" if of_split == 1 else f", source {seen[split]} ({sizes.get('images')})"
        text = "{smallest} to {largest}, median {median}; {enlarged} enlarged, {outliers} of unusual size".format_map(
            {key: sizes.get(key, "?") for key in ("smallest", "largest", "median", "enlarged", "outliers")}
        )
        rows.append((f"images of {split}{source}", text))
        for outlier in sizes.get("first_outliers") or []:
            rows.append(("", f"{outlier.get('size')}  {_printable(str(outlier.get('name')))}"))
    return rows
