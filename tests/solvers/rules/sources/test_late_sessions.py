"""What wants a loop that runs, and is made in a constructor."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from backdate.advice import SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.late_sessions import late_sessions, with_late_attribute

CLIENT = """\
import web


class Client:
    def __init__(self, **options):
        options.setdefault("a", 1)
        self._session = web.Session(
            **options)

    def close(self):
        return self._session


other = 1
"""
LATE = """\
import functools
import web


class Client:
    def __init__(self, **options):
        options.setdefault("a", 1)
        self._make_session = lambda: web.Session(
            **options)

    def close(self):
        return self._session

    @functools.cached_property
    def _session(self):
        return self._make_session()


other = 1
"""


def test_it_is_made_where_it_is_first_used() -> None:
    assert with_late_attribute(CLIENT, 7) == LATE
    made: list[dict[str, object]] = []

    class Web:
        @staticmethod
        def Session(**options: object) -> dict[str, object]:  # noqa: N802 - as a class is named
            made.append(options)
            return options

    names: dict[str, object] = {"web": Web}
    exec(compile(LATE.replace("import web\n", ""), "a", "exec", dont_inherit=True), names)
    client = names["Client"](b=2)  # type: ignore[operator]
    assert made == []
    assert client.close() is client.close()
    assert made == [{"a": 1, "b": 2}]


def test_the_import_stands_behind_those_of_the_future() -> None:
    text = with_late_attribute(f'"""Words."""\nfrom __future__ import annotations\n{CLIENT}', 9)
    assert text.splitlines()[:3] == ['"""Words."""', "from __future__ import annotations", "import functools"]


@pytest.mark.parametrize(
    "text",
    [
        CLIENT.replace("        options.set", "        self._session = None\n        options.set"),
        CLIENT.replace("    def __init__", "    __slots__ = ('_session',)\n\n    def __init__"),
        CLIENT.replace("self._session = web", "_session = web"),
        CLIENT.replace("web.Session(\n            **options)", "options"),
        "class Client\n",
    ],
)
def test_all_else_stays(text: str) -> None:
    for line in range(1, 20):
        assert with_late_attribute(text, line) == text


@pytest.mark.parametrize(
    ("message", "kept", "wanted"),
    [
        ("no running event loop", (), True),
        ("There is no current event loop in thread 'MainThread'.", (), True),
        ("no running event loop", ("a.py",), False),
        ("the loop is closed", (), False),
    ],
)
def test_only_for_want_of_a_loop_and_in_files_that_may_be_edited(
    tmp_path: Path, message: str, kept: tuple[str, ...], wanted: bool
) -> None:
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="RuntimeError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=7),))
    evidence = FixEvidence(
        tree=tmp_path, uses=ProjectUses(), texts={"a.py": CLIENT}, kept_files=frozenset(kept)
    )
    proposal = late_sessions(group, evidence)
    assert (proposal is not None) is wanted
    if proposal is not None:
        assert ast.parse(proposal.file_edits[0].text)
