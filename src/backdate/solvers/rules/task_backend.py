"""The world of one task for the rules solver: its tree, its test runs, the evidence, the sources."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, islice
from pathlib import Path

from backdate.advising.postponed import NotAskedYet
from backdate.diagnosis.caught_errors import caught_failures, tracing
from backdate.environments.environment import Environment
from backdate.sandboxes import interruption
from backdate.solvers.conversation import Observation
from backdate.solvers.dialogue import patch_digest, relative_log, report_of
from backdate.solvers.interface import Assignment
from backdate.solvers.records import SuiteCall
from backdate.solvers.rules.adapting import proposals_of
from backdate.solvers.rules.applying import Texts
from backdate.solvers.rules.backend import SuiteReading
from backdate.solvers.rules.failures import caught_groups, read_suite
from backdate.solvers.rules.foreseen import untraced_groups
from backdate.solvers.rules.judgement import is_silent
from backdate.solvers.rules.old_side import SandboxedRunner
from backdate.solvers.rules.proposals import (
    LAST_RESORTS,
    EvidenceFollower,
    EvidenceGatherer,
    FailureGroup,
    FixEvidence,
    Proposal,
    ProposalOrigin,
    ProposalSource,
)
from backdate.solvers.rules.star_names import as_missing
from backdate.solvers.rules.steps import OLD_SIDE, StepRecord
from backdate.solvers.rules.template_files import TEMPLATE_SUFFIXES
from backdate.solvers.tools.editing import Editor, syntax_error
from backdate.solvers.tools.files import Tree
from backdate.solvers.tools.interface import ToolRefusal
from backdate.tasks.judge_runs.running import ChangedTreeRunner
from backdate.tasks.runner import TaskRunner, TaskRunResult
from backdate.testing.changed_tests.changed_tree import limits_by
from backdate.testing.tracing import read_trace
from backdate.text import counted


class CallsUsedUp(Exception):
    """The calls that somebody allowed are used up; without a word of theirs there is no limit."""


class ProposalList:
    """Proposals that are asked for one by one, and each but once."""

    def __init__(self, ask: Callable[[], Iterator[Proposal]]) -> None:
        self._ask = ask
        """Begins anew; it gives the same ones again."""
        self._rest: Iterator[Proposal] | None = None
        self._known: list[Proposal] = []

    def __iter__(self) -> Iterator[Proposal]:
        for at in count():
            if at == len(self._known):
                following = self._following()
                if following is None:
                    return
                self._known.append(following)
            yield self._known[at]

    def _following(self) -> Proposal | None:
        if self._rest is None:
            self._rest = islice(self._ask(), len(self._known), None)
        try:
            return next(self._rest, None)
        except NotAskedYet:
            self._rest = None  # what raised is over
            raise


@dataclass(slots=True)
class TaskBackend:
    """See ``FixBackend``."""

    assignment: Assignment
    root: Path
    """The solver's own tree."""
    sources: Sequence[ProposalSource]
    gather: EvidenceGatherer
    follow: EvidenceFollower
    runs: list[SuiteCall] = field(default_factory=list)
    steps: StepRecord = field(default_factory=StepRecord)
    waited_s: float = 0.0
    environment: Environment | None = None
    """The new side's."""
    evidence: FixEvidence | None = None
    """Of the first tree; None until something failed."""
    _heard: set[ProposalOrigin] = field(init=False, default_factory=set)
    _tree: Tree = field(init=False)
    _editor: Editor = field(init=False)
    _first: dict[str, str | None] = field(init=False, default_factory=dict)
    _current: tuple[Texts, FixEvidence] | None = field(init=False, default=None)
    _proposed: dict[tuple[FailureGroup, tuple[tuple[str, str], ...]], ProposalList] = field(
        init=False, default_factory=dict
    )
    _valid: dict[tuple[str, str], bool] = field(init=False, default_factory=dict)
    _held: dict[tuple[str, str], bool] = field(init=False, default_factory=dict)
    """Texts that files can hold: each is asked for again with every change that is planned behind it."""
    _written: Texts = field(init=False, default_factory=dict)
    _took: dict[str, float] = field(init=False, default_factory=dict)
    """Seconds that tests took that pass on the new side."""

    def __post_init__(self) -> None:
        self._tree = Tree(self.root, self.assignment.rules_in(self.root))
        self._editor = Editor(self._tree)

    @property
    def selects(self) -> bool:
        """See ``FixBackend``: a published script runs all of its tests or none."""
        return self.assignment.task.scripts is None

    @property
    def tests(self) -> int:
        """See ``FixBackend``."""
        return sum(test.role != "excluded" for test in self.assignment.task.tests)

    def read(self, file: str) -> str | None:
        """The text of a file as it was at first; None for one that may not be changed, or is no code."""
        if file not in self._first:
            try:
                path = self._tree.editable(file)
                named = self._tree.name(path) == file and file.endswith((".py", *TEMPLATE_SUFFIXES))
                self._first[file] = self._tree.read(path).content if named else None
            except ToolRefusal:
                self._first[file] = None
        return self._first[file]

    def is_valid(self, file: str, text: str) -> bool:
        """Whether the file can hold the text, and it is Python."""
        if (file, text) not in self._valid:
            try:
                self._valid[file, text] = syntax_error(self.encoded(file, text)) is None
            except (UnicodeError, ToolRefusal):
                self._valid[file, text] = False
        return self._valid[file, text]

    def can_hold(self, file: str, text: str) -> bool:
        """Whether the file's encoding has all characters of the text."""
        if (file, text) not in self._held:
            try:
                self.encoded(file, text)
                self._held[file, text] = True
            except (UnicodeError, ToolRefusal):
                self._held[file, text] = False
        return self._held[file, text]

    def encoded(self, file: str, text: str) -> bytes:
        """The bytes of a file with that text. Raises UnicodeError, ToolRefusal."""
        return self._tree.read(self._tree.editable(file)).encode(text)

    def patch(self, texts: Texts) -> str:
        """The patch that leads to ``texts``; the tree is left so."""
        self._write(texts, "")
        return self._editor.patch()

    def run(self, texts: Texts, only: tuple[str, ...], why: str) -> SuiteReading:
        """See ``FixBackend``. Raises CallsUsedUp."""
        return self._run(self.assignment.task_runner, texts, only, why)[0]

    def caught(self, texts: Texts, only: tuple[str, ...]) -> Sequence[FailureGroup] | None:
        """See ``FixBackend``. Raises CallsUsedUp."""
        runner, evidence = self.assignment.task_runner, self.evidence
        if not isinstance(runner, SandboxedRunner) or evidence is None:
            return None
        folder = self.assignment.logs / f"caught-{len(self.runs)}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        traced = runner.over(tracing(evidence.texts, folder))
        _, result = self._run(traced, texts, only, "What errors the failing tests catch on the way.")
        if result.run is None:
            return ()
        failures = caught_failures(
            read_trace(folder).errors,
            evidence.errors,
            result.run,
            result.environment,
            tree=self.root,
            before=evidence.pair.old if evidence.pair is not None else None,
        )
        return caught_groups(failures)

    def _run(
        self, task_runner: TaskRunner, texts: Texts, only: tuple[str, ...], why: str
    ) -> tuple[SuiteReading, TaskRunResult]:
        interruption.check()
        number = len(self.runs)
        self._write(texts, why)
        most = self.assignment.settings.calls
        if number and most is not None and self.steps.calls >= most:
            raise CallsUsedUp
        folder = self.assignment.logs / f"test-{number}"
        shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
        folder.mkdir(parents=True)
        started = time.monotonic()
        result = self._tested(task_runner, folder, only)
        duration = time.monotonic() - started
        self.waited_s += duration
        self.environment = result.environment or self.environment
        results = result.run.results if result.run else ()
        report = report_of(result)
        self.steps.tested(
            why,
            only,
            Observation(
                text=f"{report.summary}\n{report.log}", solved=result.solved, broken=result.run is None
            ),
        )
        self.runs.append(
            SuiteCall(
                number=number,
                call=self.steps.calls,
                solved=result.solved and not only,
                reason="" if result.solved else result.reason,
                passed=sum(each.outcome.good for each in results),
                failed=sum(each.outcome.bad for each in results),
                duration_s=duration,
                log=relative_log(result, self.assignment),
                patch_sha256=patch_digest(self._editor.patch()),
            )
        )
        reading = self._reading(result, only)
        if self.evidence is None and reading.groups and not reading.solved:
            self._gather(reading.groups)
            reading = self._reading(result, only)  # the old side knows the owners of what is gone
        return reading, result

    def _tested(self, runner: TaskRunner, folder: Path, only: tuple[str, ...]) -> TaskRunResult:
        """A run of the tests. With some edits made and others not a test may wait for ever: where it is known
        how long all that run took while they passed, they are given some times as long."""
        task, took = self.assignment.task, self._took
        if self.evidence is not None:
            took = {**took, **self.evidence.durations}
        known = only or tuple(test.id for test in task.tests if test.role != "excluded")
        if not known or not isinstance(runner, ChangedTreeRunner) or any(test not in took for test in known):
            result = runner.run_tests(task, self.root, "target", log_folder=folder, only=only)
            passed = (one for one in (result.run.results if result.run else ()) if one.outcome.good)
            self._took |= {one.id: one.duration_s for one in passed}
            return result
        seconds = [took[test] for test in known]
        return runner.run_changed(
            task,
            self.root,
            environment="target",
            built_for=self.root,
            log_folder=folder,
            limits=limits_by(max(seconds), sum(seconds)),
            only=only,
        )

    def _reading(self, result: TaskRunResult, only: tuple[str, ...]) -> SuiteReading:
        pair = self.evidence.pair if self.evidence is not None else None
        return read_suite(
            self.assignment.task, result, self.root, before=pair.old if pair else None, only=only
        )

    def _gather(self, groups: Sequence[FailureGroup]) -> None:
        folder = self.assignment.logs / "old-side"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        found = self.gather(self.assignment, self.root, groups, log_folder=folder)
        kept = frozenset(file for file in found.texts if self.read(file) is None)
        self.evidence = replace(found, kept_files=kept)
        self.waited_s += self.evidence.waited_s
        moved = counted(len(self.evidence.versions), "distribution")
        lines = sum(map(len, (self.evidence.executed or {}).values()))
        self.steps.add(
            "What both environments say, and a run of the tests where they pass.",
            OLD_SIDE,
            {},
            Observation(
                text=f"{moved} moved; the failing tests run {counted(lines, 'line')} of the project."
            ),
        )

    def _write(self, texts: Texts, why: str) -> None:
        """Bring the tree from what it is to ``texts``."""
        for file in sorted({*self._written, *texts}):
            first = self.read(file)
            if first is None:
                continue
            old, new = self._written.get(file, first), texts.get(file, first)
            if old == new:
                continue
            path = self._tree.editable(file)
            text = self._tree.read(path)
            self._editor.write(path, text.encode(new))
            self.steps.edited(why, file, old, new)
        self._written = dict(texts)

    def propose(self, group: FailureGroup, texts: Texts) -> Iterable[Proposal]:
        """See ``FixBackend``. A source is asked when those before it have nothing more to say."""
        evidence = self._evidence_of(texts)
        if evidence is None:
            return ()
        key = (group, tuple(sorted(texts.items())))
        if key not in self._proposed:
            self._proposed[key] = ProposalList(partial(self._asked, group, evidence, texts))
        return self._proposed[key]

    def ask_together(self, works: Sequence[Callable[[], object]]) -> None:
        """See ``FixBackend``: each question to an environment imports the libraries anew."""
        pair = self.evidence.pair if self.evidence is not None else None
        if pair is not None and len(works) > 1:
            pair.ask_together(works)

    @property
    def proposed_by(self) -> tuple[ProposalOrigin, ...]:
        """The sources that proposed anything, tried or not, in the order of their yield."""
        return self._in_order(self._heard)

    def ready_at_first(self, first: SuiteReading) -> tuple[ProposalOrigin, ...]:
        """The sources that have a proposal for the first failures, each asked whatever the others propose."""
        evidence = self._evidence_of({})
        if evidence is None:
            return ()
        self._write({}, "")
        groups = [*first.groups, *self.foreseen({})]
        if is_silent(first.groups):
            groups += self.untraced({})
        ready: set[ProposalOrigin] = set()
        for group in groups:
            missing = as_missing(group, evidence)
            for source in self.sources:
                interruption.check()
                if source.origin not in ready and any(proposals_of(source, group, missing, evidence)):
                    ready.add(source.origin)
        return self._in_order(ready)

    def _in_order(self, origins: Collection[ProposalOrigin]) -> tuple[ProposalOrigin, ...]:
        return tuple(source.origin for source in self.sources if source.origin in origins)

    def _asked(self, group: FailureGroup, evidence: FixEvidence, texts: Texts) -> Iterator[Proposal]:
        proposed = False
        last: list[Proposal] = []
        missing = as_missing(group, evidence)
        for source in self.sources:
            if proposed and source.origin in LAST_RESORTS:
                continue
            interruption.check()
            self._write(
                texts, "Back to what helps."
            )  # what a source reads is the tree that it is asked about
            for proposal in proposals_of(source, group, missing, evidence):
                self._heard.add(source.origin)
                if proposal.last:
                    last.append(proposal)
                    continue
                proposed = True
                yield proposal
        yield from last

    def foreseen(self, texts: Texts) -> Sequence[FailureGroup]:
        """See ``FixBackend``."""
        evidence = self._evidence_of(texts)
        return () if evidence is None else evidence.foreseen

    def untraced(self, texts: Texts) -> Sequence[FailureGroup]:
        """See ``FixBackend``."""
        evidence = self._evidence_of(texts)
        return () if evidence is None else untraced_groups(evidence)

    def _evidence_of(self, texts: Texts) -> FixEvidence | None:
        """The evidence as it is for the tree with ``texts``, which is on the disk then."""
        if self.evidence is None:
            return None
        changed: Mapping[str, tuple[str, str]] = {
            file: (first, text)
            for file, text in texts.items()
            if (first := self.read(file)) is not None and first != text
        }
        if not changed:
            return self.evidence
        if self._current is None or self._current[0] != texts:
            self._write(texts, "Back to what helps.")
            with self.evidence.pair.asking_now() if self.evidence.pair is not None else nullcontext():
                self._current = (dict(texts), self.follow(self.evidence, changed))
        return self._current[1]
