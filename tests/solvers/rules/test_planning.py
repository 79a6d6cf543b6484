"""What is tried next: planned for all failures, whose questions are asked together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from dead_names import DeadNamesWorld, rename

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.diagnosis.result import Cause, CauseKind
from backdate.environments.environment import Environment
from backdate.rewriting.rewrite import ChangeArgument
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.solvers.reasons import ProposalOrigin
from backdate.solvers.rules.applying import TextChanger
from backdate.solvers.rules.backend import FixBackend
from backdate.solvers.rules.changes import ChangeHistory
from backdate.solvers.rules.loop import MendLoop
from backdate.solvers.rules.planning import ChangePlanner
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, Proposal

NAMES = ("product", "add", "average", "total")
ALIVE = frozenset(f"{name}_now" for name in NAMES)


def pair_of(asked: list[tuple[str, ...]]) -> EnvironmentPair:
    """Two environments that have every name, and tell what they were asked."""

    def answer(
        environment: Any, script: str, request: Mapping[str, Sequence[str]], *, limits: Limits
    ) -> tuple[str, bytes]:
        asked.append(tuple(request["names"]))
        lines = ({"name": name, "present": True} for name in request["names"])
        return "exited", b"".join(json.dumps(line).encode() + b"\n" for line in lines)

    old, new = (cast("Environment", SimpleNamespace(key=side, root=Path())) for side in ("old", "new"))
    sandbox = cast("Sandbox", SimpleNamespace(name="none"))
    return EnvironmentPair(sandbox=sandbox, old=old, new=new, by=answer)


def test_what_all_failures_need_to_know_is_asked_in_one_run() -> None:
    asked: list[tuple[str, ...]] = []
    pair = pair_of(asked)

    def rules(group, texts):
        new = f"{group.cause.name}_now"
        there = pair.ask_new((f"lib.{new}",))
        return [rename(group.cause.name, new, *group.places)] if there else []

    world = DeadNamesWorld({f"{name}.py": f"x = lib.{name}\n" for name in NAMES}, ALIVE, rules)
    world.ask_together = pair.ask_together
    mended = MendLoop(world, world.changer()).mend()
    assert mended.solved
    assert mended.texts == {f"{name}.py": f"x = lib.{name}_now\n" for name in NAMES}
    assert asked == [tuple(f"lib.{name}_now" for name in NAMES)]


def test_what_is_left_for_when_nothing_else_helps_is_not_tried_beside_other_changes() -> None:
    """Models of pydantic's two interfaces do not mix: `pydantic.v1` waits until no other edit is left."""

    def rules(group, texts):
        made = rename(group.cause.name, f"{group.cause.name}_now", *group.places)
        return [replace(made, last=group.cause.name == "add")]

    world = DeadNamesWorld({f"{name}.py": f"x = lib.{name}\n" for name in ("add", "total")}, ALIVE, rules)
    mended = MendLoop(world, world.changer()).mend()
    assert mended.solved
    assert [sorted(texts) for texts, _ in world.asked] == [[], ["total.py"], ["add.py", "total.py"]]


def test_what_decides_which_code_runs_is_tried_before_all_else() -> None:
    def rules(group, texts):
        made = rename(group.cause.name, f"{group.cause.name}_now", *group.places)
        return [replace(made, first=group.cause.name == "total")]

    world = DeadNamesWorld({f"{name}.py": f"x = lib.{name}\n" for name in ("add", "total")}, ALIVE, rules)
    mended = MendLoop(world, world.changer()).mend()
    assert mended.solved
    assert [sorted(texts) for texts, _ in world.asked] == [[], ["total.py"], ["add.py", "total.py"]]


def test_what_a_trace_decided_for_each_place_is_tried_at_once() -> None:
    def rules(group, texts):
        places = [SourcePlace(file="a.py", line=line) for line in (1, 2)]
        product, add = (rename(name, f"{name}_now", *places) for name in ("product", "add"))
        return [replace(product, decided=True), replace(add, decided=True)]

    world = DeadNamesWorld({"a.py": "x = lib.product\ny = lib.add\n"}, ALIVE, rules)
    mended = MendLoop(world, world.changer()).mend()
    assert mended.solved
    assert [texts for texts, _ in world.asked[1:]] == [{"a.py": "x = lib.product_now\ny = lib.add_now\n"}]


def test_other_proposals_are_not_asked_for_where_nothing_speaks_against_a_change() -> None:
    """A change that stands gives way to another one where its lines or its tests fail, and nowhere else."""
    read: list[str] = []

    def rules(group, texts):
        yield rename(group.cause.name, f"{group.cause.name}_now", *group.places)
        read.append(group.cause.name)

    files = {"product.py": "x = lib.product\n", "add.py": "x = lib.add\n", "gone.py": "x = lib.gone\n"}
    world = DeadNamesWorld(files, ALIVE, rules)
    mended = MendLoop(world, world.changer()).mend()
    assert not mended.solved
    assert set(mended.texts) == {"product.py", "add.py"}
    assert set(read) == {"gone"}


def test_what_is_guessed_for_a_failure_without_a_name_is_another_ones_where_that_is_known() -> None:
    """Taken for the guess alone, a change that mends another failure was taken back with it."""

    def rules(group, texts):
        return [rename("product", "prod", SourcePlace(file="b.py", line=1))]

    texts = {"a.py": "x = lib.mean\n", "b.py": "y = lib.product\n"}
    world = DeadNamesWorld(texts, ALIVE | {"mean", "prod"}, rules, wrong=frozenset({"mean"}))
    mended = MendLoop(world, world.changer()).mend()
    assert mended.texts == {"b.py": "y = lib.prod\n"}


def test_a_file_that_the_first_proposal_leaves_gets_another_text_as_a_whole() -> None:
    """`imp` is gone for a module of the project, and for nose, which tests import."""

    def rules(group, texts):
        places = [place for place in group.places if place.file == "a.py"]
        other = Proposal(
            origin=ProposalOrigin.RESTRUCTURING,
            file_edits=(FileEdit(file="b.py", text="y = lib.add_now\n"),),
            places=tuple(place for place in group.places if place.file == "b.py"),
        )
        return [rename("product", "product_now", *places), other]

    world = DeadNamesWorld({f"{name}.py": "x = lib.product\n" for name in ("a", "b")}, ALIVE, rules)
    mended = MendLoop(world, world.changer()).mend()
    assert mended.solved
    assert [texts for texts, _ in world.asked[1:]] == [
        {"a.py": "x = lib.product_now\n", "b.py": "y = lib.add_now\n"}
    ]


def test_an_argument_is_changed_for_all_its_values_at_once() -> None:
    """A class gives one value and its subclass another: with one of them the call is still refused."""
    text = (
        "class Screen:\n    edges = False\n    def mask(self, a):\n"
        "        return a.between(1, 2, inclusive=self.edges)\nclass Lenient(Screen):\n    edges = True\n"
    )
    place = SourcePlace(file="a.py", line=4)
    group = FailureGroup(
        cause=Cause(kind=CauseKind.CHANGED_VALUE, type="ValueError", message="Inclusive has to be …"),
        tests=("t",),
        places=(place,),
        raised_at=(place,),
    )

    def proposal(value: str, becomes: str, function: str = ".between") -> Proposal:
        rewrite = ChangeArgument(
            function=function, argument="inclusive", new="inclusive", value=becomes, only_value=value
        )
        return Proposal(origin=ProposalOrigin.WRITTEN_RULE, rewrite=rewrite, places=(place,))

    left = [
        proposal("True", "'both'"),
        proposal("False", "'neither'"),
        proposal("False", "'left'"),
        proposal("False", "'right'", ".clip"),
    ]
    changer = TextChanger(
        read={"a.py": text}.get,
        rewrite=lambda text, rewrite, lines: rewrite_source(text, rewrite, lines=lines),
    )
    together = SimpleNamespace(propose=lambda group, texts: left, ask_together=lambda works: None)
    backend = cast("FixBackend", together)
    planner = ChangePlanner(backend, changer)
    planned = planner.for_groups([group], ChangeHistory(changer), {}, one_at_a_time=False)
    assert changer.make({}, planned).texts == {
        "a.py": text.replace("edges = False", "edges = 'neither'").replace("edges = True", "edges = 'both'")
    }
