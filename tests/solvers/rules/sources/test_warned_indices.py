"""Indices of which NumPy warned that it will not take them for a tuple any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.advice import SourcePlace
from backdate.advising.uses import uses_in
from backdate.bisection.result import GivenWarning
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.warned_indices import warned_indices

LINE = SourcePlace(file="p.py", line=2)


def proposed(
    tmp_path: Path,
    source: str,
    kind: CauseKind = CauseKind.ASSERTION,
    warned_at: tuple[SourcePlace, ...] = (LINE,),
) -> list[str]:
    (tmp_path / "p.py").write_text(source)
    warned = GivenWarning(
        category="FutureWarning",
        message=(
            "Using a non-tuple sequence for multidimensional indexing is deprecated; use `arr[tuple(seq)]` "
            "instead of `arr[seq]`."
        ),
        places=warned_at,
        names_it=False,
    )
    evidence = FixEvidence(tree=tmp_path, uses=uses_in(tmp_path), texts={"p.py": source}, warnings=(warned,))
    group = FailureGroup(
        cause=Cause(kind=kind, type="AssertionError", message="assert 1 == 2"), tests=("t",), places=()
    )
    return [
        apply_edits(source, rewrite_source(source, made.rewrite, lines=lines).edits)
        for made in warned_indices(group, evidence)
        if made.rewrite is not None and (lines := frozenset(place.line for place in made.places))
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return a[i]", "return a[tuple(i)]"),
        ("return a[[x, y]]", "return a[tuple([x, y])]"),
        ("a[self.at(i)] += b[0]", "a[tuple(self.at(i))] += b[0]"),
    ],
)
def test_the_index_becomes_a_tuple(tmp_path: Path, before: str, after: str) -> None:
    assert proposed(tmp_path, f"def f(a, i):\n    {before}\n") == [f"def f(a, i):\n    {after}\n"]


@pytest.mark.parametrize("line", ["return a[i] + a[j]", "return a[0]", "return a[i:j]", "return a[tuple(i)]"])
def test_a_line_that_does_not_tell_which_index_it_is_is_left_alone(tmp_path: Path, line: str) -> None:
    assert proposed(tmp_path, f"def f(a, i):\n    {line}\n") == []


def test_what_is_missing_is_another_failure(tmp_path: Path) -> None:
    assert proposed(tmp_path, "def f(a, i):\n    return a[i]\n", CauseKind.MISSING_ATTRIBUTE) == []


def test_the_same_index_is_changed_at_all_lines_at_once(tmp_path: Path) -> None:
    source = "def f(a, i, j):\n    b = a[i]\n    a[i] = a[j]\n    c = a[j]\n    return a[i]\n"
    warned = tuple(SourcePlace(file="p.py", line=line) for line in (2, 4, 5))
    assert proposed(tmp_path, source, warned_at=warned) == [
        source.replace("b = a[i]", "b = a[tuple(i)]").replace("return a[i]", "return a[tuple(i)]"),
        source.replace("c = a[j]", "c = a[tuple(j)]"),
    ]
