"""GitChameleon 2.0 (arXiv 2507.12367): functions to complete for one version of a library.

Read are a checkout (``dataset/`` with ``dataset.jsonl`` and ``hidden_tests/``), that folder, or the rows
alone. Of a row come the code that an answer begins with, the visible test, the hidden tests, and the known
solution.

An environment is shared by the rows of one Python, library, version and further requirements, as published.
In all of them are pytest, NumPy and SciPy besides, and what the rows' own code and tests import. What no row
pins is as of the time that the pins tell (``pinned_sides.py``); in the published ones it is today's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from backdate.errors import ConfigurationError
from backdate.knowledge.modules import in_standard_library, to_install
from backdate.projects.read import read_text
from backdate.snippets.gitchameleon_rows import GitChameleonRow, is_gitchameleon, read_gitchameleon
from backdate.snippets.imported import PROBLEM_MISSING, RefusedRow, SnippetImport
from backdate.snippets.names import aliases_of, uses_of
from backdate.snippets.pinned_sides import Uploads, pinned_side
from backdate.snippets.snippet import (
    ApiChange,
    ApiChangeKind,
    Collection,
    Harness,
    Snippet,
    SnippetAsk,
    SnippetSide,
)

ROWS = "dataset.jsonl"
TESTS = "hidden_tests"
HIDDEN_TESTS_MISSING = "hidden-tests-missing"
"""The flag of a snippet whose visible test is all there is."""
VISIBLE_TEST_MISSING = "visible-test-missing"
SOLUTION_MISSING = "solution-missing"
"""The flags of a snippet whose row does not have the one or the other."""
IN_ALL = ("numpy", "pytest", "scipy")
_LOOKED_AT = 1 << 20
"""Bytes of a file that tell whose rows it holds: the first of them may be damaged."""
_DEFINITION = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+([^\W\d]\w*)", re.MULTILINE)


def snippet_id(example_id: str) -> str:
    """What a row's snippet is called."""
    return f"gitchameleon-{example_id}"


def find_rows(source: Path) -> Path | None:
    """The file with rows in that form that ``source`` is or holds; None where there is none."""
    for path in (source, source / ROWS, source / "dataset" / ROWS):
        try:
            if path.is_file():
                with path.open("rb") as file:
                    if is_gitchameleon(file.read(_LOOKED_AT)):
                        return path
        except OSError:
            continue
    return None


def import_gitchameleon(rows_file: Path, uploads: Uploads) -> SnippetImport:
    """The snippets of ``rows_file`` and the folder around it (``find_rows``).

    Raises ConfigurationError for a file that cannot be read, IndexUnavailable.
    """
    rows, refused = read_gitchameleon(rows_file)
    hidden = {row.example_id: _hidden(row, rows_file.parent) for row in rows}
    judged = [row for row in rows if hidden[row.example_id] or row.test.strip()]
    refused += tuple(
        RefusedRow(name=row.example_id, why="it has no test that could judge an answer")
        for row in rows
        if row not in judged
    )
    sides = _sides(judged, hidden, uploads)
    snippets = tuple(_snippet(row, hidden[row.example_id], sides[row.environment]) for row in judged)
    missing = sum(HIDDEN_TESTS_MISSING in snippet.flags for snippet in snippets)
    note = f"{missing} rows have no hidden tests in {TESTS}/ beside the file: their visible test judges"
    return SnippetImport(snippets=snippets, refused=refused, notes=(note,) if missing else ())


def _sides(
    rows: Sequence[GitChameleonRow], hidden: Mapping[str, str], uploads: Uploads
) -> dict[tuple[str, ...], SnippetSide]:
    """The side of each environment."""
    sharing: defaultdict[tuple[str, ...], list[GitChameleonRow]] = defaultdict(list)
    for row in rows:
        sharing[row.environment].append(row)
    sides: dict[tuple[str, ...], SnippetSide] = {}
    for key, those in sharing.items():
        python, _, version, _ = key
        others = {name for row in those for name in _imported(row, hidden[row.example_id])}
        sides[key] = pinned_side(version, python, _pins(those), (*IN_ALL, *others), uploads)
    return sides


def _pins(rows: Sequence[GitChameleonRow]) -> tuple[Requirement, ...]:
    """The library and what the rows add, each distribution once: the first to name it says its version."""
    pins: dict[str, Requirement] = {}
    for row in rows:
        for pin in row.pins:
            pins.setdefault(canonicalize_name(pin.name), pin)
    return tuple(pins.values())


def _imported(row: GitChameleonRow, hidden: str) -> Iterator[str]:
    """The distributions of what the row's code and tests import."""
    for source in (row.starting_code, row.answer, f"{row.answer}\n{row.test}", hidden):
        for module in set(aliases_of(source).values()):
            if module.partition(".")[0] != _module(row) and not in_standard_library(module):
                yield to_install(module)


def _module(row: GitChameleonRow) -> str:
    """The name by which the hidden tests import an answer."""
    return f"sample_{row.example_id}"


def _hidden(row: GitChameleonRow, folder: Path) -> str:
    try:
        return read_text(folder, f"{TESTS}/test_{_module(row)}.py") or ""
    except ConfigurationError:
        return ""


def _snippet(row: GitChameleonRow, hidden: str, side: SnippetSide) -> Snippet:
    visible = Harness(script=row.test)
    return Snippet(
        id=snippet_id(row.example_id),
        collection=Collection.GITCHAMELEON,
        asks=(SnippetAsk.COMPLETE,),
        library=canonicalize_name(row.library),
        origin=None,
        target=side,
        problem=row.problem.strip(),
        code=row.starting_code,
        entry=_entry(row, hidden),
        harness=Harness(script=hidden, module=_module(row)) if hidden else visible,
        visible=visible if hidden and row.test.strip() else None,
        apis=tuple(_changed(row)),
        reference=row.answer,
        flags=tuple(_flags(row, hidden)),
        published={
            "example_id": row.example_id,
            "type_of_change": row.type_of_change.strip(),
            "release_date": row.release_date,
            "additional_dependencies": row.additional_dependencies,
            "extra_dependencies": row.extra_dependencies,
        },
    )


def _flags(row: GitChameleonRow, hidden: str) -> Iterator[str]:
    """What the row lacks."""
    if not hidden:
        yield HIDDEN_TESTS_MISSING
    if not row.test.strip():
        yield VISIBLE_TEST_MISSING
    if not row.answer:
        yield SOLUTION_MISSING
    if not row.problem.strip():
        yield PROBLEM_MISSING


def _entry(row: GitChameleonRow, hidden: str) -> str:
    """What the hidden tests use of the answer, else the last function that it begins."""
    begun = definitions(row.starting_code)
    inside = f"{_module(row)}."
    used = [use.name.removeprefix(inside) for use in uses_of(hidden) if use.name.startswith(inside)]
    return next((name for name in used if name in begun), begun[-1] if begun else "")


def definitions(code: str) -> tuple[str, ...]:
    """The functions and classes at the top of code that may end in the middle of one."""
    return tuple(match[1] for match in _DEFINITION.finditer(code))


def _changed(row: GitChameleonRow) -> Iterator[ApiChange]:
    name = row.name_of_class_or_func.strip()
    if name.strip("-"):
        kind = _kind(row.type_of_change.lower())
        dotted = name.partition("(")[0]
        yield ApiChange(name=dotted, spelled=name, change=kind, words=row.type_of_change.strip())


def _kind(words: str) -> ApiChangeKind:
    """GitChameleon's types of change in CodeMEnv's words; the first that one of them holds."""
    for word, kind in (
        ("name change", ApiChangeKind.MOVED),
        ("argument", ApiChangeKind.SIGNATURE),
        ("attribute", ApiChangeKind.MOVED),
        ("behavio", ApiChangeKind.BEHAVIOUR),
        ("output", ApiChangeKind.BEHAVIOUR),
        ("deprecation", ApiChangeKind.REMOVED),
        ("new ", ApiChangeKind.ADDED),
    ):
        if word in words:
            return kind
    return ApiChangeKind.UNKNOWN
