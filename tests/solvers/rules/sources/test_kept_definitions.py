"""Functions that are gone without a successor, asked of two real environments with small libraries."""

from __future__ import annotations

from pathlib import Path

import pytest
from two_releases import with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.uses import uses_in
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.kept_definitions import KeptDefinitionSource

OLD = {
    "lib/__init__.py": "",
    "lib/part.py": """\
from lib.base import trimmed
from lib.lost import lost
LIMIT = 2
def shout(text):
    return trimmed(text).upper()[:LIMIT]
def missing(text):
    return lost(text)
class Box(Exception):
    pass
FOUND = {}
def listed():
    return sorted(FOUND)
VERSION = 3
def kept():
    pass
""",
    "lib/base.py": "def trimmed(text):\n    return text.strip()\n",
    "lib/lost.py": "def lost(text):\n    return text\n",
}
NEW = {"lib/__init__.py": "", "lib/part.py": "def kept():\n    pass\n", "lib/base.py": OLD["lib/base.py"]}
MENDED = """\
from lib.base import trimmed


# lib.part.shout as in lib 1.0; 2.0 lacks it
LIMIT = 2


def shout(text):
    return trimmed(text).upper()[:LIMIT]


x = shout(" abc")
"""


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, one_sandbox: Sandbox) -> EnvironmentPair:
    root = tmp_path_factory.mktemp("definitions")
    old, new = (
        with_library(root / side, "lib", version, files)
        for side, version, files in (("old", "1.0", OLD), ("new", "2.0", NEW))
    )
    return EnvironmentPair(sandbox=one_sandbox, old=old, new=new)


def proposed(tmp_path: Path, pair: EnvironmentPair, name: str, source: str) -> list[str]:
    (tmp_path / "a.py").write_text(source)
    evidence = FixEvidence(
        tree=tmp_path,
        uses=uses_in(tmp_path),
        texts={"a.py": source},
        pair=pair,
        executed={"a.py": frozenset({1, 4})},
        versions={"lib": ("1.0", "2.0")},
        modules={"lib": "lib"},
    )
    cause = Cause(
        kind=CauseKind.MISSING_NAME,
        type="ImportError",
        message=f"cannot import name '{name}' from 'lib.part'",
        name=name,
        owner="lib.part",
        owner_is="module",
        distribution="lib",
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=1),))
    found = KeptDefinitionSource().propose(group, evidence)
    assert all(one.last for one in found)
    lines = frozenset(place.line for one in found for place in one.places)
    made = [rewrite_source(source, one.rewrite, lines=lines) for one in found if one.rewrite is not None]
    return [apply_edits(source, one.edits) for one in made]


def test_it_is_defined_as_the_library_did(tmp_path: Path, pair: EnvironmentPair) -> None:
    source = 'from lib.part import shout\n\n\nx = shout(" abc")\n'
    (mended,) = proposed(tmp_path, pair, "shout", source)
    assert mended == MENDED


def test_a_constant_is_defined_too(tmp_path: Path, pair: EnvironmentPair) -> None:
    (mended,) = proposed(tmp_path, pair, "LIMIT", "from lib.part import LIMIT\n\n\nx = LIMIT\n")
    assert mended == "# lib.part.LIMIT as in lib 1.0; 2.0 lacks it\nLIMIT = 2\n\n\nx = LIMIT\n"


@pytest.mark.parametrize("name", ["missing", "Box", "kept", "VERSION", "FOUND", "listed"])
def test_what_cannot_be_moved_or_is_there_has_no_proposal(
    tmp_path: Path, pair: EnvironmentPair, name: str
) -> None:
    assert proposed(tmp_path, pair, name, f"from lib.part import {name}\n\n\nx = {name}\n") == []
