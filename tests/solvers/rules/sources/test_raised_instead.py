"""An error of a new class stands for None."""

from __future__ import annotations

from pathlib import Path

import pytest
from fix_evidence import evidence_of
from two_releases import with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.diagnosis.result import Cause, CauseKind
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.raised_instead import raised_instead
from backdate.testing.outcomes import Frame, Raised
from backdate.testing.tracing import SeenError

OLD = "class Failed(Exception): pass\nclass _Hidden(Exception): pass\n"
NEW = f"{OLD}class AtRoot(Failed): pass\n"


@pytest.fixture
def pair(tmp_path: Path, one_sandbox: Sandbox) -> EnvironmentPair:
    return EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(tmp_path / "old", "lib", "1.0", {"lib.py": OLD}),
        new=with_library(tmp_path / "new", "lib", "2.0", {"lib.py": NEW}),
    )


def edited(
    pair: EnvironmentPair,
    text: str,
    line: int,
    raised: str = "lib.AtRoot",
    *,
    errors: tuple[SeenError, ...] = (),
) -> list[str]:
    place = SourcePlace(file="a.py", line=line)
    cause = Cause(kind=CauseKind.OTHER_ERROR, type=raised, message="no")
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = evidence_of({"a.py": text}, pair=pair, modules={"lib": "lib"}, errors=errors)
    return [edit.text for one in raised_instead(group, evidence) for edit in one.file_edits]


def test_none_is_returned_or_assigned(pair: EnvironmentPair) -> None:
    text = "import lib\n\ndef f(x):\n    return lib.get(x, '..')\n"
    assert edited(pair, text, 4) == [
        (
            "import lib\n\ndef f(x):\n    try:\n        return lib.get(x, '..')\n"
            "    except lib.AtRoot:\n        return None\n"
        )
    ]
    text = "from lib import get\n\nabove = get('é')\n"
    assert edited(pair, text, 3) == [
        "from lib import get, AtRoot\n\ntry:\n    above = get('é')\nexcept AtRoot:\n    above = None\n"
    ]


def test_a_line_that_raised_something_before_gave_no_none(pair: EnvironmentPair) -> None:
    text = "import lib\n\nabove = lib.get()\n"
    frame = Frame(file="a.py", line=3, function="f", source="above = lib.get()")
    before = (Raised(type="lib.Failed", message="no", frames=(frame,)),)
    assert edited(pair, text, 3)
    assert edited(pair, text, 3, errors=(SeenError(file="a.py", line=3, chain=before),)) == []


@pytest.mark.parametrize(
    ("text", "line", "raised"),
    [
        ("x = lib.get()\n", 1, "lib.Failed"),  # the old release had it
        ("x = lib.get()\n", 1, "lib._Hidden"),
        ("x = lib.get()\n", 1, "ValueError"),
        ("lib.get()\n", 1, "lib.AtRoot"),  # nothing takes what it gave
        ("x, y = lib.get()\n", 1, "lib.AtRoot"),
        ("x = lib\n", 1, "lib.AtRoot"),
        ("def f(:\n", 1, "lib.AtRoot"),
    ],
)
def test_others_stay(pair: EnvironmentPair, text: str, line: int, raised: str) -> None:
    assert edited(pair, text, line, raised) == []
