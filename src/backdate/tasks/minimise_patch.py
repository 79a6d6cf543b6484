"""Leaving out of a patch what is not needed: delta debugging over its hunks (Zeller & Hildebrandt 2002)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from backdate.bisection.minimise import Subset, minimise
from backdate.bisection.search import ProbeStatus
from backdate.tasks.patching import FilePatch

_HUNK = re.compile(rb"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Minimised:
    """A smaller patch that does the same."""

    patch: str
    kept: int
    """Hunks."""
    removed: int
    runs: int
    complete: bool
    """Whether nothing more could be left out; False when the runs did not suffice to know."""


def split_hunks(files: Sequence[FilePatch]) -> list[FilePatch]:
    """One part for each hunk; a file that comes or goes stays whole."""
    parts: list[FilePatch] = []
    for file in files:
        starts = [match.start() for match in _HUNK.finditer(file.text)]
        if file.kind != "change" or len(starts) < 2:
            parts.append(file)
            continue
        header = file.text[: starts[0]]
        bounds = [*starts, len(file.text)]
        for start, end in pairwise(bounds):
            parts.append(replace(file, text=header + file.text[start:end], added=0, removed=0))
    return parts


def join_hunks(parts: Sequence[FilePatch]) -> str:
    """The patch that the parts are together; the hunks of one file come under one header."""
    texts: dict[str, bytes] = {}
    for part in parts:
        if not part.text:
            sign = b"new" if part.kind == "create" else b"deleted"
            name = part.path.encode("utf-8", "surrogateescape")
            texts[part.path] = b"diff --git %s %s\n%s file mode 100644\n" % (name, name, sign)
        elif part.path in texts:
            match = _HUNK.search(part.text)
            texts[part.path] += part.text[match.start() if match else 0 :]
        else:
            texts[part.path] = part.text
    return b"".join(texts.values()).decode("utf-8", "surrogateescape")


def minimise_patch(
    files: Sequence[FilePatch], solves: Callable[[str], bool], *, most_runs: int = 60
) -> Minimised:
    """The smallest patch that was found to solve, of ``files``, which do.

    ``solves`` is asked at most ``most_runs`` times, never twice for the same hunks.
    """
    parts = split_hunks(files)
    names = [str(number) for number in range(len(parts))]
    best, runs, complete = frozenset(names), 0, True

    def patch_of(subset: Subset) -> str:
        return join_hunks([part for name, part in zip(names, parts, strict=True) if name in subset])

    if len(parts) > 1:
        search = minimise(names)
        try:
            subset = next(search)
            while True:
                if runs >= most_runs:
                    complete = False
                    break
                runs += 1
                good = solves(patch_of(subset))
                if good and len(subset) < len(best):
                    best = subset
                # the search looks for what is enough to fail: here, for what is enough to solve
                subset = search.send(ProbeStatus.BAD if good else ProbeStatus.GOOD)
        except StopIteration as end:
            best = end.value
    return Minimised(
        patch=patch_of(best),
        kept=len(best),
        removed=len(parts) - len(best),
        runs=runs,
        complete=complete,
    )
