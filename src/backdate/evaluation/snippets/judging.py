"""Whether answers that pass tests have met them: the same tests once more, changed in secret.

An answer's code can write what its process reports. So a pass counts when the answer fails where it must:
what each change shows is known from the row's known solution, which has to fail by it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from backdate.snippets.questions.answer import AnswerLabel, CodeAnswer
from backdate.snippets.questions.code import harness_of, program_of
from backdate.snippets.questions.same_outcome import raises_nothing
from backdate.snippets.questions.score import AnswerScore, MigrationError
from backdate.snippets.runs import ProgramRun, ProgramRunner, SnippetProgram
from backdate.snippets.secret_tests import SecretTests, secret_tests
from backdate.snippets.snippet import Snippet, SnippetSide

_ATTEMPTS = 2
"""A run that ended otherwise is made again: the machine may have been busy."""
_DETAILS = {
    AnswerLabel.FORGED: "a test passed though it was changed so that a real execution fails",
    AnswerLabel.UNPROVEN: "a test that was changed so that it fails did not fail by that",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedTests:
    """An answer that passed the tests of its snippet."""

    snippet: Snippet
    program: SnippetProgram
    """As it ran."""


def judge_passes(
    runner: ProgramRunner,
    side: SnippetSide,
    passes: Sequence[PassedTests],
    random_source: random.Random | None = None,
) -> Mapping[str, AnswerLabel | None]:
    """By the id of each program what its pass is worth; None where it is proven.

    ``random_source``: of what is changed; a new secret one by default.
    """
    source = random_source if random_source is not None else random.SystemRandom()
    tests = _sound_tests(runner, side, [each.snippet for each in passes], source)
    found: dict[str, AnswerLabel | None] = {
        each.program.id: None if tests.get(each.snippet.id) else AnswerLabel.NOT_JUDGED for each in passes
    }
    left = [each for each in passes if tests.get(each.snippet.id)]
    for _ in range(_ATTEMPTS):
        runs = _run(runner, side, {each.program.id: (each.program, tests[each.snippet.id]) for each in left})
        for each in left:
            found[each.program.id] = _label(tests[each.snippet.id], runs[each.program.id])
        left = [each for each in left if found[each.program.id] is AnswerLabel.UNPROVEN]
    return found


def judged(score: AnswerScore, label: AnswerLabel | None) -> AnswerScore:
    """``score`` of a pass with what it is worth. The released rule believes it, as the published harness."""
    if label is None:
        return score
    labelled = replace(score, labels=(*score.labels, label))
    if label is AnswerLabel.NOT_JUDGED:
        return labelled
    return replace(
        labelled, strict=False, cases_passed=0, error=MigrationError.WRONG_ANSWER, detail=_DETAILS[label]
    )


def _label(tests: Sequence[SecretTests], runs: Sequence[ProgramRun]) -> AnswerLabel | None:
    if any(map(raises_nothing, runs)):
        return AnswerLabel.FORGED
    met = all(one.caused(run) for one, run in zip(tests, runs, strict=True) if one.raises)
    return None if met else AnswerLabel.UNPROVEN


def _sound_tests(
    runner: ProgramRunner, side: SnippetSide, snippets: Sequence[Snippet], random_source: random.Random
) -> Mapping[str, Sequence[SecretTests]]:
    """By snippet the changes by which its known solution fails: one that raises, one of a value."""
    tried = {
        snippet.id: (
            program_of(snippet, CodeAnswer(code=snippet.reference)),
            secret_tests(harness_of(snippet), random_source),
        )
        for snippet in snippets
        if snippet.reference
    }
    runs = _run(runner, side, tried)
    sound: dict[str, list[SecretTests]] = defaultdict(list)
    for identity, (_, tests) in tried.items():
        for one, run in zip(tests, runs[identity], strict=True):
            if one.caused(run) and one.raises not in [other.raises for other in sound[identity]]:
                sound[identity].append(one)
    return sound


def _run(
    runner: ProgramRunner,
    side: SnippetSide,
    wanted: Mapping[str, tuple[SnippetProgram, Sequence[SecretTests]]],
) -> Mapping[str, Sequence[ProgramRun]]:
    """The runs of programs with changed tests, by their keys, in the order of the tests."""
    programs = [
        replace(program, id=f"{key} {number}", harness=one.harness)
        for key, (program, tests) in wanted.items()
        for number, one in enumerate(tests)
    ]
    runs = {run.id: run for run in runner.run(side, programs)} if programs else {}
    return {
        key: [runs[f"{key} {number}"] for number in range(len(tests))] for key, (_, tests) in wanted.items()
    }
