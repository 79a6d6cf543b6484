"""``backdate setup``: its words, its options, its exit statuses."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path

import pytest
from fake_setups import INSTANT, carried, choice, ran, recipe

from backdate.checking import loop_backend
from backdate.checking.ablation import Ablation, AblationRow, variants
from backdate.checking.compare import count_outcomes
from backdate.checking.recipe_run import RecipeRun
from backdate.checking.settings import SetupOptions
from backdate.checking.setup_class import FailedTests, SetupClass
from backdate.checking.setup_result import AttemptRecord, SetupResult, read_setup_result
from backdate.cli import exit_codes
from backdate.cli.main import status_of
from backdate.cli.render_setup import ablation_lines, setup_lines
from backdate.projects.project import Origin
from backdate.recipes.recipe import Provenance, Recipe, SkippedInstruction
from backdate.recipes.repair.error_class import ErrorClass


def result(*, proven: bool) -> SetupResult:
    """A set-up in two attempts; the second is proven, or fails two of ten."""
    first = AttemptRecord(
        number=1,
        candidate=1,
        source="tox, environment py38",
        round=0,
        recipe=recipe("a"),
        python="3.8.18",
        setup_class=SetupClass.NOT_PROVEN,
        reached="install",
        error=ErrorClass.MISSING_MODULE,
        message="No module named 'x'\x1b[31m",
        build_s=2.0,
        tests_s=0.0,
    )
    run = ran(passed=8, failed=0 if proven else 2)
    last = replace(
        first,
        number=2,
        round=1,
        repair="missing module: x is in x==1",
        setup_class=SetupClass.PROVEN if proven else SetupClass.NOT_PROVEN,
        reached="tests",
        error=None if proven else ErrorClass.TESTS_FAIL,
        message="",
        counts=count_outcomes(run),
    )
    done = carried(recipe("a", "x"), run)
    return SetupResult(
        backdate="0",
        project="p",
        origin=Origin(kind="folder", location="/p"),
        instant=INSTANT,
        setup_class=SetupClass.PROVEN if proven else SetupClass.NOT_PROVEN,
        reason="8 of 8 tests that ran pass" if proven else "8 of 10 tests that ran pass, 95% are wanted",
        accept=0.95,
        recipe=done.recipe,
        choice=done.choice,
        environment=done.environment,
        run=run,
        counts=count_outcomes(run),
        error=last.error,
        repairs=("missing module: x is in x==1",),
        attempts=(first, last),
        skipped=(
            SkippedInstruction(
                reason="needs a secret", provenance=Provenance(rule="CI", file="ci.yml", line=3)
            ),
        ),
        notes=("asked for from apt, not installed: pandoc",),
        started=INSTANT,
        duration_s=5.0,
        folder=Path("/logs"),
    )


def test_a_proven_set_up_in_words() -> None:
    text = "\n".join(setup_lines(result(proven=True)))
    assert text.startswith("Proven: 8 of 8 tests")
    assert "Attempt 1 (candidate 1, round 0): tox, environment py38" in text
    assert "missing-module in install" in text
    assert "Attempt 2 (candidate 1, round 1): missing module: x is in x==1" in text
    assert "Note: asked for from apt" in text
    assert "\x1b" not in text
    assert "needs a secret" not in text


def test_what_is_not_proven_in_full() -> None:
    text = "\n".join(setup_lines(result(proven=False), verbose=True))
    assert text.startswith("Not proven: 8 of 10")
    assert "failed: t.py::test_8: AssertionError: no" in text
    assert "Not followed: ci.yml:3: needs a secret" in text


def test_no_recipe_at_all() -> None:
    nothing = replace(
        result(proven=False), recipe=None, choice=None, environment=None, run=None, attempts=(), repairs=()
    )
    assert "no interpreter" in "\n".join(setup_lines(nothing, verbose=True))


def test_the_table_of_an_ablation() -> None:
    rows = (AblationRow(parts="everything", proven=1, outcomes=("proven", "time-out")),)
    lines = list(ablation_lines(Ablation(projects=("a", "b"), rows=rows)))
    assert lines[0] == "| parts | proven | a | b |"
    assert lines[-1] == "| everything | 1 of 2 | proven | time-out |"


def test_the_ways_of_an_ablation() -> None:
    found = dict(variants(SetupOptions()))
    assert found["everything"] == SetupOptions()
    assert found["without repair"].rounds == 0
    assert set(found["CI files alone"].sources) == {"ci"}
    assert "tox" not in found["without tox"].sources


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--without", "magic"], "the kinds are ci, conda"),
        (["a", "b"], "several are for --ablation"),
        (["--at", "tomorrow"], "is not a date"),
    ],
)
def test_misuse(arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = status_of(["setup", "--cache", str(tmp_path), *arguments])
    assert status == exit_codes.MISUSE
    assert words in capsys.readouterr().err


def test_not_proven_is_no_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.py").write_text("x = 1\n")
    target = tmp_path / "result.json"
    arguments = ["setup", str(project), "--at", "2021-03-01", "--cache", str(tmp_path / "cache")]
    assert status_of([*arguments, "--json", str(target)]) == exit_codes.CANNOT_TELL
    assert "no tests were found" in capsys.readouterr().out
    assert target.exists()


def test_a_weak_set_up_and_its_failures_in_words() -> None:
    weak = replace(
        result(proven=False),
        setup_class=SetupClass.WEAK,
        reason="8 of 10 tests that ran pass",
        failures=(
            FailedTests(
                error=ErrorClass.NEEDS_NETWORK,
                line="gaierror: x\x1b",
                tests=("t.py::a", "t.py::b"),
                help="nothing",
            ),
        ),
    )
    text = "\n".join(setup_lines(weak))
    assert text.startswith("Weak: 8 of 10")
    assert "needs-network: 2 tests: gaierror: x\\x1b" in text
    assert "t.py::a and 1 more; what would help: nothing" in text


def test_an_interrupted_set_up_is_printed_and_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """SIGTERM comes in the second attempt: what was tried before is told."""
    done: list[Recipe] = []

    def says(one: Recipe, *_: object, **__: object) -> RecipeRun:
        done.append(one)
        if len(done) > 1:
            signal.raise_signal(signal.SIGTERM)
        return carried(one, ran(failed=2, error="ModuleNotFoundError: No module named 'six'"))

    monkeypatch.setattr(loop_backend, "run_recipe", says)
    monkeypatch.setattr(loop_backend, "choose", lambda *_: choice())
    root = tmp_path / "project"
    root.mkdir()
    (root / "test_a.py").write_text("import unittest\nclass A(unittest.TestCase):\n    def test_a(self): 1\n")
    (root / "tox.ini").write_text("[tox]\nskipsdist = true\n[testenv]\ncommands = pytest -k a\n")
    written = tmp_path / "result.json"
    words = ["setup", str(root), "--at", "2021-03-01", "--no-repair", "--no-store", "--json", str(written)]
    status = status_of([*words, "--cache", str(tmp_path / "cache")])
    assert status == exit_codes.TERMINATED
    out = capsys.readouterr().out
    assert "Not proven: ended after 1 attempt; the best so far:" in out
    assert "No module named 'six'" in out
    kept = read_setup_result(written)
    assert kept.interrupted
    assert [attempt.error for attempt in kept.attempts] == [ErrorClass.MISSING_MODULE]
