"""A fix from the check to the patch, in a small world: an index with a library that breaks, and a project."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scripted_model import Call, Say, ScriptedModel
from shaking_tree import FixedSource
from small_world import project, running_index
from stored_results import make_check_result

from backdate.checking.result import Verdict
from backdate.checking.settings import Settings
from backdate.cli.render_fix import fix_lines
from backdate.editing.diff import diff_files
from backdate.errors import SandboxUnavailable
from backdate.fixing.applying import apply_fix
from backdate.fixing.fix import nothing_to_do
from backdate.fixing.further_requirements import FurtherRequirement
from backdate.fixing.result import FixOutcome, FixResult
from backdate.fixing.rounds import FixedFiles, FixOptions, FixRounds
from backdate.models.open import open_model
from backdate.models.settings import ModelSettings
from backdate.progress import NO_PROGRESS
from backdate.rewriting.rewrite import ReplaceName
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.serial import from_json, to_json
from backdate.session import Session
from backdate.solvers.interface import SolverResult
from backdate.solvers.model import ModelSolver
from backdate.solvers.reasons import ProposalOrigin
from backdate.solvers.records import StopReason
from backdate.solvers.rules.gather import gather_evidence, with_edits
from backdate.solvers.rules.proposals import Proposal
from backdate.solvers.rules.rules_first import RulesFirst
from backdate.solvers.rules.solver import RulesSolver
from backdate.timeline.instants import parse_instant

FROM, TO = parse_instant("2024-02-01"), parse_instant("2025-06-01")


def rule(new: str) -> FixedSource:
    def propose(group, evidence):
        rewrite = ReplaceName(old="brittle.shout", new=new)
        return [Proposal(origin=ProposalOrigin.WRITTEN_RULE, rewrite=rewrite, places=group.places)]

    return FixedSource(ProposalOrigin.WRITTEN_RULE, propose)


def rules(new: str, *, thorough: bool = False) -> RulesSolver:
    return RulesSolver(
        sources=[rule(new)],
        gather=gather_evidence,
        follow=with_edits,
        rewrite=lambda text, rewrite, lines: rewrite_source(text, rewrite, lines=lines),
        thorough=thorough,
    )


def opener(new: str, *, thorough: bool = False):
    @contextmanager
    def opened(resources):
        yield rules(new, thorough=thorough)

    return opened


def rules_and_model(server: ScriptedModel):
    @contextmanager
    def opened(resources):
        with open_model(server.endpoint(), ModelSettings()) as model:
            yield RulesFirst(rules=rules("brittle.cry"), then=ModelSolver(model))

    return opened


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    try:
        Bubblewrap().require()
    except SandboxUnavailable as error:
        pytest.skip(f"no bubblewrap: {error}")
    folder = tmp_path_factory.mktemp("fix")
    source = folder / "loud"
    files = project("loudly")
    files["loudly.py"] += "\n\ndef never():\n    return brittle.shout('b')\n"
    for name, text in files.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with running_index() as index, Session(Settings(cache=folder / "cache", index_url=index)) as session:
        yield source, session


def fix(world, new: str, *, thorough: bool = False, source: Path | None = None):
    folder, session = world
    return session.fix(
        source or folder,
        solver=opener(new, thorough=thorough),
        from_instant=FROM,
        to_instant=TO,
        options=FixOptions(),
    )


def test_the_smallest_edit_and_why(world) -> None:
    fixed = fix(world, "brittle.cry", thorough=True)
    result = fixed.result
    assert result.outcome is FixOutcome.FIXED, result
    changed = [line for line in result.patch.splitlines()[2:] if line.startswith(("+", "-"))]
    assert changed == ["-    return brittle.shout(text)", "+    return brittle.cry(text)"]
    (reason,) = result.reasons
    assert (reason.distribution, reason.old_version, reason.new_version) == ("brittle", "1.0", "2.0")
    assert "has no attribute 'shout'" in reason.cause
    assert "+    return brittle.cry('b')" in result.elsewhere
    assert "cry(text)" not in "".join(line for line in result.elsewhere.splitlines() if line.startswith("+"))
    assert result.runs <= 8
    assert not result.remaining
    assert from_json(FixResult, to_json(result)) == result
    shown = "\n".join(text for text, _ in fix_lines(result))
    assert shown.startswith("FIXED: the test that broke passes again with the patch\n")
    assert "  loudly.py:5\n    1 test failed with AttributeError: " in shown
    assert "    brittle 1.0 -> 2.0 of 2024-09-01\n" in shown
    assert "The same names where no failing test runs them" in shown


@pytest.mark.slow
def test_a_model_mends_what_the_rules_leave_in_one_patch_with_one_account(world, tmp_path) -> None:
    _, session = world
    source = tmp_path / "both"
    files = project("both")
    files["hidden.py"] = (
        "import brittle\n\n\ndef hidden(text):\n    return getattr(brittle, 'sh' 'out')(text)\n"
    )
    files["tests/test_hidden.py"] = (
        "import unittest\n\nfrom hidden import hidden\n\n\nclass Case(unittest.TestCase):\n"
        "    def test_hidden(self):\n        self.assertEqual(hidden('a'), 'A')\n"
    )
    for name, text in files.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    edit = {"path": "hidden.py", "old_text": "getattr(brittle, 'sh' 'out')", "new_text": "brittle.cry"}
    script = [Say("", [Call("replace_all_in_file", edit)]), Say("", [Call("execute_tests", {})])]
    with ScriptedModel(script) as server:
        result = session.fix(
            source,
            solver=rules_and_model(server),
            from_instant=FROM,
            to_instant=TO,
            options=FixOptions(solver="model:scripted"),
        ).result
    assert server.unscripted == 0
    assert result.outcome is FixOutcome.FIXED, result
    assert [line[1:].strip() for line in result.patch.splitlines() if line.startswith("+ ")] == [
        "return brittle.cry(text)",
        "return brittle.cry(text)",
    ]
    assert {reason.file for reason in result.reasons} == {"both.py"}
    assert result.usage.requests == 2
    assert result.side_runs == 1
    assert result.runs <= 8
    assert "2 requests to a model" in "\n".join(text for text, _ in fix_lines(result))


def test_a_wrong_rule_does_no_harm_and_what_remains_is_told(world) -> None:
    fixed = fix(world, "brittle.weep")
    result = fixed.result
    assert result.outcome is FixOutcome.NOT_FIXED
    assert result.patch == ""
    assert fixed.after == {}
    assert [len(breakage.tests) for breakage in result.remaining] == [1]
    assert [held.requirement for held in result.held_back] == ["brittle<=1.0"]
    shown = "\n".join(text for text, _ in fix_lines(result))
    assert shown.startswith("NOT FIXED: nothing that is known mends the test that broke\n")
    assert "Still broken:\n  1 test: AttributeError: " in shown
    assert "  Meanwhile: brittle<=1.0 (not tried: " in shown


@pytest.mark.slow
def test_a_patch_that_only_breaks_is_dropped(world, tmp_path) -> None:
    _, session = world
    source = tmp_path / "quiet"
    files = project("quietly")
    files["quiet.py"] = "def whisper(text):\n    return text.lower()\n"
    files["tests/test_quiet.py"] = (
        "import unittest\n\nfrom quiet import whisper\n\n\nclass Case(unittest.TestCase):\n"
        "    def test_whisper(self):\n        self.assertEqual(whisper('A'), 'a')\n"
    )
    for name, text in files.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    before = files["quiet.py"].encode()
    patch = diff_files({"quiet.py": before}, {"quiet.py": before.replace(b"lower", b"upper")})

    @contextmanager
    def opened(resources):
        yield SimpleNamespace(attempt=lambda _: SolverResult(ending=StopReason.SUBMITTED, patch=patch))

    result = session.fix(source, solver=opened, from_instant=FROM, to_instant=TO, options=FixOptions()).result
    assert (result.outcome, result.patch, result.files) == (FixOutcome.NOT_FIXED, "", ())
    assert result.reason == "nothing that is known mends the test that broke"
    assert result.detail == "a patch that gains no test and loses 1 is dropped"
    assert [len(breakage.tests) for breakage in result.remaining] == [1]


@pytest.mark.slow
def test_the_folder_is_changed_only_when_it_is_applied(world, tmp_path) -> None:
    folder, _ = world
    before = (folder / "loudly.py").read_bytes()
    fixed = fix(world, "brittle.cry")
    assert (folder / "loudly.py").read_bytes() == before
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "loudly.py").write_bytes(before)
    apply_fix(copy, fixed.before, fixed.after, copy / "undo.patch")
    assert (copy / "loudly.py").read_bytes() == before.replace(b"brittle.shout(text)", b"brittle.cry(text)")


def test_where_nothing_broke_nothing_is_done(world, tmp_path) -> None:
    source = tmp_path / "steady"
    files = project("steady")
    files["steady.py"] = files["steady.py"].replace("brittle.shout(text)", "text.upper()")
    for name, text in files.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    result = fix(world, "brittle.cry", source=source).result
    assert result.outcome is FixOutcome.NOTHING_BROKE
    assert result.runs == 1


@pytest.mark.parametrize("verdict", [Verdict.CANNOT_TELL, Verdict.FAILS_DIFFERENTLY])
def test_a_check_without_an_answer_is_never_that_nothing_broke(verdict: Verdict) -> None:
    # such as where no test passes on the old side, and all fail on the new one
    checked = make_check_result(verdict=verdict, reason="no test passes in the old environment")
    assert checked.comparison is not None
    result = nothing_to_do(replace(checked, comparison=replace(checked.comparison, broke=())), FixOptions())
    assert result is not None
    assert (result.outcome, result.reason) == (FixOutcome.CANNOT_TELL, checked.reason)


@pytest.mark.parametrize(
    ("solver", "left", "rounds", "runs"),
    [
        ("rules", 0, 2, 8),
        ("rules:message", 5, 2, 8),
        ("model:m", 0, 1, 5),
        ("rules+model:m", 0, 1, 5),
    ],
)
def test_what_is_missing_behind_the_first_edits_is_given_and_the_rules_begin_again(
    monkeypatch: pytest.MonkeyPatch, solver: str, left: int, rounds: int, runs: int
) -> None:
    checked = make_check_result()
    assert checked.comparison is not None
    broken = checked.comparison.breakages[0]
    asked: list[tuple[str, ...]] = []

    def fixed(tests: int, runs: int, reason: str) -> FixedFiles:
        remaining = (replace(broken, tests=tuple(f"t{number}" for number in range(tests))),)
        result = FixResult(
            backdate="1",
            check=checked,
            solver=solver,
            outcome=FixOutcome.PARTLY,
            reason=reason,
            remaining=remaining,
            runs=runs,
        )
        return FixedFiles(result=result, before={}, after={})

    def one_round(self, opened, pair, further, folder):
        asked.append(tuple(one.requirement for one in further))
        return (fixed(2, 5, "first") if folder == "fix" else fixed(left, 4, "again")), None

    def with_missing(self, pair, run, known):
        asked_before = bool(asked)
        return pair, ((*known, FurtherRequirement(requirement="six")) if asked_before else ())

    monkeypatch.setattr(FixRounds, "_round", one_round)
    monkeypatch.setattr(FixRounds, "_with_missing", with_missing)
    nothing: Any = SimpleNamespace(new=SimpleNamespace(run=None))
    options = FixOptions(solver=solver)
    made = FixRounds(nothing, checked, nothing, options, Path(), Path(), NO_PROGRESS).made(opener("x"))
    assert asked == [(), ("six",)][:rounds]
    assert (made.result.reason, made.result.runs) == ("again" if rounds == 2 and left < 2 else "first", runs)
