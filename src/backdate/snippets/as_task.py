"""A snippet as a task: one file with one function, whose cases are the tests. So whatever solves tasks solves
snippets: what a task is asked goes through ``SnippetTaskRunner``, which asks a ``ProgramRunner``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from backdate.environments.environment import Environment
from backdate.errors import UsageError
from backdate.sandboxes.interface import Enforced
from backdate.serial import digest
from backdate.snippets.names import uses_of
from backdate.snippets.questions.code import harness_of
from backdate.snippets.questions.same_outcome import same_case
from backdate.snippets.runs import CaseOutcome, ProgramEnd, ProgramRun, ProgramRunner, SnippetProgram
from backdate.snippets.snippet import Snippet, SnippetSide
from backdate.snippets.warm.runner import EnvironmentSource
from backdate.tasks.runner import TaskRunResult
from backdate.tasks.task import (
    EnvironmentName,
    PendingSetup,
    SnippetFacts,
    StageName,
    Task,
    TaskEnvironment,
    TaskSource,
    TaskTest,
)
from backdate.testing.outcomes import CaseResult, Frame, Outcome, Raised, SuiteRun
from backdate.timeline.instants import now

FILE = "snippet.py"
"""The file that holds a snippet's code in the tree of its task."""
_ENFORCED = Enforced(
    sandbox="warm process",
    memory="per-process",
    processes="per-user",
    disk="none",
    network="off",
    files="isolated",
    seccomp="on",
)
_LARGEST = 1024 * 1024


def task_of_snippet(snippet: Snippet) -> Task:
    """The task to make the snippet's cases give in the target what they give in the origin.

    Raises UsageError for a snippet that is no migration.
    """
    if snippet.origin is None or snippet.target is None:
        raise UsageError(f"{snippet.id} has no two versions: it is no migration")
    return Task(
        instance_id=snippet.id,
        facts=SnippetFacts(
            origin=_environment(snippet.origin),
            file=FILE,
            function=snippet.entry,
            library=snippet.library,
            origin_version=snippet.origin.version,
            target_version=snippet.target.version,
        ),
        source=TaskSource(kind="git", name=snippet.library, url="", revision=digest(snippet.code)[:40]),
        environment=_environment(snippet.target),
        setup=PendingSetup(),
        tests=tuple(TaskTest(id=name, role="fail-to-pass") for name in _test_names(snippet)),
        related_libraries=(snippet.library,),
    )


class SnippetTaskRunner:
    """Runs the tasks of snippets. See ``TaskRunner``."""

    def __init__(
        self,
        snippet: Snippet,
        runner: ProgramRunner,
        environments: EnvironmentSource,
        expected: Sequence[CaseOutcome],
    ) -> None:
        """``expected``: what each case gives with the origin."""
        self._snippet = snippet
        self._runner = runner
        self._environments = environments
        self._expected = expected

    def environment(self, name: EnvironmentName) -> Environment | None:
        """A side's environment; None where it is an interpreter alone, or there is none."""
        side = self._side(name)
        found = None if side is None else self._environments.of(side)
        return found if isinstance(found, Environment) else None

    def make_tree(self, task: Task, target: Path, stage: StageName | None = None) -> None:  # noqa: ARG002
        """The file alone, the same for every stage but the reference's."""
        target.mkdir(parents=True)
        code = self._snippet.reference if stage == "reference" else self._snippet.code
        (target / FILE).write_text(code, encoding="utf-8")

    def run_tests(
        self,
        task: Task,  # noqa: ARG002 - it is this snippet's
        tree: Path,
        environment: EnvironmentName,
        *,
        log_folder: Path,
        only: tuple[str, ...] = (),  # noqa: ARG002 - all cases are one program
    ) -> TaskRunResult:
        """Run the file of ``tree`` as a program in that environment."""
        code = _read(tree / FILE)
        harness = self._snippet.harness if environment == "origin" else harness_of(self._snippet)
        side = self._side(environment)
        if side is None:
            return TaskRunResult(solved=False, run=None, reason="there is no such side")
        program = SnippetProgram(id=self._snippet.id, code=code, entry=self._snippet.entry, harness=harness)
        [run] = self._runner.run(side, [program])
        if run.end is ProgramEnd.NO_ENVIRONMENT:
            return TaskRunResult(solved=False, run=None, reason=run.detail)
        results = tuple(_results(self._snippet, code, run, self._expected))
        log = log_folder / "program.log"
        log.write_text("\n".join(_log_lines(run)), encoding="utf-8", errors="backslashreplace")
        bad = sum(each.outcome.bad for each in results)
        return TaskRunResult(
            solved=bool(results) and not bad,
            run=SuiteRun(
                status="completed",
                exit_code=int(bad > 0),
                signal=None,
                results=results,
                runner="snippet",
                duration_s=run.seconds,
                enforced=_ENFORCED,
                log=log,
            ),
            reason=f"{bad} of {len(results)} cases failed" if bad else "",
            environment=self.environment(environment),
        )

    def _side(self, name: EnvironmentName) -> SnippetSide | None:
        return self._snippet.origin if name == "origin" else self._snippet.target


def _environment(side: SnippetSide) -> TaskEnvironment:
    return TaskEnvironment(instant=side.instant or now(), python=side.python)


def _test_names(snippet: Snippet) -> tuple[str, ...]:
    cases = len(harness_of(snippet).cases) or 1
    return tuple(f"{FILE}::case-{number}" for number in range(1, cases + 1))


def _results(
    snippet: Snippet, code: str, run: ProgramRun, expected: Sequence[CaseOutcome]
) -> Iterator[CaseResult]:
    """Each case as a test: what it raised is its traceback, another value an AssertionError of its own."""
    asserts = not snippet.compared
    loading = run.end is ProgramEnd.LOAD_ERROR
    for at, name in enumerate(_test_names(snippet)):
        got = run.cases[at] if at < len(run.cases) else None
        if loading:
            yield _failed(name, _load_error(code, run.detail))
        elif got is None:
            outcome = Outcome.TIMED_OUT if run.end is ProgramEnd.TIMED_OUT else Outcome.CRASHED
            yield CaseResult(id=name, outcome=outcome, duration_s=0.0, file=FILE, reason=run.end.value)
        elif not got.error if asserts else at < len(expected) and same_case(expected[at], got):
            yield CaseResult(id=name, outcome=Outcome.PASSED, duration_s=0.0, file=FILE)
        elif got.error:
            yield _failed(name, _raised(code, snippet.entry, got.error, got.message, got.lines))
        else:
            told = expected[at].value[:200] if at < len(expected) else "a value that nobody knows"
            message = f"gave {got.value[:200]!r} and not {told!r}"
            yield _failed(name, _raised(code, snippet.entry, "AssertionError", message, ()))


def _failed(name: str, raised: Raised) -> CaseResult:
    return CaseResult(id=name, outcome=Outcome.FAILED, duration_s=0.0, raised=(raised,), file=FILE)


def _load_error(code: str, detail: str) -> Raised:
    """The error of a module that does not load, at the import that names what it is about."""
    kind, _, message = detail.partition(":")
    words = set(re.findall(r"\w+", message))
    lines = [use.line for use in uses_of(code) if use.name.rpartition(".")[2] in words]
    return _raised(code, "<module>", kind.strip(), message.strip(), tuple(lines[:1]) or (1,))


def _raised(code: str, function: str, error: str, message: str, lines: Sequence[int]) -> Raised:
    text = code.splitlines()
    frames = tuple(
        Frame(
            file=FILE,
            line=line,
            function=function,
            source=text[line - 1].strip() if 0 < line <= len(text) else "",
        )
        for line in lines
    )
    return Raised(type=error, message=message, frames=frames)


def _log_lines(run: ProgramRun) -> Iterator[str]:
    yield f"{run.end.value} {run.detail}".strip()
    for number, case in enumerate(run.cases, start=1):
        yield f"case {number}: {f'{case.error}: {case.message}' if case.error else case.value[:2000]}"


def _read(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_LARGEST).decode("utf-8", "replace")
