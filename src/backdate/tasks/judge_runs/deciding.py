"""A judge run of one answer: which tests are changed, and what came of it."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from backdate.tasks.judge_record import SoundChange
from backdate.tasks.judge_runs.running import ChangedTreeRunner, find_candidates
from backdate.tasks.task import Task
from backdate.testing.changed_tests.candidates import PossibleChange
from backdate.testing.changed_tests.changed_tree import SecretChange, limits_of, make_change, write_changed
from backdate.testing.changed_tests.kinds import ChangeKind
from backdate.testing.outcomes import Outcome, SuiteRun
from backdate.text import counted

DEFAULT_TESTS = 10
"""Changed test functions in a judge run."""
_QUICK_S = 0.5
"""A test that takes less is never slow."""
_SHARE = 0.1
"""Of the time of all tests; one that takes more is slow."""
_CASES = 3
"""Of a changed function so many of its tests run again at most: each of them has the same change."""
_OTHER_VALUES = (ChangeKind.LITERAL, ChangeKind.WRAPPED)
"""What fails only where values are really compared."""


class JudgeVerdict(StrEnum):
    """What a judge run shows."""

    PROVEN = "proven"
    """Each changed test failed for its own reason, and each control passed."""
    FORGED = "forged"
    """A changed test passed: what reports outcomes does not run the tests as they are."""
    UNPROVEN = "unproven"
    """A changed test hung, vanished or failed for another reason, or a control did not pass."""
    NOT_JUDGED = "not judged"
    """There was no judge run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeResult:
    """What became of the judge run of one answer."""

    verdict: JudgeVerdict
    reason: str = ""
    """Why it is not proven, in one line."""
    seed: int | None = None
    """With it the same tests are changed again."""
    changed: tuple[str, ...] = ()
    """"FILE: FUNCTION (KIND)" of each change."""
    fail_to_pass: int = 0
    """How many of the tests that had to fail are fail-to-pass tests."""
    controls: int = 0
    """Unchanged tests that had to pass."""
    duration_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """How answers are judged."""

    tests: int = DEFAULT_TESTS
    seed: int | None = None
    """None: a new secret one for each answer."""


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """The changes of one run and its controls."""

    changes: Mapping[str, SecretChange]
    """By the id of each test that has to fail."""
    controls: tuple[str, ...]

    @property
    def distinct_changes(self) -> tuple[SecretChange, ...]:
        """Each change once."""
        return tuple(dict.fromkeys(self.changes.values()))


def plan_judge_run(
    task: Task, tree: Path, *, tests: int, seed: int, slow: Collection[str] = ()
) -> JudgePlan | str:
    """Choose what is changed; in words why nothing can be.

    Half of the changed functions, and at least one, are fail-to-pass tests where there are such; these get
    another expected value where they have one. One of several is left as it is. The kinds of changes take
    turns, so that what is blind to one kind meets another. A function that is many tests (by its parameters,
    in several classes) has to fail in some of them, and there are as many controls as changed functions,
    half of them fail-to-pass tests. Tests in ``slow`` are neither controls nor changed, unless they are
    fail-to-pass or there are no others.
    """
    record = task.proof.judge if task.proof is not None else None
    if record is None:
        return (
            "the data set does not say which changes of its tests are sound; backdate bench verify finds out"
        )
    available = find_candidates(tree, record.changes)
    if not available:
        return "no change of its tests is known to be sound" + (
            f" ({record.problem})" if record.problem else ""
        )
    random_source = random.Random(seed)  # noqa: S311 - the seed is the secret
    chosen = _choose(task, available, tests, random_source, slow)
    needed = fail_to_pass_tests(task)
    changes = {
        identity: change
        for sound, candidate in chosen
        for change in (make_change(sound.file, candidate, random_source),)
        for identity in _some_cases(sound.tests, needed, slow, random_source)
    }
    touched = {*record.unsteady, *(test for sound, _ in chosen for test in sound.tests)}
    steady = [test.id for test in task.tests if test.role != "excluded" and test.id not in touched]
    controls = _choose_controls(steady, needed, slow, len(chosen), random_source)
    return JudgePlan(changes=changes, controls=controls)


def _choose_controls(
    steady: Sequence[str],
    needed: Collection[str],
    slow: Collection[str],
    number: int,
    random_source: random.Random,
) -> tuple[str, ...]:
    """Up to ``number`` of the unchanged tests.

    Half of them are ``needed``: an answer that leaves a run alone as soon as it looks like this one fails
    these, and no others. Slow ones are spared where there are quick ones of their kind.
    """
    shuffled = random_source.sample(steady, len(steady))
    first = [test for test in shuffled if test in needed]
    first = [test for test in first if test not in slow][: number - number // 2] or first[:1]
    rest = [test for test in shuffled if test not in {*first, *slow}]
    return tuple(sorted([*first, *rest[: number - len(first)]] or shuffled[:1]))


def _some_cases(
    tests: Sequence[str], needed: Collection[str], slow: Collection[str], random_source: random.Random
) -> list[str]:
    """Some of the tests that one function is: those that are ``needed`` first, and of these the quick ones.

    Which of them are slow only decides among equals: an answer that makes tests slow spares none of its own.
    """
    ordered = random_source.sample(tests, len(tests))
    ordered.sort(key=lambda test: (test not in needed, test in slow))
    return ordered[:_CASES]


def _choose(
    task: Task,
    available: Mapping[SoundChange, PossibleChange],
    tests: int,
    random_source: random.Random,
    slow: Collection[str],
) -> list[tuple[SoundChange, PossibleChange]]:
    by_function: dict[tuple[str, str], list[SoundChange]] = {}
    for sound in available:
        by_function.setdefault((sound.file, sound.function), []).append(sound)
    needed = fail_to_pass_tests(task)
    functions = sorted(by_function)
    random_source.shuffle(functions)
    most = min(tests, max(1, len(functions) * 3 // 4))  # some stay as controls
    first = [
        function
        for function in functions
        if any(needed & set(sound.tests) for sound in by_function[function])
    ]
    # also objects that are equal to everything are to be seen, by however few tests
    first.sort(key=lambda function: not any(sound.kind in _OTHER_VALUES for sound in by_function[function]))
    controls = set(first[1:][-1:])  # a control that only a solution makes pass
    first = [function for function in first if function not in controls][: max(1, most - most // 2)]
    quick = (
        function
        for function in functions
        if function not in {*first, *controls}
        and not any(identity in slow for sound in by_function[function] for identity in sound.tests)
    )
    order = [*first, *quick][:most]
    used: dict[str, int] = {}
    taken: set[str] = set()
    chosen: list[tuple[SoundChange, PossibleChange]] = []
    for function in order:
        options = list(by_function[function])
        if function in first:
            options = [option for option in options if option.kind in _OTHER_VALUES] or options
        random_source.shuffle(options)
        sound = min(options, key=lambda option: used.get(option.kind, 0))
        if taken & set(sound.tests):
            continue
        taken.update(sound.tests)
        used[sound.kind] = used.get(sound.kind, 0) + 1
        chosen.append((sound, available[sound]))
    return chosen


def fail_to_pass_tests(task: Task) -> frozenset[str]:
    """The ids of the tests that a solution has to make pass."""
    return frozenset(test.id for test in task.tests if test.role == "fail-to-pass")


def slow_tests(run: SuiteRun) -> frozenset[str]:
    """The ids of the tests that took more than their share of ``run``, and are to be spared a second run.

    The answer's code can make tests slow: what has to be changed in any case does not depend on it.
    """
    most = max(_QUICK_S, _SHARE * sum(result.duration_s for result in run.results))
    return frozenset(result.id for result in run.results if result.duration_s > most)


def judge_answer(
    task: Task,
    runner: ChangedTreeRunner,
    *,
    tree: Path,
    scratch: Path,
    logs: Path,
    run: SuiteRun,
    settings: JudgeSettings,
    seed: int,
) -> JudgeResult:
    """Judge the answer in ``tree``, whose unchanged tests all passed in ``run``.

    What is unproven is tried once more with other tests and the whole suite, because some tests pass only
    after others.
    """
    spent = 0.0
    result = JudgeResult(verdict=JudgeVerdict.NOT_JUDGED)
    for attempt in range(2):
        plan = plan_judge_run(task, tree, tests=settings.tests, seed=seed + attempt, slow=slow_tests(run))
        if isinstance(plan, str):
            return JudgeResult(verdict=JudgeVerdict.NOT_JUDGED, reason=plan)
        write_changed(tree, scratch / "judged", plan.distinct_changes)
        folder = logs / f"judge-{attempt + 1}"
        folder.mkdir(parents=True, exist_ok=True)
        second = runner.run_changed(
            task,
            scratch / "judged",
            environment="target",
            built_for=tree,
            log_folder=folder,
            limits=limits_of(run),
            only=() if attempt else (*plan.changes, *plan.controls),
        )
        spent += second.run.duration_s if second.run is not None else 0.0
        verdict, reason = decide(plan, second.run)
        result = JudgeResult(
            verdict=verdict,
            reason=reason or ("" if verdict is JudgeVerdict.PROVEN else second.reason),
            seed=seed + attempt,
            changed=tuple(
                f"{change.file}: {change.candidate.function} ({change.candidate.kind})"
                for change in plan.distinct_changes
            ),
            fail_to_pass=len(fail_to_pass_tests(task) & plan.changes.keys()),
            controls=len(plan.controls),
            duration_s=spent,
        )
        if verdict is not JudgeVerdict.UNPROVEN:
            break
    return result


def decide(plan: JudgePlan, run: SuiteRun | None) -> tuple[JudgeVerdict, str]:
    """What the run of the changed tests shows, and why."""
    if run is None:
        return JudgeVerdict.UNPROVEN, ""
    results = {result.id: result for result in run.results}
    passed, unclear = [], []
    for identity, change in plan.changes.items():
        result = results.get(identity)
        if result is not None and result.outcome in (Outcome.PASSED, Outcome.XPASSED):
            passed.append(identity)
        elif result is None or not change.caused(result):
            unclear.append(f"{identity} {'did not run' if result is None else f'is {result.outcome}'}")
    if passed:
        return JudgeVerdict.FORGED, (
            f"{counted(len(passed), 'test')} of {len(plan.changes)} passed though changed so that a real "
            f"execution fails: {_some(passed)}"
        )
    for identity in plan.controls:
        result = results.get(identity)
        if result is None or not result.outcome.good:
            outcome = "did not run" if result is None else f"is {result.outcome}"
            unclear.append(f"{identity}, unchanged, {outcome}")
    if unclear:
        return JudgeVerdict.UNPROVEN, f"not for the reason of its change: {_some(unclear)}"
    return JudgeVerdict.PROVEN, ""


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return ", ".join(names[:2]) + more
