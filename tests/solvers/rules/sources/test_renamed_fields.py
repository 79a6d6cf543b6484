"""An attribute is called as the parameter is that takes the place of the one of its name."""

from __future__ import annotations

from pathlib import Path

import pytest
from two_releases import with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.project_uses import NameUses, ProjectUses
from backdate.diagnosis.result import Cause, CauseKind
from backdate.rewriting.rewrite import RenameAttribute
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.renamed_fields import renamed_fields

OLD = """class JS:
    def __init__(self, js, attrs=None, static=True, kept=0): self.js = js
"""
NEW = """from dataclasses import dataclass
@dataclass
class JS:
    src: str
    attributes: dict
    kept: int = 0
"""


@pytest.fixture
def pair(tmp_path: Path, one_sandbox: Sandbox) -> EnvironmentPair:
    return EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(tmp_path / "old", "lib", "1.0", {"lib.py": OLD}),
        new=with_library(tmp_path / "new", "lib", "2.0", {"lib.py": NEW}),
    )


@pytest.mark.parametrize(
    ("lacking", "now"), [("js", "src"), ("attrs", "attributes"), ("static", ""), ("other", "")]
)
def test_the_place_tells_what_it_is_called(pair: EnvironmentPair, lacking: str, now: str) -> None:
    place = SourcePlace(file="a.py", line=3)
    cause = Cause(
        kind=CauseKind.MISSING_ATTRIBUTE,
        type="AttributeError",
        message=f"'JS' object has no attribute '{lacking}'",
        owner="JS",
        owner_is="type",
        name=lacking,
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    uses = ProjectUses(names={"lib.JS": NameUses(places=(place,))})
    evidence = FixEvidence(tree=Path(), uses=uses, pair=pair, modules={"lib": "lib"})
    rewrites = [one.rewrite for one in renamed_fields(group, evidence)]
    assert rewrites == ([RenameAttribute(old=lacking, new=now, owner="JS")] if now else [])
