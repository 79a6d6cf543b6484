"""The rules solver: mends what dependencies broke without a model, from rules and evidence."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from backdate.editing.diff import diff_files
from backdate.solvers.atif import make_trajectory
from backdate.solvers.conversation import LoopEnd
from backdate.solvers.interface import Assignment, SolverResult
from backdate.solvers.reasons import CaughtError, HunkReason
from backdate.solvers.records import SolverUsage, StopReason
from backdate.solvers.rules.applying import Rewriter, TextChanger, Texts
from backdate.solvers.rules.backend import SuiteReading
from backdate.solvers.rules.changes import without_guesses_beside
from backdate.solvers.rules.elsewhere import texts_elsewhere
from backdate.solvers.rules.hunk_reasons import hunk_reasons
from backdate.solvers.rules.loop import MOST_RUNS, MendLoop, MendResult
from backdate.solvers.rules.minimising import leave_out
from backdate.solvers.rules.parts import without_failing_lines
from backdate.solvers.rules.proposals import EvidenceFollower, EvidenceGatherer, ProposalSource
from backdate.solvers.rules.task_backend import CallsUsedUp, TaskBackend

_MOST_TOLD = 5
_SYSTEM = (
    "No model: proposals come from rules and from evidence, are tried at once, and stay where they help. "
    "The old side is run once, with a tracer."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesSolver:
    """Rules and evidence in the loop of ``loop.py``. See ``Solver``."""

    name: str = "rules"
    sources: Sequence[ProposalSource]
    gather: EvidenceGatherer
    follow: EvidenceFollower
    rewrite: Rewriter
    thorough: bool = False
    """Whether a second patch has the same names where no failing test runs them."""

    def attempt(self, assignment: Assignment) -> SolverResult:
        """Mend the task's tree. What was interrupted starts again: nothing was paid for."""
        root = assignment.make_tree()
        backend = TaskBackend(assignment, root, self.sources, self.gather, self.follow)
        changer = TextChanger(backend.read, self.rewrite, backend.is_valid, backend.can_hold)
        loop = MendLoop(backend, changer, most_runs=min(MOST_RUNS, assignment.budget.tests + 1))
        result = self._work(assignment, backend, changer, loop)
        if not assignment.settings.survey or result.ending is StopReason.ERROR:
            return result
        started = time.monotonic()
        ready = backend.ready_at_first(loop.first)
        return replace(result, ready_at_first=ready, waited_s=result.waited_s + time.monotonic() - started)

    def _work(
        self, assignment: Assignment, backend: TaskBackend, changer: TextChanger, loop: MendLoop
    ) -> SolverResult:
        try:
            mended = loop.mend()
        except CallsUsedUp:
            best = loop.best
            detail = f"{backend.steps.calls} turns did not suffice"
            return self._result(
                assignment, backend, StopReason.CALLS, best.texts if best else {}, detail, best
            )
        if mended.reading.broken:
            return self._result(assignment, backend, StopReason.ERROR, {}, mended.reading.reason, None)
        if not mended.solved:
            ending, detail = _why_unsolved(assignment, loop.runs)
            detail = "; ".join(filter(None, (detail, _left_alone(changer))))
            texts = without_failing_lines(
                {file: changer.text({}, file) or "" for file in mended.texts},
                mended.texts,
                mended.history.standing(mended.texts),
                mended.remaining,
                at_first=loop.first.groups,
            )
            return self._result(assignment, backend, ending, texts, detail, mended, loop.caught())
        mended = self._without_guesses(loop, mended)
        texts, detail = self._minimised(changer, loop, mended)
        result = self._result(assignment, backend, StopReason.SOLVED, texts, detail, mended)
        if not self.thorough or not result.patch:
            return result
        return replace(result, elsewhere=self._elsewhere(backend, changer, texts, mended))

    def _elsewhere(self, backend: TaskBackend, changer: TextChanger, texts: Texts, mended: MendResult) -> str:
        files = sorted(backend.evidence.texts) if backend.evidence is not None else ()
        more = texts_elsewhere(changer, texts, mended.history.planned, files)
        return diff_files(
            {file: backend.encoded(file, changer.text(texts, file) or "") for file in more},
            {file: backend.encoded(file, text) for file, text in more.items()},
        )

    def _without_guesses(self, loop: MendLoop, mended: MendResult) -> MendResult:
        """The same without guesses on lines that something else mends, where the tests pass without them."""
        history = without_guesses_beside(mended.history, mended.texts)
        if history.planned == mended.history.planned or loop.runs >= loop.most_runs:
            return mended
        texts = history.texts()
        try:
            reading = loop.test(texts, (), "Without what was guessed beside another change.")
        except CallsUsedUp:
            return mended
        return replace(mended, history=history, texts=texts, reading=reading) if reading.solved else mended

    def _minimised(self, changer: TextChanger, loop: MendLoop, mended: MendResult) -> tuple[Texts, str]:
        """The texts without what is not needed, and a word on what is not known."""
        first = {file: changer.text({}, file) or "" for file in mended.texts}
        texts = {file: text for file, text in mended.texts.items() if text != first[file]}
        if not texts:
            return {}, "the tests passed before anything was changed"

        def run(fewer: Texts) -> SuiteReading:
            return loop.test(fewer, (), "Without what may not be needed.")

        try:
            smallest = leave_out(
                first,
                texts,
                mended.history.standing(mended.texts),
                run,
                at_first=loop.first,
                runs=loop.most_runs - loop.runs,
            )
        except CallsUsedUp:
            return texts, "not minimised: the calls are used up"
        return smallest.texts, "" if smallest.complete else "not minimised: the runs are used up"

    def _result(
        self,
        assignment: Assignment,
        backend: TaskBackend,
        ending: StopReason,
        texts: Texts,
        detail: str,
        mended: MendResult | None,
        caught: tuple[CaughtError, ...] = (),
    ) -> SolverResult:
        patch = backend.patch(texts)
        unread = "" if ending is StopReason.SOLVED else _unread(backend)
        unknown = "" if ending is StopReason.SOLVED else _unknown(backend)
        detail = "; ".join(filter(None, (detail, unknown, unread, _unasked(backend))))
        reasons: tuple[HunkReason, ...] = ()
        if mended is not None:
            texts = {file: text for file, text in texts.items() if text != backend.read(file)}
            reasons = hunk_reasons(
                {file: backend.read(file) or "" for file in texts},
                texts,
                mended.history.standing(texts),
                backend.evidence,
                backend.environment,
            )
        outcome = LoopEnd(ending=ending, detail=detail, calls=backend.steps.calls)
        return SolverResult(
            ending=ending,
            detail=detail,
            patch=patch,
            calls=backend.steps.calls,
            runs=tuple(backend.runs),
            sequence=backend.steps.sequence,
            reasons=reasons,
            caught=caught,
            side_runs=0 if backend.evidence is None else 1,
            proposed_by=backend.proposed_by,
            trajectory=make_trajectory(
                session=assignment.task.instance_id,
                solver=assignment.settings.solver,
                model="",
                system=_SYSTEM,
                user="",
                turns=backend.steps.turns,
                outcome=outcome,
                usage=SolverUsage(),
            ),
            waited_s=backend.waited_s,
        )


def _left_alone(changer: TextChanger) -> str:
    """The uses that something was proposed for, and that were left alone, with why."""
    told = [
        f"{file}{f':{left.line}' if left.line else ''} ({left.reason})" for file, left in changer.left_alone
    ]
    more = f" and {len(told) - _MOST_TOLD} more" if len(told) > _MOST_TOLD else ""
    return f"left alone: {', '.join(told[:_MOST_TOLD])}{more}" if told else ""


def _unread(backend: TaskBackend) -> str:
    """Which releases, and whether changelogs, could not be asked what to write."""
    releases = backend.evidence.releases if backend.evidence is not None else None
    unread = releases.unread if releases is not None else ()
    said = [f"releases in between could not be read: {', '.join(unread)}"] if unread else []
    changelogs = backend.evidence.changelogs if backend.evidence is not None else None
    if changelogs is not None and changelogs.unreachable:
        said.append("the index did not answer for changelogs")
    return "; ".join(said)


def _unknown(backend: TaskBackend) -> str:
    """What is not known that proposals are made of: a failed question is no answer."""
    evidence = backend.evidence
    if evidence is None:
        return ""
    if evidence.pair is None:
        return "what the libraries have is not known: there is no old or no new environment to ask"
    told = list(evidence.pair.unanswered)
    more = f" and {len(told) - _MOST_TOLD} more" if len(told) > _MOST_TOLD else ""
    parts = [f"an environment did not answer for {', '.join(told[:_MOST_TOLD])}{more}"] if told else []
    if evidence.executed is None:
        parts.append("which lines the failing tests run is not known: the run of the old side was not traced")
    return "; ".join(parts)


def _unasked(backend: TaskBackend) -> str:
    """Which of the tools that were to be asked could not be."""
    fixers = backend.evidence.fixers if backend.evidence is not None else None
    return "" if fixers is None else fixers.untold


def _why_unsolved(assignment: Assignment, runs: int) -> tuple[StopReason, str]:
    if runs > assignment.budget.tests:
        return StopReason.TESTS, ""
    if runs >= MOST_RUNS:
        return StopReason.GAVE_UP, f"{runs} runs of the tests did not suffice"
    return StopReason.GAVE_UP, "nothing is left to propose"
