"""Drives the loop over one task: asks whoever speaks, calls the tools, writes down what happened."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from backdate.editing.patch_text import encode_patch
from backdate.projects.tree import tree_digest
from backdate.sandboxes import interruption
from backdate.serial import digest
from backdate.solvers.atif import make_trajectory
from backdate.solvers.conversation import (
    NO_TOOL,
    Act,
    AgentReply,
    Answer,
    Done,
    Event,
    Failed,
    LoopEnd,
    Observation,
    ToolRequest,
    Turn,
)
from backdate.solvers.interface import Assignment, SolverResult
from backdate.solvers.journal import JournaledAnswer, JournaledReply
from backdate.solvers.journaled_turns import JournaledTurns
from backdate.solvers.loop import Loop, solve
from backdate.solvers.prompts import rules_text, task_text
from backdate.solvers.records import SolverUsage, SuiteCall
from backdate.solvers.tools.interface import Tool
from backdate.solvers.tools.logs import SuiteReport, read_log
from backdate.solvers.tools.toolbox import Toolbox
from backdate.tasks.kinds.choose import kind_of
from backdate.tasks.runner import TaskRunResult


class Responder(Protocol):
    """Whoever replies in one conversation: a model, a replay, rules."""

    model: str
    """The model's name as far as it is known by now; empty without one."""
    asks_endpoint: bool
    """Whether a reply is asked of an endpoint, which may count it whatever becomes of us."""

    def begin(self, rules: str, task: str, tools: Sequence[Tool]) -> str:
        """Told once, before the first question; gives the system message that the rules became."""
        ...

    def recall(self, reply: AgentReply, model: str) -> None:
        """Told, in the place of being asked, of a reply that it gave before the run was ended."""
        ...

    def reply(self, conversation: Sequence[Turn]) -> AgentReply | Failed | Done:
        """The next reply."""
        ...


@dataclass(slots=True)
class _TestRunner:
    """Runs the tests on the solver's tree and keeps a record of each run."""

    assignment: Assignment
    tree: Path
    patch: Callable[[], str] = str
    """The patch as it is now."""
    calls: int = 0
    """How many calls have been made."""
    runs: list[SuiteCall] = field(default_factory=list)
    spent_s: float = 0.0
    report: SuiteReport | None = None
    """Of the last run."""
    recalled: JournaledAnswer | None = None
    """The run of before that the next one is; None to run the tests."""

    def __call__(self) -> SuiteReport:
        self.report = self._again() or self._run()
        return self.report

    def _again(self) -> SuiteReport | None:
        kept, self.recalled = self.recalled, None
        if kept is None or kept.suite is None:
            return None
        self.spent_s += kept.suite.duration_s
        self.runs.append(kept.suite)
        return kept.report

    def _run(self) -> SuiteReport:
        number = len(self.runs)
        folder = self.assignment.logs / f"test-{number}"
        shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
        folder.mkdir(parents=True)
        started = time.monotonic()
        verdict = self.assignment.task_runner.run_tests(
            self.assignment.task, self.tree, "target", log_folder=folder
        )
        duration = time.monotonic() - started
        self.spent_s += duration
        results = verdict.run.results if verdict.run else ()
        self.runs.append(
            SuiteCall(
                number=number,
                call=self.calls,
                solved=verdict.solved,
                reason="" if verdict.solved else verdict.reason,
                passed=sum(result.outcome.good for result in results),
                failed=sum(result.outcome.bad for result in results),
                duration_s=duration,
                log=relative_log(verdict, self.assignment),
                patch_sha256=patch_digest(self.patch()),
            )
        )
        return report_of(verdict)


def patch_digest(patch: str) -> str:
    """SHA-256 of a patch's exact bytes."""
    return hashlib.sha256(encode_patch(patch)).hexdigest()


def report_of(verdict: TaskRunResult) -> SuiteReport:
    """What a solver is shown of a verdict."""
    if verdict.run is None:
        return SuiteReport(solved=False, summary=verdict.reason, log="", broken=True)
    log = read_log(verdict.run.log) if verdict.run.log.is_file() else ""
    summary = "All tests passed." if verdict.solved else f"Not solved: {verdict.reason}"
    return SuiteReport(solved=verdict.solved, summary=summary, log=log)


def relative_log(verdict: TaskRunResult, assignment: Assignment) -> str:
    """The log's path below the run's folder, whose ``logs/TASK`` the assignment's folder is."""
    if verdict.run is None or not verdict.run.log.is_relative_to(assignment.logs.parent.parent):
        return ""
    return verdict.run.log.relative_to(assignment.logs.parent.parent).as_posix()


class _Conversation:
    """One conversation: answers the loop's events and keeps every turn whole."""

    def __init__(
        self, speaker: Responder, box: Toolbox, runner: _TestRunner, journaled: JournaledTurns
    ) -> None:
        self._speaker, self._box, self._runner, self._journaled = speaker, box, runner, journaled
        self._reply: AgentReply | None = None
        self.turns: list[Turn] = []
        self.usage = SolverUsage()
        self.asked_s = 0.0

    def answer(self, event: Event) -> Answer:
        """The reply or the observation that the loop wants. Raises KeyboardInterrupt when told to stop."""
        interruption.check()
        if isinstance(event, Act):
            kept = self._journaled.next_answer()
            observation = self._act(event.request) if kept is None else self._act_again(event.request, kept)
            said = self._reply or AgentReply(text="", request=event.request)
            self.turns.append(Turn(said=said, observation=observation))
            return observation
        recalled = self._recall()
        self.usage += self._journaled.take_failures()
        reply = recalled or self._ask(event.conversation)
        if isinstance(reply, Done):
            return reply
        self.usage += reply.usage
        if isinstance(reply, AgentReply):
            self._reply = reply
            self._runner.calls += 1
            if reply.request is None:
                self.turns.append(Turn(said=reply, observation=Observation(text=NO_TOOL, refused=True)))
        return reply

    def _recall(self) -> AgentReply | None:
        """The reply that was given before the run was ended."""
        kept = self._journaled.next_reply()
        if kept is None:
            return None
        self._speaker.recall(kept.reply, kept.model)
        self.asked_s += kept.asked_s
        return kept.reply

    def _ask(self, conversation: Sequence[Turn]) -> AgentReply | Failed | Done:
        if self._speaker.asks_endpoint:
            self._journaled.keep_request()
        started = time.monotonic()
        reply = self._speaker.reply(conversation)
        asked_s = time.monotonic() - started
        self.asked_s += asked_s
        if isinstance(reply, Done):
            return reply
        lost = SolverUsage(lost=self._journaled.lost_before(reply))
        reply = replace(reply, usage=reply.usage + lost)
        if isinstance(reply, Failed):
            self._journaled.keep_failure(reply)
        else:  # before its tool is called, which may take long
            self._journaled.keep_reply(
                JournaledReply(reply=reply, model=self._speaker.model, asked_s=asked_s)
            )
        return reply

    def _act(self, request: ToolRequest) -> Observation:
        """What the tool answers now."""
        runs = len(self._runner.runs)
        observation = self._box.act(request)
        if not observation.broken:  # without an environment the task ends, and is begun anew
            tested = len(self._runner.runs) > runs
            self._journaled.keep_answer(
                JournaledAnswer(
                    observation=observation,
                    patch_sha256=patch_digest(self._box.patch()) if self._is_repeated(request) else "",
                    suite=self._runner.runs[-1] if tested else None,
                    report=self._runner.report if tested else None,
                )
            )
        return observation

    def _act_again(self, request: ToolRequest, kept: JournaledAnswer) -> Observation:
        """What the tool answered before, its change of the tree made again."""
        if self._is_repeated(request):
            self._runner.recalled = kept
            self._box.act(request)
            self._runner.recalled = None
            if patch_digest(self._box.patch()) != kept.patch_sha256:
                raise self._journaled.damaged(f"{request.name!r} does not make the edits again that it made")
        return kept.observation

    def _is_repeated(self, request: ToolRequest) -> bool:
        tool = self._box.tools.get(request.name)
        return tool is not None and tool.repeated

    @property
    def sequence(self) -> tuple[str, ...]:
        """The tool of each reply, see ``RunRecord.sequence``."""
        requests = [turn.said.request for turn in self.turns[1:]]
        return tuple(
            "" if request is None else request.name if request.name in self._box.tools else "?"
            for request in requests
        )


def run_loop(loop: Loop, answer: Callable[[Event], Answer]) -> LoopEnd:
    """Drive a loop to its end."""
    event = next(loop)
    while True:
        try:
            event = loop.send(answer(event))
        except StopIteration as stop:
            outcome: LoopEnd = stop.value
            return outcome


def _question(assignment: Assignment, system: str, user: str, box: Toolbox, tree: Path) -> str:
    """What the turns of a conversation depend on besides what is said in it."""
    if assignment.journal is None:
        return ""
    task = assignment.task
    return digest(
        (task.instance_id, *kind_of(task).question(task), task.source.revision),
        (assignment.settings, system, user, box.definitions),
        tree_digest(tree),
    )


def converse(assignment: Assignment, speaker: Responder) -> SolverResult:
    """Let ``speaker`` work on the task until the loop ends. Raises SourceError without a tree."""
    tree = assignment.make_tree()
    extra = assignment.extra_tools(assignment.task, tree) if assignment.extra_tools else ()
    runner = _TestRunner(assignment, tree)
    box = Toolbox(tree, assignment.rules_in(tree), runner, extra=extra)
    runner.patch = box.patch
    settings = assignment.settings
    rules = rules_text(assignment.task, assignment.budget, allow_test_edits=settings.allow_test_edits)
    user = task_text(assignment.task)
    system = speaker.begin(rules, user, tuple(box.tools.values()))
    journaled = JournaledTurns(assignment.journal)
    journaled.begin(_question(assignment, system, user, box, tree))
    talk = _Conversation(speaker, box, runner, journaled)
    outcome = run_loop(
        solve(assignment.budget, "release" if settings.history == "release" else "paper"), talk.answer
    )
    return SolverResult(
        ending=outcome.ending,
        detail=outcome.detail,
        patch=box.patch(),
        calls=outcome.calls,
        runs=tuple(runner.runs),
        sequence=talk.sequence,
        refused=sum(turn.observation.refused and turn.said.request is not None for turn in talk.turns),
        usage=talk.usage,
        model=speaker.model,
        trajectory=make_trajectory(
            session=assignment.task.instance_id,
            solver=settings.solver,
            model=speaker.model,
            system=system,
            user=user,
            turns=talk.turns,
            outcome=outcome,
            usage=talk.usage,
        ),
        waited_s=talk.asked_s + runner.spent_s,
    )
