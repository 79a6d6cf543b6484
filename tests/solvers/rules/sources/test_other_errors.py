"""What code catches is completed by the class that the same error has now."""

from __future__ import annotations

from pathlib import Path

import pytest
from fix_evidence import evidence_of
from two_releases import with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.diagnosis.result import Cause, CauseKind
from backdate.knowledge.changes import PYTHON
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource
from backdate.testing.outcomes import Frame, Raised
from backdate.testing.tracing import SeenError


def edited(
    text: str,
    line: int,
    *,
    before: str = "sqlite3.Warning",
    now: str = "sqlite3.ProgrammingError",
    kind: CauseKind = CauseKind.OTHER_ERROR,
    seen: str | None = None,
    others: tuple[str, ...] = (),
    pair: EnvironmentPair | None = None,
) -> list[str]:
    """The texts that are proposed for an error at a line where another one was seen before."""
    source = text.split("\n")[line - 1].strip() if seen is None else seen
    frames = (Frame(file="a.py", line=1, function="f", source=source),)
    chains = [(Raised(type=one, message="…", frames=frames),) for one in (before, *others)]
    place = SourcePlace(file="a.py", line=line)
    group = FailureGroup(
        cause=Cause(kind=kind, type=now, message="…"), tests=("t",), places=(place,), raised_at=(place,)
    )
    evidence = evidence_of(
        {"a.py": text},
        errors=tuple(SeenError(file="a.py", line=1, chain=chain) for chain in chains),
        modules={"sqlite3": PYTHON, "jwt": "pyjwt", "lib": "lib"},
        pair=pair,
    )
    found = RestructuringSource().propose(group, evidence)
    assert all(proposal.last for proposal in found)
    return [edit.text for proposal in found for edit in proposal.file_edits]


_ONE = """import sqlite3

def f(c):
    try:
        c.execute(q)
    except sqlite3.Warning as error:
        raise Mine from error
"""


def test_the_class_of_now_is_caught_beside_that_of_then() -> None:
    assert edited(_ONE, 5) == [
        _ONE.replace("except sqlite3.Warning", "except (sqlite3.Warning, sqlite3.ProgrammingError)")
    ]


def test_it_is_added_to_a_tuple_and_imported_as_the_others_are() -> None:
    text = "from sqlite3 import Error, Warning\ntry:\n    f(q)\nexcept (KeyError, Warning):\n    pass\n"
    assert edited(text, 3) == [
        (
            "from sqlite3 import Error, Warning, ProgrammingError\ntry:\n    f(q)\n"
            "except (KeyError, Warning, ProgrammingError):\n    pass\n"
        )
    ]


def test_what_is_suppressed_gets_one_more() -> None:
    text = "from contextlib import suppress\nwith suppress(TypeError):\n    len(x)\n"
    assert edited(text, 3, before="TypeError", now="ValueError") == [
        "from contextlib import suppress\nwith suppress(TypeError, ValueError):\n    len(x)\n"
    ]


def test_a_builtin_class_is_caught_by_those_that_it_derives_from() -> None:
    text = "try:\n    a[k]\nexcept OSError:\n    pass\nexcept LookupError:\n    pass\n"
    assert edited(text, 2, before="KeyError", now="TypeError") == [
        "try:\n    a[k]\nexcept OSError:\n    pass\nexcept (LookupError, TypeError):\n    pass\n"
    ]


def test_an_old_python_names_the_last_line_of_a_call() -> None:
    text = "import sqlite3\ntry:\n    f(\n        q,\n        v,\n    )\nexcept sqlite3.Warning:\n    pass\n"
    assert len(edited(text, 3, seen="v,")) == 1
    assert edited(text, 3, seen="pass") == []


@pytest.fixture
def pair(tmp_path: Path, one_sandbox: Sandbox) -> EnvironmentPair:
    old = "class Base(Exception): pass\nclass Bad(Base, ValueError): pass\nclass Odd(Base): pass\n"
    new = "class Base(Exception): pass\nclass Bad(Base): pass\nclass Odder(Exception): pass\n"
    return EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(tmp_path / "old", "lib", "1.0", {"lib.py": old}),
        new=with_library(tmp_path / "new", "lib", "2.0", {"lib.py": new}),
    )


def test_a_class_that_lost_one_above_it_is_caught_itself(pair: EnvironmentPair) -> None:
    text = "import lib\ntry:\n    lib.f(q)\nexcept KeyError:\n    pass\nexcept ValueError:\n    pass\n"
    assert edited(text, 3, before="lib.Bad", now="lib.Bad", pair=pair) == [
        text.replace("except ValueError", "except (ValueError, lib.Bad)")
    ]
    assert edited(text.replace("ValueError", "lib.Base"), 3, before="lib.Bad", now="lib.Bad", pair=pair) == []


def test_what_caught_an_error_of_the_library_by_a_class_above_it_catches_the_new_one(
    pair: EnvironmentPair,
) -> None:
    text = "import lib\ntry:\n    lib.f(q)\nexcept TypeError:\n    pass\nexcept lib.Base:\n    pass\n"
    assert edited(text, 3, before="TypeError", others=("lib.Odd",), now="lib.Odder", pair=pair) == [
        text.replace("except lib.Base", "except (lib.Base, lib.Odder)")
    ]


@pytest.mark.parametrize(
    ("text", "line", "options"),
    [
        (_ONE, 5, {"seen": "c.close()"}),  # the line raised nothing before
        (_ONE, 5, {"now": "sqlite3.Warning"}),
        (_ONE, 5, {"kind": CauseKind.MISSING_ATTRIBUTE, "now": "AttributeError"}),
        (_ONE, 5, {"now": "mine.Error"}),  # of the project itself
        (_ONE, 5, {"now": "sqlite3._private.Error"}),
        (_ONE, 5, {"before": "KeyError"}),  # something else caught it
        (_ONE, 7, {}),  # the handler itself
        ("try:\n    a\nexcept (Warning, Exception):\n    pass\n", 2, {}),
        ("try:\n    def f():\n        a()\nexcept Warning:\n    pass\n", 3, {}),
        ("try:\n    a\nexcept:\n    pass\n", 2, {}),
    ],
)
def test_other_code_stays(text: str, line: int, options: dict[str, object]) -> None:
    assert edited(text, line, **options) == []  # type: ignore[arg-type]
