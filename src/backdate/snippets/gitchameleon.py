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
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from backdate.errors import ConfigurationError, StoredDataError
from backdate.knowledge.modules import in_standard_library, to_install
from backdate.projects.read import decode, read_text
from backdate.serial import from_json, read_limited
from backdate.snippets.imported import RefusedRow, SnippetImport
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
from backdate.text import UNREADABLE

ROWS = "dataset.jsonl"
TESTS = "hidden_tests"
HIDDEN_TESTS_MISSING = "hidden-tests-missing"
"""The flag of a snippet whose visible test is all there is."""
IN_ALL = ("numpy", "pytest", "scipy")
_MOST_BYTES = 256 * 1024 * 1024
_ID = re.compile(r"[0-9A-Za-z_]{1,40}\Z", re.ASCII)
_DEFINITION = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+([^\W\d]\w*)", re.MULTILINE)
_PYTHON = re.compile(r"\d\.\d{1,2}\Z", re.ASCII)


class GitChameleonRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row as published; fields that are not named here are left out."""

    example_id: str
    python_version: str
    library: str
    version: str
    starting_code: str
    test: str
    solution: str = ""
    problem: str = ""
    additional_dependencies: str | None = None
    extra_dependencies: str | None = None
    type_of_change: str = ""
    name_of_class_or_func: str = ""
    release_date: str = ""

    @property
    def environment(self) -> tuple[str, ...]:
        """What the rows of one environment have in common."""
        return (self.python_version, self.library, self.version, self.additional_dependencies or "")

    @property
    def answer(self) -> str:
        """The known solution, in the form of an answer: a whole module; empty without one."""
        return self.starting_code + self.solution if self.solution.strip() else ""


def snippet_id(example_id: str) -> str:
    """What a row's snippet is called."""
    return f"gitchameleon-{example_id}"


def find_rows(source: Path) -> Path | None:
    """The file with rows in that form that ``source`` is or holds; None where there is none."""
    for path in (source, source / ROWS, source / "dataset" / ROWS):
        if path.is_file():
            try:
                with path.open("rb") as file:
                    first = file.readline(4 * 1024 * 1024)
                msgspec.json.decode(first, type=GitChameleonRow)
            except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                continue
            return path
    return None


def import_gitchameleon(rows_file: Path, uploads: Uploads) -> SnippetImport:
    """The snippets of ``rows_file`` and the folder around it (``find_rows``).

    Raises ConfigurationError for a file that cannot be read, IndexUnavailable.
    """
    data = read_limited(rows_file, limit=_MOST_BYTES, what="the file")
    rows, refused = _read(decode(data).split("\n"))
    sides = _sides(rows, rows_file.parent, uploads)
    snippets: list[Snippet] = []
    for row in rows:
        side = sides[row.environment]
        if isinstance(side, str):
            refused.append(RefusedRow(name=row.example_id, why=side))
        else:
            snippets.append(_snippet(row, _hidden(row, rows_file.parent), side))
    missing = sum(HIDDEN_TESTS_MISSING in snippet.flags for snippet in snippets)
    note = f"{missing} rows have no hidden tests in {TESTS}/ beside the file: their visible test judges"
    return SnippetImport(snippets=tuple(snippets), refused=tuple(refused), notes=(note,) if missing else ())


def _read(lines: Iterable[str]) -> tuple[list[GitChameleonRow], list[RefusedRow]]:
    rows: dict[str, GitChameleonRow] = {}
    refused: list[RefusedRow] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"line {number}"
        try:
            row = from_json(GitChameleonRow, line.encode("utf-8", "replace"), what=where)
        except StoredDataError as error:
            refused.append(RefusedRow(name=where, why=str(error)))
            continue
        if not _ID.match(row.example_id):
            refused.append(RefusedRow(name=where, why="its example_id is no word"))
        elif row.example_id in rows:
            refused.append(RefusedRow(name=where, why=f"example_id {row.example_id} was there before"))
        elif not _PYTHON.match(row.python_version):
            refused.append(RefusedRow(name=row.example_id, why="its python_version is no X.Y"))
        else:
            rows[row.example_id] = row
    return list(rows.values()), refused


def _sides(
    rows: Sequence[GitChameleonRow], folder: Path, uploads: Uploads
) -> dict[tuple[str, ...], SnippetSide | str]:
    """The side of each environment, or why its requirements cannot be read."""
    sharing: defaultdict[tuple[str, ...], list[GitChameleonRow]] = defaultdict(list)
    for row in rows:
        sharing[row.environment].append(row)
    sides: dict[tuple[str, ...], SnippetSide | str] = {}
    for key, those in sharing.items():
        python, _, version, _ = key
        try:
            pins = tuple(_pins(those))
        except UNREADABLE as error:
            sides[key] = f"its requirements cannot be read: {error}"
            continue
        others = {name for row in those for name in _imported(row, _hidden(row, folder))}
        sides[key] = pinned_side(version, python, pins, (*IN_ALL, *others), uploads)
    return sides


def _pins(rows: Sequence[GitChameleonRow]) -> Iterator[Requirement]:
    """The library and what the rows add, each distribution once: the first to name it says its version."""
    texts = [f"{rows[0].library}=={rows[0].version}"]
    for row in rows:
        words = f"{row.additional_dependencies or ''} {row.extra_dependencies or ''}".split()
        texts += [word for word in words if word != "-" and not word.startswith("pip=")]
    seen: set[str] = set()
    for text in texts:
        pin = Requirement(text)
        if pin.url is None and canonicalize_name(pin.name) not in seen:
            seen.add(canonicalize_name(pin.name))
            yield pin


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
        visible=visible if hidden else None,
        apis=tuple(_changed(row)),
        reference=row.answer,
        flags=() if hidden else (HIDDEN_TESTS_MISSING,),
        published={
            "example_id": row.example_id,
            "type_of_change": row.type_of_change.strip(),
            "release_date": row.release_date,
            "additional_dependencies": row.additional_dependencies or "",
            "extra_dependencies": row.extra_dependencies or "",
        },
    )


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
