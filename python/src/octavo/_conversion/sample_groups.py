"""The groups of samples, such as patients, all of which stay in one split."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._annotate import annotated_call
from .dataset_samples import by_split
from .plain_values import as_json

#: One group for each sample, or a function of a sample.
Groups = Sequence[Any] | Callable[[Any], Any]

#: The column that keeps the groups.
GROUP_COLUMN = "group"


class GroupsOfSplit:
    """The groups of the samples of one split."""

    def __init__(self, split: str, given: Groups, part: Any) -> None:
        self._split = split
        self._function = given if callable(given) else None
        self._groups = [] if callable(given) else list(given)
        if hasattr(part, "__len__"):
            self.check_length(len(part))

    def __call__(self, number: int, sample: Any, where: str) -> Any:
        if self._function is not None:
            group = annotated_call(self._function, sample, f"groups with {where}")
        elif number < len(self._groups):
            group = self._groups[number]
        else:
            raise ValueError(f"groups has {len(self._groups)} elements; split {self._split!r} has more samples")
        group = as_json(group)
        return None if group != group else group  # NaN: missing, as in pandas

    def check_length(self, sample_count: int) -> None:
        if self._function is None and len(self._groups) != sample_count:
            raise ValueError(
                f"groups has {len(self._groups)} elements for {sample_count} samples of split {self._split!r}; give "
                "one for each sample"
            )


def resolve_groups(
    groups: Groups | Mapping[str, Groups] | None, group_by: str | None, parts: Mapping[str, Any], columns: Sequence[str]
) -> tuple[dict[str, GroupsOfSplit], str | None]:
    """The groups by split, and the column that decides; `columns` are those that the user keeps.

    Raises
    ------
    ValueError
        If `groups` does not fit the datasets `parts`, or the other arguments.
    """
    groups_of = _groups_of_splits(groups, parts)
    if not groups_of:
        return {}, group_by
    if group_by is not None:
        raise ValueError("groups and group_by were both given; give one of them")
    if GROUP_COLUMN in columns:
        raise ValueError(f"columns names {GROUP_COLUMN!r}, the column for groups=; use group_by={GROUP_COLUMN!r}")
    return groups_of, GROUP_COLUMN


def _groups_of_splits(
    groups: Groups | Mapping[str, Groups] | None, parts: Mapping[str, Any]
) -> dict[str, GroupsOfSplit]:
    if groups is None:
        return {}
    if isinstance(groups, Mapping):
        given = by_split(groups, parts, "groups")
    elif callable(groups) or len(parts) == 1:
        given = dict.fromkeys(parts, groups)
    else:
        raise ValueError("groups is one sequence, but dataset has several splits; give a mapping from their names")
    return {name: GroupsOfSplit(name, group, parts[name]) for name, group in given.items()}


def columns_for_choice(group_by: str | None, holdout: Any) -> list[str]:
    """The fields that decide in which split a sample is."""
    fields = [group_by] if group_by and not group_by.startswith("path:") else []
    if isinstance(holdout, str) and "=" in holdout:
        fields.append(holdout.split("=", 1)[0])
    return fields
