"""One hostile suite as a task: its tests run with and without what watches, and by judge runs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from unittest import mock

from fake_runner import make_task
from hostile_suites import FILE, SOLVED, hostile_files, identities
from judged_project import JudgedProject
from patience import PATIENCE_S
from small_runner import MIB

from backdate.sandboxes.interface import Limits
from backdate.tasks.judge_record import JudgeRecord
from backdate.tasks.judge_runs.deciding import JudgePlan, JudgeVerdict, decide, plan_judge_run
from backdate.tasks.judge_runs.running import find_candidates
from backdate.tasks.judge_runs.soundness import KnownGood, find_sound_changes
from backdate.tasks.task import Proof, Task, TaskTest
from backdate.testing.changed_tests.candidates import PossibleChange
from backdate.testing.changed_tests.changed_tree import SecretChange, make_change, write_changed
from backdate.testing.outcomes import CaseResult, SuiteRun
from backdate.testing.run import run_suite
from backdate.timeline.instants import now

_Change = tuple[str, str]
"""A function and a kind."""


def _no_secret() -> None:
    """No run has a secret."""


@contextmanager
def unwatched() -> Iterator[None]:
    """Runs without authenticated events and canaries, as they were before there were any."""
    with mock.patch("backdate.testing.run.new_secret", _no_secret):
        yield


class HostileProject(JudgedProject):
    """The suite of ``hostile_suites``, with the pytest or unittest of these tests' own environment."""

    def __init__(self, runner: str, *, plugins: bool = False) -> None:
        """``plugins``: whether pytest looks for plugins, as it does for users."""
        super().__init__(runner.partition("-")[0], hostile_files("", runner))
        self.variant = runner
        # other distributions' plugins only cost time
        alone = () if plugins else (("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"),)
        self.plan = replace(self.plan, targets=(), environment=alone)

    def tree_of(
        self, target: Path, attack: str, planted: Mapping[str, str], product: str | None = None
    ) -> Path:
        """The tree with ``attack`` in what is tested, and the files that it plants."""
        given = () if product is None else (product,)
        for name, text in {**hostile_files(attack, self.variant, *given), **planted}.items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_text(text, encoding="utf-8")
        return target

    def run_watched(self, tree: Path, logs: Path) -> SuiteRun:
        """A run with authenticated events, canaries and the witness."""
        limits = Limits(wall_s=PATIENCE_S, memory_bytes=512 * MIB, disk_bytes=256 * MIB)
        return run_suite(
            self.sandbox, self.environment, tree, self.plan, limits=limits, log_folder=logs, witness=True
        )

    def verified(self, folder: Path) -> Task:
        """The task: all of its tests are fail-to-pass. With the changes that are sound with the solution."""
        ids = identities(self.variant)
        tests = tuple(TaskTest(id=identity, role="fail-to-pass") for identity in ids)
        task = replace(make_task(), test_files=(FILE,), tests=tests)
        tree = self.tree_of(folder / "solved", "", {}, SOLVED)
        run = self.run_tests(task, tree, "target", log_folder=folder / "logs").run
        good = KnownGood(tree=tree, environment="target", run=run)
        record = find_sound_changes(
            task, tests, self, good=good, scratch=folder / "scratch", logs=folder / "logs"
        )
        return replace(task, proof=_proof(record))


def _proof(record: JudgeRecord) -> Proof:
    return Proof(
        backdate="0",
        proven=now(),
        repeats=1,
        origin="pass",
        start="fail",
        reference="pass",
        solvable="gold patch",
        judge=record,
    )


@dataclass(frozen=True, slots=True)
class RecordedChanges:
    """What each sound change of a task came to under one attack, each in two runs at most."""

    task: Task
    tree: Path
    changed: Mapping[_Change, tuple[SecretChange, Mapping[str, CaseResult]]]
    unchanged: Mapping[str, CaseResult]
    """By id the result beside changed tests: the first that is not good, else any."""

    def verdict(self, *, tests: int, seed: int) -> JudgeVerdict:
        """What a judge run of ``tests`` tests shows, where each test's outcome depends on itself alone."""
        verdict = JudgeVerdict.NOT_JUDGED
        for attempt in range(2):  # as ``judge_answer`` tries again what is unproven
            plan = plan_judge_run(self.task, self.tree, tests=tests, seed=seed + attempt)
            if not isinstance(plan, JudgePlan):
                return JudgeVerdict.NOT_JUDGED
            verdict, _ = decide(plan, self._composed(plan))
            if verdict is not JudgeVerdict.UNPROVEN:
                break
        return verdict

    def _composed(self, plan: JudgePlan) -> SuiteRun:
        results = []
        for identity, change in plan.changes.items():
            recorded, by_id = self.changed[change.candidate.function, change.candidate.kind]
            if identity in by_id:
                results.append(_with_secret(by_id[identity], recorded.secret, change.secret))
        results += [self.unchanged[one] for one in plan.controls if one in self.unchanged]
        return _run_of(results)


def record_changes(
    project: HostileProject, task: Task, tree: Path, scratch: Path, logs: Path
) -> RecordedChanges:
    """Run every sound change of ``task`` once in the hostile ``tree``.

    Each run changes at most three quarters of the functions, as a judge run does, so that unchanged tests run
    beside them.
    """
    assert task.proof is not None
    assert task.proof.judge is not None
    places = find_candidates(tree, task.proof.judge.changes)
    most = max(1, len({sound.function for sound in places}) * 3 // 4)
    runs: list[dict[str, tuple[PossibleChange, tuple[str, ...]]]] = []
    for sound, candidate in places.items():  # into the first run that has place and leaves its function alone
        fitting = (run for run in runs if sound.function not in run and len(run) < most)
        run_changes = next(fitting, None)
        if run_changes is None:
            runs.append(run_changes := {})
        run_changes[sound.function] = candidate, sound.tests
    changed: dict[_Change, tuple[SecretChange, dict[str, CaseResult]]] = {}
    unchanged: dict[str, CaseResult] = {}
    random_source = random.Random(0)
    for number, run_changes in enumerate(runs):
        made = {
            tests: make_change(FILE, candidate, random_source) for candidate, tests in run_changes.values()
        }
        write_changed(tree, scratch, made.values())
        run = project.run_tests(task, scratch, "target", log_folder=logs / str(number)).run
        results = {result.id: result for result in run.results}
        for tests, change in made.items():
            own = {one: results[one] for one in tests if one in results}
            changed[change.candidate.function, change.candidate.kind] = (change, own)
        touched = {one for tests in made for one in tests}
        for identity, result in results.items():
            if identity not in touched and unchanged.get(identity, result).outcome.good:
                unchanged[identity] = result
    return RecordedChanges(task, tree, changed, unchanged)


def _with_secret(result: CaseResult, old: str, new: str) -> CaseResult:
    raised = tuple(replace(one, message=one.message.replace(old, new)) for one in result.raised)
    return replace(result, raised=raised)


def _run_of(results: Sequence[CaseResult]) -> SuiteRun:
    import builders

    return builders.run(*results)
