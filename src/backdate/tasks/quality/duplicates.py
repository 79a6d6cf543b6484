"""Tasks of a data set that ask for the same: with the same words or reference patch, or nearly so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from backdate.editing.patch import read_patch
from backdate.errors import SourceError
from backdate.serial import digest
from backdate.tasks.quality.alike_sets import alike_pairs
from backdate.tasks.quality.patch_lines import added_lines, removed_lines
from backdate.tasks.quality.record import QualityEvidence
from backdate.tasks.task import IssueFacts, Task

LEAST_ALIKE = 0.7
"""The share of runs of words that near-duplicates have in common: one word of twenty may be another."""
_RUN = 3
"""Words in a run."""
_LEAST_WORDS = 20
"""Shorter texts ("Update dependencies") are the same by chance."""
_LEAST_LINES = 3
"""Of a patch, likewise."""
_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\w+|[^\w\s]")

Part = Literal["text", "patch"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compared:
    """One part of a task, as it is compared."""

    part: Part
    key: str
    """Equal for parts that are the same."""
    runs: frozenset[tuple[str, ...]]


def duplicates_of(tasks: Iterable[Task]) -> dict[str, tuple[QualityEvidence, ...]]:
    """By the id of each issue task that repeats others of another repository or base: which, and in what.

    Texts that are only nearly the same count between repositories alone: in one of them they come of its
    template.
    """
    known = {task.instance_id: task for task in tasks if isinstance(task.facts, IssueFacts)}
    compared = {name: tuple(_parts(task)) for name, task in known.items()}
    found: dict[str, tuple[QualityEvidence, ...]] = defaultdict(tuple)
    for part in ("text", "patch"):
        of_part = {name: each for name, parts in compared.items() for each in parts if each.part == part}
        keys: dict[str, list[Task]] = defaultdict(list)
        for name, each in of_part.items():
            keys[each.key].append(known[name])
        for same in keys.values():
            for task in same:
                others = [other.instance_id for other in same if _is_other(task, other)]
                if others:
                    words = f"the same {part} as {', '.join(sorted(others))}"
                    found[task.instance_id] += (QualityEvidence(words=words),)
        for name, alike in _nearly(of_part, known).items():
            shown = ", ".join(f"{other} ({share:.0%})" for other, share in sorted(alike.items()))
            found[name] += (QualityEvidence(words=f"nearly the same {part} as {shown}"),)
    return dict(found)


def _nearly(
    compared: Mapping[str, _Compared], known: Mapping[str, Task]
) -> Mapping[str, Mapping[str, float]]:
    """By name: which other tasks are nearly the same in this part, and how alike they are."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    one_of_each = {each.key: name for name, each in compared.items()}
    names: dict[str, list[str]] = defaultdict(list)
    for name, each in compared.items():
        names[each.key].append(name)
    runs = {key: compared[name].runs for key, name in one_of_each.items()}
    for key, other_key, share in alike_pairs(runs, LEAST_ALIKE):
        for name in names[key]:
            for other in names[other_key]:
                task, rival = known[name], known[other]
                within = task.source.name == rival.source.name
                if _is_other(task, rival) and not (within and compared[name].part == "text"):
                    found[name][other] = found[other][name] = share
    return found


def _is_other(task: Task, other: Task) -> bool:
    """Whether it is another task, and not the same change told in another kind of words."""
    same_change = (task.source.name, task.source.revision) == (other.source.name, other.source.revision)
    return task.instance_id != other.instance_id and not same_change


def _parts(task: Task) -> Iterator[_Compared]:
    """What of the task is long enough to be compared."""
    assert isinstance(task.facts, IssueFacts)
    words = _WORD.findall(f"{task.facts.title} {task.facts.text}".lower())
    if len(words) >= _LEAST_WORDS:
        yield _Compared(part="text", key=digest("task text", words), runs=_runs(words))
    try:
        files = read_patch(task.patches.reference)
    except SourceError:
        return
    # Whatever file the lines are in and however they are indented.
    added = [line.text.strip() for file in files for line in added_lines(file) if line.text.strip()]
    removed = [line.text.strip() for file in files for line in removed_lines(file) if line.text.strip()]
    if len(added) + len(removed) >= _LEAST_LINES:
        tokens = _TOKEN.findall("\n".join((*added, *removed)))
        enough = len(tokens) >= _LEAST_WORDS
        yield _Compared(
            part="patch",
            key=digest("task patch", added, removed),
            runs=_runs(tokens) if enough else frozenset(),
        )


def _runs(words: Sequence[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(words[start : start + _RUN]) for start in range(len(words) - _RUN + 1))
