"""What the parts of the rules solver hand to each other: breakages, evidence, and proposals to mend them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from packaging.version import Version

from backdate.advice import AdviceEvidence, SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.project_uses import ProjectUses
from backdate.bisection.explanations.changelog_reader import ChangelogReader
from backdate.bisection.result import GivenWarning
from backdate.diagnosis.result import Cause, CauseKind
from backdate.knowledge.modules import own_name
from backdate.mining.between import ReleasesBetween
from backdate.rewriting.rewrite import Rewrite
from backdate.solvers.interface import Assignment
from backdate.solvers.reasons import ProposalOrigin as ProposalOrigin  # noqa: PLC0414 - proposals need it
from backdate.solvers.rules.fixers.asking import AskedFixers
from backdate.testing.tracing import SeenError, SeenObject
from backdate.text import UNREADABLE

_LONGEST_LINE = 300
_MOST_QUOTED = 2
_QUOTED = re.compile(r"['`\"]([A-Za-z_]\w{0,60})['`\"]")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureGroup:
    """Failures with one cause."""

    cause: Cause
    tests: tuple[str, ...]
    places: tuple[SourcePlace, ...]
    """The project's own lines in their tracebacks, the innermost first."""
    raised_at: tuple[SourcePlace, ...] = ()
    """Of these the innermost of each traceback."""
    caught: bool = False
    """Whether something catches the error, so that tests fail otherwise or later."""
    led_to: tuple[str, ...] = ()
    """The messages of errors that the cause led to, where a library says in its own words what went wrong."""

    @property
    def messages(self) -> tuple[str, ...]:
        """What it says: the cause's message, then those that it led to."""
        return (self.cause.message, *self.led_to)


def quoted_words(cause: Cause) -> tuple[str, ...]:
    """The first names that an error quotes, where it is about a value: "The 'criterion' parameter of …".

    A library refuses many values at one line of its own, each for a reason of its own. What a set allows has
    another order in each run.
    """
    if cause.name or cause.kind is CauseKind.ASSERTION:
        return ()
    line = cause.message.strip().partition("\n")[0][:_LONGEST_LINE]
    return tuple(_QUOTED.findall(line.partition("{")[0])[:_MOST_QUOTED])


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdit:
    """Another text for a whole file, as a fixer leaves it."""

    file: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One way to mend a breakage, with why."""

    origin: ProposalOrigin
    distribution: str = ""
    """Of the library that changed, normalised (PEP 503); "python" for the standard library."""
    rewrite: Rewrite | None = None
    file_edits: tuple[FileEdit, ...] = ()
    """In the place of ``rewrite``."""
    edits_key: str = ""
    """What makes ``file_edits`` of the same tool one, whatever else the files hold; "" for their texts."""
    places: tuple[SourcePlace, ...] = ()
    """Where the rewrite is made: lines of traceback frames, and the lines that failing tests run."""
    why: tuple[AdviceEvidence, ...] = ()
    """The surest first."""
    rule: str = ""
    """The rule's name, for reports and counts."""
    decided: bool = False
    """Whether a traced run saw that it, and no other edit of its rule's row, is for one of the places."""
    unsure: bool = False
    """Whether code with it may run and do another thing: it leaves out what was asked for, or nobody knows
    which of several edits a call needs."""
    first: bool = False
    """Whether it is tried before all else: it decides which code runs."""
    last: bool = False
    """Whether it is tried only where no source has anything else to propose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixEvidence:
    """What is known beside the failing run. Parts that could not be had are None or empty."""

    tree: Path
    """The tree as it is now, edits made."""
    uses: ProjectUses
    """Of that tree."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Its Python files, by their paths."""
    kept_files: frozenset[str] = frozenset()
    """Those of them that no edit may touch: of tests, unless tests may be edited."""
    pair: EnvironmentPair | None = None
    """The last environment in which the tests passed, and the new one."""
    executed: Mapping[str, frozenset[int]] | None = None
    """Lines, by file, that the failing tests run where they pass; numbers are those of ``tree``."""
    warnings: tuple[GivenWarning, ...] = ()
    """What libraries warned of where the tests passed."""
    versions: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Old and new versions by normalised name of the distributions that moved; "python" for the interpreter;
    "" where a side has none."""
    errors: tuple[SeenError, ...] = ()
    """What reached the project's lines where the tests passed; lines are those of the old side."""
    objects: tuple[SeenObject, ...] = ()
    """Of which classes the objects on ``executed`` lines were; what they lack is in ``uses`` as well."""
    modules: Mapping[str, str] = field(default_factory=dict)
    """By top-level module that ``uses`` names, its distribution; "python" for the standard library."""
    arrivals: tuple[str, ...] = ()
    """Top-level modules of distributions that only the new environment has."""
    packages: frozenset[str] = frozenset()
    """All top-level modules that distributions of the new environment hold."""
    foreseen: tuple[FailureGroup, ...] = ()
    """What no traceback shows yet, and the next run would: uses on ``executed`` lines of what the new
    environment lacks. Without tests; places are those of ``tree``."""
    python: str = ""
    """The version of the new side's interpreter; "" where that is not known."""
    fixers: AskedFixers | None = None
    """What asks other tools what they would edit; None where there is no sandbox."""
    releases: ReleasesBetween | None = None
    """What reads the releases between old and new versions; None where there is no index."""
    changelogs: ChangelogReader | None = None
    """What reads the changelogs of new versions; None where there is no index."""
    durations: Mapping[str, float] = field(default_factory=dict)
    """Seconds that each test took where it passed, while it was traced."""
    waited_s: float = 0.0
    """Seconds of builds and of the run of the old side."""

    def distribution_of(self, dotted: str) -> str:
        """The distribution that holds a dotted name; "" where that is not known."""
        own = own_name(dotted)
        top = own.partition(".")[0]
        if own != dotted and top in self.versions:
            return top
        return self.modules.get(dotted.partition(".")[0], "")

    def versions_of(self, distribution: str) -> tuple[str, str]:
        """The old and the new version of a distribution; "" for what is not known, and where it stayed."""
        return self.versions.get(distribution, ("", ""))

    def moves_past(self, distribution: str, since: str) -> bool:
        """Whether a distribution was older than release ``since`` and is not now."""
        old, new = self.versions_of(distribution)
        try:
            return bool(old and new) and Version(old) < Version(since) <= Version(new)
        except UNREADABLE:
            return False

    def may_edit(self, places: Iterable[SourcePlace]) -> bool:
        """Whether one of ``places`` is of a file that an edit may touch."""
        return any(place.file not in self.kept_files for place in places)

    def executed_of(self, places: Iterable[SourcePlace]) -> tuple[SourcePlace, ...]:
        """Those of ``places`` that the failing tests run; none where nobody traced them."""
        ran = self.executed or {}
        return tuple(place for place in places if place.line in ran.get(place.file, frozenset()))


LAST_RESORTS = frozenset({ProposalOrigin.ANNOUNCEMENT, ProposalOrigin.CHANGELOG})
"""Sources that cost so much that they are asked only where none before them has anything to propose."""


class ProposalSource(Protocol):
    """One source of proposals."""

    @property
    def origin(self) -> ProposalOrigin:
        """Of all that it proposes."""
        ...

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """Ways to mend ``group``, the likeliest first; raises SandboxUnavailable."""
        ...


class EvidenceGatherer(Protocol):
    """What is asked for the evidence beside the failing run, once for each task."""

    def __call__(
        self, assignment: Assignment, tree: Path, groups: Sequence[FailureGroup], *, log_folder: Path
    ) -> FixEvidence:
        """What both environments and one run of the old side tell of the failures ``groups`` in ``tree``.

        ``tree`` is the solver's own, not edited yet. The assignment's task runner makes the old side's
        tree and runs it. Raises SandboxUnavailable; what cannot be had is left out of the evidence.
        """
        ...


class EvidenceFollower(Protocol):
    """What follows the evidence through edits."""

    def __call__(self, evidence: FixEvidence, edited: Mapping[str, tuple[str, str]]) -> FixEvidence:
        """The evidence after edits of its tree: ``edited`` holds each file's text before and after."""
        ...
