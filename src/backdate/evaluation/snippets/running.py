"""Asks a solver everything that a run is to ask, into a folder: what is answered is not asked again."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from backdate.evaluation.run_folder import alone_in
from backdate.evaluation.snippets.answers import (
    SnippetAnswer,
    SnippetQuestion,
    SnippetRunSettings,
    SnippetSolver,
    questions_of,
)
from backdate.evaluation.snippets.run_folder import answers_file, claim_snippet_run, load_answers
from backdate.progress import NO_PROGRESS, Activity, Remark, Reporter
from backdate.sandboxes.threads import in_threads
from backdate.snippets.snippet import Snippet


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetPlan:
    """What is to be asked."""

    dataset: str
    """Its name."""
    snippets: Sequence[Snippet]
    solver: SnippetSolver
    settings: SnippetRunSettings
    folder: Path
    jobs: int = 1
    retry: bool = False
    """Ask again where a model failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersSoFar:
    """What came of it."""

    answered: int
    """Questions with an answer, those of earlier sessions among them."""
    without: int
    """Questions without one."""
    stopped: str = ""
    """Why not all were asked; empty when they were."""


def ask_all(plan: SnippetPlan, progress: Reporter = NO_PROGRESS) -> AnswersSoFar:
    """Ask everything that has no answer yet.

    Raises UsageError for a folder that holds another run, and MachineError when the machine lacks something;
    what is answered then stays.
    """
    plan.folder.mkdir(parents=True, exist_ok=True)
    with alone_in(plan.folder):
        claim_snippet_run(plan.folder, plan.settings, plan.dataset, plan.snippets)
        questions = questions_of(plan.snippets, plan.settings)
        known = load_answers(plan.folder)
        left = [
            question
            for question in questions
            if (answer := known.get(question.place)) is None or (plan.retry and answer.reply.again)
        ]
        asking = _Asking(plan, progress, len(left))
        works = [partial(asking.ask, question) for question in left]
        in_threads(works, jobs=plan.jobs, name="question", ends_others=False)
        known = load_answers(plan.folder)
    replies = [known[question.place].reply for question in questions if question.place in known]
    answered = sum(not reply.problem for reply in replies)
    return AnswersSoFar(answered=answered, without=len(questions) - answered, stopped=asking.stopped)


class _Asking:
    """The questions of one session."""

    def __init__(self, plan: SnippetPlan, progress: Reporter, total: int) -> None:
        self.stopped = ""
        self._plan = plan
        self._progress = progress
        self._total = total
        self._asked = 0
        self._file = answers_file(plan.folder)
        self._lock = threading.Lock()

    def ask(self, question: SnippetQuestion) -> None:
        """Ask one question and keep its answer."""
        if self.stopped:
            return
        started = time.monotonic()
        reply = self._plan.solver.answer(question.snippet, question.ask, question.sample)
        if reply.final:
            self.stopped = reply.detail or reply.problem
            self._progress.report(Remark(text=f"no further question is asked: {self.stopped}"))
            return
        seconds = round(time.monotonic() - started, 3)
        identity, ask, sample = question.place
        answer = SnippetAnswer(snippet=identity, ask=ask, sample=sample, reply=reply, seconds=seconds)
        self._file.append(answer)
        with self._lock:
            self._asked += 1
            text = f"{self._asked} of {self._total} questions: {identity}, {ask.value}"
        self._progress.report(Activity(text=text))
