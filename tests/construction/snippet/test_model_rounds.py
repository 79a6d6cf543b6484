"""Functions that a model writes: read, proven or sent back, with a scripted endpoint."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from scripted_model import Say, ScriptedModel, Status

from backdate.construction.snippet.assemble import snippet_of
from backdate.construction.snippet.changed_apis import ChangedApi
from backdate.construction.snippet.model_prompts import UnusableReply, read_function
from backdate.construction.snippet.model_rounds import REPAIRS, ModelRounds, WrittenSnippets
from backdate.construction.snippet.plan import SnippetBuildPlan
from backdate.construction.snippet.proving import SnippetProver
from backdate.construction.snippet.reasons import SnippetReason
from backdate.construction.snippet.usages import DrawnSnippet
from backdate.models.open import open_model
from backdate.rewriting.rewrite import ReplaceName
from backdate.snippets.runs import CaseOutcome, ProgramEnd, ProgramLimits, ProgramRun, SnippetProgram
from backdate.snippets.snippet import ApiChangeKind, SnippetSide

OLD = SnippetSide(version="1.0", python="3.11", requirements=("modellib==1.0",))
NEW = SnippetSide(version="2.0", python="3.11", requirements=("modellib==2.0",))
PLAN = SnippetBuildPlan(library="modellib", origin=OLD, target=NEW)
TOTAL = ChangedApi(
    name="modellib.total",
    kind=ApiChangeKind.MOVED,
    rewrites=(ReplaceName(old="modellib.total", new="modellib.summed"),),
    words="total is deprecated",
)
GONE = ChangedApi(name="modellib.gone", kind=ApiChangeKind.REMOVED)
NAMES = {"1.0": {"total": sum, "gone": max, "kept": len}, "2.0": {"summed": sum, "kept": len}}


class TwoModules:
    """Runs what this file wrote itself."""

    def run(
        self, side: SnippetSide, programs: Sequence[SnippetProgram], limits: ProgramLimits | None = None
    ) -> Iterator[ProgramRun]:
        """See ``ProgramRunner``."""
        for program in programs:
            module = ModuleType("modellib")
            vars(module).update(NAMES[side.version])
            sys.modules["modellib"] = module
            try:
                scope: dict[str, Any] = {}
                exec(program.code, scope)
                cases = tuple(_case(scope[program.entry], case) for case in program.harness.cases)
            finally:
                del sys.modules["modellib"]
            yield ProgramRun(id=program.id, end=ProgramEnd.FINISHED, cases=cases)


def _case(function: Any, case: str) -> CaseOutcome:
    try:
        value = function(*eval(case))
    except Exception as error:  # noqa: BLE001 - whatever the function raises is its outcome
        return CaseOutcome(error=type(error).__name__, message=str(error))
    return CaseOutcome(value=repr(value), kind=type(value).__name__)


def written(
    name: str = "total", cases: Sequence[str] = ("([1],)", "([2, 3],)", "([4],)"), **more: str
) -> Say:
    code = f"import modellib\n\ndef f(values):\n    return modellib.{name}(values)\n"
    return Say(json.dumps({"function": "f", "code": code, "cases": list(cases), **more}))


def asked(script: Sequence[Any], *names: ChangedApi) -> tuple[WrittenSnippets, list[list[dict[str, Any]]]]:
    """What comes of it, and the conversations that were sent."""
    prover = SnippetProver(TwoModules(), OLD, NEW, {one.key: one for one in names})
    with ScriptedModel(script) as server, open_model(server.endpoint()) as model:
        rounds = ModelRounds(
            model=model, plan=PLAN, library="modellib", prove=lambda drawn: list(prover.prove(drawn))
        )
        result = rounds.write(names)
        return result, [request["messages"] for request in server.requests]


def test_a_function_that_a_known_rewrite_mends_is_kept() -> None:
    result, [conversation] = asked([written()], TOTAL)
    [proven] = result.proven
    assert "modellib.summed(values)" in proven.reference
    assert (proven.replacements, result.refused) == (("modellib.summed",), ())
    task = conversation[1]["content"]
    assert "modellib, from 1.0 to 2.0" in task
    assert "total is deprecated" in task
    assert "In its place: modellib.summed" in task
    row = snippet_of(proven, "x", library="modellib", origin=OLD, target=NEW, changed={TOTAL.key: TOTAL})
    assert row.flags == ("from-model",)
    assert row.published["source"].startswith("written by ")


def test_what_was_wrong_is_said_in_three_rounds() -> None:
    script = [Say("I think so."), written("kept"), written(cases=("([1],)", "nonsense")), written()]
    result, conversations = asked(script, TOTAL)
    assert len(result.proven) == 1
    said = [conversation[-1]["content"] for conversation in conversations]
    assert len(said) == 1 + REPAIRS
    assert "not of the form" in said[1]
    assert "does not use the changed name: modellib.total" in said[2]
    assert "fewer than three cases" in said[3]
    assert [message["role"] for message in conversations[2]] == [
        "system", "user", "assistant", "user", "assistant", "user"
    ]  # fmt: skip


def test_what_running_shows_is_said_too() -> None:
    wrong = written(cases=("('a',)", "('b',)", "('c',)"))
    result, conversations = asked([wrong, wrong, wrong, wrong], TOTAL)
    assert result == WrittenSnippets(proven=(), refused=(SnippetReason.ORIGIN_FAILS,))
    assert "does not run with the origin: TypeError" in conversations[1][-1]["content"]
    assert len(conversations) == 4


def test_code_for_the_target_counts_where_no_rewrite_is_known() -> None:
    migrated = "def f(values):\n    return max(values)\n"
    result, _ = asked([written("gone", migrated=migrated)], GONE)
    [proven] = result.proven
    assert proven.reference == migrated
    assert proven.replacements == ("",)
    assert "wrote for the target" in proven.evidence[1]
    other = "def f(values):\n    return min(values)\n"
    wrong = written("gone", cases=("([1, 2],)", "([2, 3],)", "([4, 5],)"), migrated=other)
    result, conversations = asked([wrong] * 4, GONE)
    assert result.refused == (SnippetReason.REFERENCE_FAILS,)
    assert "case 1 gives '1', not '2'" in conversations[1][-1]["content"]


def test_an_endpoint_that_fails_ends_one_name_and_not_the_others() -> None:
    result, _ = asked(
        [Status(400), written("gone", migrated="def f(values):\n    return max(values)\n")], TOTAL, GONE
    )
    assert [one.drawn.names for one in result.proven] == [("modellib.gone",)]
    assert result.refused == (SnippetReason.NO_REPLY,)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("[]", SnippetReason.NOT_READABLE),
        ('{"function": 1}', SnippetReason.NOT_READABLE),
        ('{"function": "f", "code": "def g(): pass"}', SnippetReason.NOT_READABLE),
        ('{"function": "f", "code": "def f(:"}', SnippetReason.NOT_READABLE),
        (
            '{"function": "f", "code": "import os\\ndef f(x): return os.getcwd()"}',
            SnippetReason.REACHES_OUTSIDE,
        ),
        ('{"function": "f", "code": "import flask\\ndef f(x): return flask"}', SnippetReason.NEEDS_OTHERS),
        ('{"function": "f", "code": "def f(x): return y"}', SnippetReason.NEEDS_MORE_OF_FILE),
        ("{" * 100_000, SnippetReason.NOT_READABLE),
    ],
)
def test_replies_of_another_form_are_named(reply: str, reason: SnippetReason) -> None:
    found = read_function(reply, TOTAL, library="modellib", model="m")
    assert isinstance(found, UnusableReply)
    assert found.reason is reason


def test_of_a_reply_only_the_function_and_what_it_needs_is_taken() -> None:
    rest = "FACTOR = 2\nprint('loaded')\ndef other(): pass\n"
    code = f"import modellib\n{rest}def f(x):\n    return modellib.total(x) * FACTOR\n"
    cases = ["([1],)", "([1],)", "([2],)", "([3],)", "[4]", "(open('/etc/passwd'),)", 5]
    reply = json.dumps({"function": "f", "code": code, "cases": cases, "migrated": "import os\ndef f(x): os"})
    found = read_function(reply, replace(TOTAL, words=""), library="modellib", model="m")
    assert isinstance(found, DrawnSnippet)
    assert "print" not in found.code
    assert "FACTOR = 2" in found.code
    assert found.cases == ("([1],)", "([2],)", "([3],)")
    assert found.migrated == ""
