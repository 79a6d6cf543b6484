"""Values that are of another class now."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.project_uses import ProjectUses
from backdate.advising.uses import read_uses
from backdate.diagnosis.api import Member
from backdate.diagnosis.result import Cause, CauseKind
from backdate.environments.environment import Environment
from backdate.rewriting.rewrite import ReplaceUse, Rewrite
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.recorded_calls import RecordedCallSource
from backdate.testing.tracing import SeenObject

SOURCE = "def f(schema, x):\n    result = schema.dump(x)\n    return result.data\n"
NOWHERE = cast("Environment", None)


def evidence(*, gone: bool, source: str = SOURCE) -> FixEvidence:
    names = ("lib.Result", "lib.Result.data")
    pair = EnvironmentPair(
        sandbox=cast("Sandbox", None),
        old=NOWHERE,
        new=NOWHERE,
        known_old={name: Member(name=name, present=True) for name in names},
        known_new={name: Member(name=name, present=not gone) for name in names},
    )
    seen = SeenObject(file="p.py", line=3, expression="result", class_name="lib.Result")
    return evidence_of({"p.py": source}, pair=pair, objects=(seen,))


def rewrites(
    owner: str, name: str, *, gone: bool = True, tests: tuple[str, ...] = ("t",), source: str = SOURCE
) -> list[tuple[Rewrite | None, list[int]]]:
    cause = Cause(
        kind=CauseKind.CHANGED_TYPE,
        type="AttributeError",
        message=f"'{owner}' object has no attribute '{name}'",
        name=name,
        owner=owner,
        owner_is="type",
    )
    here, caller = (SourcePlace(file="p.py", line=line) for line in (3, 9))
    group = FailureGroup(cause=cause, tests=tests, places=(here, caller), raised_at=(here,))
    found = RecordedCallSource().propose(group, evidence(gone=gone, source=source))
    return [(one.rewrite, [place.line for place in one.places]) for one in found]


def test_what_a_wrapper_held_is_given_itself() -> None:
    assert rewrites("dict", "data") == [(ReplaceUse(target=".data", template="{self}", called=False), [3])]


def test_a_class_that_is_still_there_may_be_meant() -> None:
    assert rewrites("Box", "data", gone=False) == []
    assert rewrites("Box", "other") == []


def test_what_has_most_of_the_old_attributes_is_no_held_value() -> None:
    source = SOURCE.replace("return result.data", "return result.data or result.errors")
    assert len(rewrites("Part", "data")) == 1
    assert rewrites("Part", "data", source=source) == []
    assert len(rewrites("dict", "data", source=source)) == 1, "of what asks for both, one is left"


def test_what_nobody_saw_fail_is_left_alone() -> None:
    assert rewrites("Result", "data", tests=()) == []
    assert rewrites("dict", "data", tests=()) == []


def test_a_plain_container_was_held_by_something() -> None:
    assert rewrites("list", "items")[0][0] == ReplaceUse(target=".items", template="{self}", called=False)


def test_text_is_not_decoded() -> None:
    assert rewrites("str", "decode") == [
        (ReplaceUse(target=".decode", template="{self}", drops_arguments=True), [3, 9])
    ]


def test_the_library_that_made_the_text_is_named_and_not_python() -> None:
    source = 'import jwt\ntoken = jwt.encode({}, "k").decode("utf-8")\n'
    uses = ProjectUses()
    read_uses(source.encode(), "p.py", uses)
    known = FixEvidence(
        tree=Path(),
        uses=uses,
        texts={"p.py": source},
        versions={"pyjwt": ("1.7.1", "2.0.1"), "python": ("3.8.1", "3.9.1")},
        modules={"jwt": "pyjwt"},
    )
    cause = Cause(
        kind=CauseKind.CHANGED_TYPE,
        type="AttributeError",
        message="'str' object has no attribute 'decode'",
        name="decode",
        owner="str",
        owner_is="type",
        distribution="builtin",
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="p.py", line=2),))
    (proposal,) = RecordedCallSource().propose(group, known)
    assert proposal.distribution == "pyjwt"
    (stayed,) = RecordedCallSource().propose(group, replace(known, versions={}))
    assert stayed.distribution == "python"
