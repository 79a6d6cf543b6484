"""Which edit a call needs, by the classes that a traced run saw of what it gives."""

from __future__ import annotations

from pathlib import Path

from backdate.advice import SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.advising.use_visitor import ABSENCE
from backdate.advising.uses import read_uses
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import apply_edits
from backdate.knowledge.rules import RuleOrigin
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.object_uses import record_objects
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.rules import RuleSource
from backdate.testing.tracing import SeenObject

SOURCE = """\
import pandas
def grow(frame, more):
    return frame.append(
        more,
        sort=True,
    )
def again(frame, more):
    return frame.copy().append(more)
"""
FRAME = "pandas.core.frame.DataFrame"


def proposed(*told: tuple[int, str, str], source: str = SOURCE) -> list[Proposal]:
    """What is proposed for frames without ``append`` where a trace told these classes."""
    objects = tuple(
        SeenObject(file="a.py", line=line, expression=expression, class_name=name)
        for line, expression, name in told
    )
    uses = ProjectUses(files=("a.py",))
    read_uses(source.encode(), "a.py", uses, guards=ABSENCE)
    record_objects(uses, {"a.py": source}, objects)
    evidence = FixEvidence(
        tree=Path(),
        uses=uses,
        texts={"a.py": source},
        executed={"a.py": frozenset(range(1, source.count("\n") + 1))},
        versions={"pandas": ("1.2.4", "2.2.3")},
        objects=objects,
        modules={"pandas": "pandas"},
    )
    cause = Cause(
        kind=CauseKind.MISSING_ATTRIBUTE,
        type="AttributeError",
        message="'DataFrame' object has no attribute 'append'",
        name="append",
        owner="DataFrame",
        owner_is="type",
        distribution="pandas",
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=3),))
    return list(RuleSource(RuleOrigin.WRITTEN).propose(group, evidence))


def made(proposal: Proposal, source: str = SOURCE) -> str:
    assert proposal.rewrite is not None
    lines = frozenset(place.line for place in proposal.places)
    return apply_edits(source, rewrite_source(source, proposal.rewrite, lines=lines).edits)


def test_each_call_gets_the_edit_for_the_class_that_was_seen_of_what_it_gives() -> None:
    row, frames = proposed(
        (3, "frame", FRAME),
        (3, ".append", FRAME),
        (3, ".append(0)", "pandas.core.series.Series"),
        (8, ".append", FRAME),
        (8, ".append(0)", "builtins.list"),
        (8, ".append(0)[0]", FRAME),
    )
    assert row.decided
    assert frames.decided
    assert "concat([frame, pandas.DataFrame([more])], sort=True)" in made(row)
    assert "frame.copy().append(more)" in made(row)
    assert "concat([frame.copy(), *more])" in made(frames)
    assert "frame.append(\n" in made(frames)


def test_of_classes_that_nobody_saw_or_that_no_edit_names_nothing_is_decided() -> None:
    nothing = proposed((3, "frame", FRAME))
    other = proposed((3, "frame", FRAME), (3, ".append(0)", "mine.Row"))
    assert [one.rewrite for one in nothing] == [one.rewrite for one in other]
    assert len(nothing) > 2
    assert not any(one.decided for one in (*nothing, *other))


def test_what_a_line_gives_to_objects_of_several_classes_is_left_to_the_runs() -> None:
    found = proposed((3, ".append", FRAME), (3, ".append(0)", FRAME), (3, ".append(0)", "builtins.dict"))
    assert ["DataFrame([more])" in made(one) for one in found] == [False, True]
