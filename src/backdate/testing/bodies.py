"""Whether the tests that passed ran: what the witness saw against what the project's files say.

Only what no honest project does counts as forged: a plain function of the test's name is in its file, and
while the test passed in the watched process that function did not start, or never returned. What is
decorated, replaced by an assignment, inherited, made at run time or not there is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from backdate.errors import SourceError
from backdate.projects.read import read_text
from backdate.testing.assembly import Capture
from backdate.testing.integrity import Integrity, IntegrityReason, integrity_of
from backdate.testing.outcomes import CaseResult, Outcome
from backdate.testing.wire import BodyRuns, BodySeen

_DEFINITION = re.compile(r"(?P<indent>[ \t]*)(?:async[ \t]+)?def[ \t]+(?P<name>\w+)[ \t]*\(")
_CLASS = re.compile(r"[ \t]*class[ \t]+(?P<name>\w+)")
_HARMLESS = re.compile(r"[ \t]*@(?:pytest\.mark\.|(?:mock\.|unittest\.mock\.)?patch\b)")
"""Decorators that call, or leave as it is, what they decorate."""
_NEAR = 400
"""Lines below the first decorator of a function in which any ``def`` of its name may be its own."""
_ASSIGNED = re.compile(r"[ \t]*(?P<name>\w+)[ \t]*=[^=]|[ \t]*del[ \t]+(?P<deleted>\w+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Definitions:
    """What a file says of the functions of one name."""

    lines: frozenset[int]
    """Those of each ``def``; for Python a function begins at its first decorator."""
    others: frozenset[int] = frozenset()
    """The lines of each ``def`` of the same name that is another test's."""
    plain: bool
    """Whether nothing stands between the functions and what calls them."""
    alone: bool
    """Whether the file has one function of that name, those of other classes counted."""


def look_at_bodies(
    capture: Capture, results: Sequence[CaseResult], tree: Path, *, of_copies: bool = False
) -> Integrity:
    """What the witness says of the tests that passed in one process. ``tree``: the project, as it was run.

    ``of_copies``: whether installed copies of test files may have run; what was not seen is not known then.
    """
    files = _BodyFiles(tree)
    reasons: set[IntegrityReason] = set()
    bodies = 0
    for result in results:
        if result.outcome is Outcome.PASSED:
            reason = _reason(result, capture.bodies, files)
            if of_copies and reason is not None:
                reason = IntegrityReason.BODY_UNSEEN
            if reason is None:
                bodies += 1
            else:
                reasons.add(reason)
    return integrity_of(reasons, bodies=bodies)


def _reason(result: CaseResult, bodies: Mapping[str, BodySeen], files: _BodyFiles) -> IntegrityReason | None:
    """What speaks against the passed test; None where its body ran to an end."""
    seen = bodies.get(result.id)
    name, owners = function_name(result.id), possible_owners(result.id)
    definitions = files.definitions(result.file or "", name, owners)
    if seen is None or not name.isidentifier():  # a doctest, a file that a plugin checks
        return IntegrityReason.BODY_UNSEEN
    ran = [run for run in seen.ran if definitions is None or _is_it(run, result.file, definitions)]
    if any(run.returned for run in ran):
        return None
    if not seen.intact or definitions is None or not definitions.plain or any(run.yields for run in ran):
        return IntegrityReason.BODY_UNSEEN
    if not seen.whole and not definitions.alone:  # the first that was called may be another's
        return IntegrityReason.BODY_UNSEEN
    started = any(run.started for run in ran)
    return IntegrityReason.BODY_LEFT_BY_EXCEPTION if started else IntegrityReason.BODY_NOT_RUN


def _is_it(run: BodyRuns, file: str | None, definitions: Definitions) -> bool:
    """Whether the function that ran is the test's own; any number of lines of parameters may be above it."""
    if run.file != file:
        return False
    below = [line for line in definitions.lines | definitions.others if line >= run.first]
    own = definitions.lines & set(below)
    return min(below, default=None) in own or any(line - run.first < _NEAR for line in own)


def function_name(identity: str) -> str:
    """The name of the function of a test, by its id.

    >>> [function_name(one) for one in ("tests/test_a.py::TestB::test_c[x::y]", "a.B.test_c#2", "m.py::m.f")]
    ['test_c', 'test_c', 'm.f']
    """
    plain = identity.partition("[")[0].partition("#")[0]
    return plain.rpartition("::")[2] if "::" in plain else plain.rpartition(".")[2]


def possible_owners(identity: str) -> frozenset[str | None]:
    """The classes that may hold the function of a test, by its id; None for a function of the module itself.

    >>> possible_owners("t.py::TestB::test_c[x::y]"), possible_owners("t.py::test_c")
    (frozenset({'TestB'}), frozenset({None}))
    """
    plain = identity.partition("[")[0].partition("#")[0]
    if "::" in plain:
        classes = plain.split("::")[1:-1]
        return frozenset((classes[-1] if classes else None,))
    return frozenset((plain.rpartition(".")[0].rpartition(".")[2], None))  # the last may be a module


class _BodyFiles:
    """The files of a tree, each read once."""

    def __init__(self, tree: Path) -> None:
        self._tree = tree
        self._lines: dict[str, list[str]] = {}

    def definitions(self, file: str, name: str, owners: Set[str | None]) -> Definitions | None:
        """What the file says of ``name`` in one of ``owners``; None when it defines no such function."""
        if file not in self._lines:
            self._lines[file] = self._read(file)
        return definitions_in(self._lines[file], name, owners)

    def _read(self, file: str) -> list[str]:
        if not file.endswith(".py") or file.startswith("/"):
            return []
        try:
            text = read_text(self._tree, file)
        except SourceError:
            return []
        return [] if text is None else text.splitlines()


def definitions_in(lines: Sequence[str], name: str, owners: Set[str | None]) -> Definitions | None:
    """What the lines of a file say of the functions called ``name``; None when there are none.

    A function of a class that is not one of ``owners`` is another test's: theirs may be inherited.
    """
    begins: set[int] = set()
    others: set[int] = set()
    plain, named = True, 0
    for number, line in enumerate(lines):
        if name not in line:
            continue
        assigned = _ASSIGNED.match(line)
        if assigned and name in assigned.groups():
            plain = False
        match = _DEFINITION.match(line)
        if match is None or match["name"] != name:
            continue
        named += 1
        around = _around(lines, number, match["indent"])
        owner = None if around is None else _CLASS.match(lines[around])
        if (around is None or owner is not None) and (owner and owner["name"]) not in owners:
            others.add(number + 1)
            continue
        begins.add(number + 1)
        plain = (
            plain
            and _undecorated(lines, number, match["indent"])
            and (around is None or (owner is not None and _class_is_plain(lines, around)))
        )
    if not begins:
        return None
    return Definitions(lines=frozenset(begins), others=frozenset(others), plain=plain, alone=named == 1)


def _undecorated(lines: Sequence[str], number: int, indent: str) -> bool:
    """Whether nothing but harmless decorators is above a definition."""
    for above in range(number - 1, -1, -1):
        line = lines[above]
        if not line.strip():
            break
        if line.startswith(f"{indent}@"):
            if not _HARMLESS.match(line):
                return False
        elif not line.startswith(tuple(f"{indent}{more}" for more in (" ", "\t", ")", "]", "}"))):
            break
    return True


def _around(lines: Sequence[str], number: int, indent: str) -> int | None:
    """The place of the line that a definition is indented below; None for one of the module itself."""
    if not indent:
        return None
    for above in range(number - 1, -1, -1):
        line = lines[above]
        if line.strip() and len(line) - len(line.lstrip()) < len(indent):
            return above
    return None


def _class_is_plain(lines: Sequence[str], number: int) -> bool:
    """Whether a class has no decorator that may change it."""
    line = lines[number]
    return _undecorated(lines, number, line[: len(line) - len(line.lstrip())])
