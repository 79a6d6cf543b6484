"""Methods that a library calls otherwise now are given its parameters."""

from __future__ import annotations

from pathlib import Path

import pytest
from two_releases import with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.project_uses import ProjectUses
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.foreseen import untraced_groups
from backdate.solvers.rules.overrides import overrides_in
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.overridden_methods import overridden_methods

OLD = """
class Kind:
    def shown(self, parameter): pass
    def same(self, a): pass
    def lost(self, a, globals): pass
    def more(self, a): pass
"""
NEW = """
class Kind:
    def shown(self, parameter, context): pass
    def same(self, a): pass
    def lost(self, a): pass
    def more(self, a, b=1): pass
    def came(self, a, context): pass
"""
PROJECT = """\
import lib
class Mine(lib.Kind):
    def shown(self, parameter):
        return 1
    def same(self, a):
        return 2
    def lost(self, a, globals):
        return 3
    def more(self, a):
        return 4
    def came(self, a):
        return a
    @property
    def own(self):
        return 5
class Free(lib.Kind):
    def shown(self, parameter, **others):
        return 6
class Other:
    def shown(self, parameter):
        return 7
"""


@pytest.fixture
def seen(tmp_path: Path, one_sandbox: Sandbox) -> FixEvidence:
    before = with_library(tmp_path / "old", "lib", "1.0", {"lib.py": OLD})
    after = with_library(tmp_path / "new", "lib", "2.0", {"lib.py": NEW})
    return FixEvidence(
        tree=tmp_path,
        uses=ProjectUses(),
        texts={"a.py": PROJECT},
        pair=EnvironmentPair(sandbox=one_sandbox, old=before, new=after),
        executed={"a.py": frozenset({1})},
        modules={"lib": "lib"},
    )


def proposed(evidence: FixEvidence, message: str, kind: CauseKind, name: str, owner: str) -> list[str]:
    cause = Cause(kind=kind, type="TypeError", message=message, name=name, owner=owner, owner_is="function")
    group = FailureGroup(cause=cause, tests=("t",), places=())
    texts = []
    for proposal in overridden_methods(group, evidence):
        assert proposal.rewrite is not None
        lines = frozenset(place.line for place in proposal.places)
        texts.append(apply_edits(PROJECT, rewrite_source(PROJECT, proposal.rewrite, lines=lines).edits))
    return texts


def test_methods_are_told_with_the_class_that_they_are_of() -> None:
    found = {
        (one.owner, one.overridden, one.parameters, one.takes_any) for one in overrides_in("a.py", PROJECT)
    }
    assert ("Mine", "lib.Kind.shown", ("parameter",), False) in found
    assert ("Free", "lib.Kind.shown", ("parameter", "**others"), True) in found
    assert {owner for owner, *_ in found} == {"Mine", "Free"}
    assert all(name != "lib.Kind.own" for _, name, *_ in found)


def test_a_parameter_comes_and_another_one_goes(seen: FixEvidence) -> None:
    message = "Mine.shown() got an unexpected keyword argument 'context'"
    assert proposed(seen, message, CauseKind.UNEXPECTED_ARGUMENT, "context", "Mine.shown") == [
        PROJECT.replace("shown(self, parameter):", "shown(self, parameter, context=None):", 1)
    ]
    message = "Mine.came() got an unexpected keyword argument 'context'"
    assert proposed(seen, message, CauseKind.UNEXPECTED_ARGUMENT, "context", "Mine.came") == [
        PROJECT.replace("came(self, a):", "came(self, a, context=None):")
    ]
    message = "Mine.lost() missing 1 required positional argument: 'globals'"
    assert proposed(seen, message, CauseKind.ARGUMENT_COUNT, "globals", "Mine.lost") == [
        PROJECT.replace("lost(self, a, globals)", "lost(self, a)")
    ]
    assert proposed(seen, "same() …", CauseKind.ARGUMENT_COUNT, "", "Mine.same") == []
    assert proposed(seen, "shown() …", CauseKind.ARGUMENT_COUNT, "", "Other.shown") == []


def test_what_a_library_would_catch_is_foreseen(seen: FixEvidence) -> None:
    (group,) = untraced_groups(seen)
    assert (group.cause.owner, group.cause.name) == ("Mine.shown", "context")
    assert group.places == (SourcePlace(file="a.py", line=3),)
