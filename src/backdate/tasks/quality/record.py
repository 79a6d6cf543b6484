"""What is known of the quality of an issue task; stored with it (``IssueFacts.quality``).

The codes are those of SWE-rebench V2 (arXiv 2602.23866), which a language model gives there. B6 (knowledge
that nobody states) is a matter of judgement and has no flag; of B4 (an ambiguous text) the clearest case has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from backdate.timeline.instants import Instant

MOST_EVIDENCE = 12
"""Of one flag; ``QualityFinding.count`` has the whole number."""
_LONGEST_WORDS = 240


class QualityFlag(StrEnum):
    """Something that makes a task worse than its outcomes say."""

    TEST_COUPLING = "test-coupling"
    """A fail-to-pass test is in a file that the test patch leaves alone."""
    IMPLICIT_NAMING = "implicit-naming"
    """Fail-to-pass tests use names that the reference patch invents, and the text does not have."""
    IMPLICIT_VALUE = "implicit-value"
    """They want messages or values that the reference patch invents, and the text does not have."""
    EXTERNAL_LINK = "external-link"
    """The text sends the reader to another page."""
    ARTEFACTS = "artefacts"
    """The reference patch changes what has nothing to do with the code: caches, locks, built files."""
    INLINE_TEST = "inline-test"
    """The reference patch holds tests."""
    IMAGE = "image"
    """The text shows a picture or a film."""
    OTHER_LANGUAGE = "other-language"
    """The text is not in English."""
    TEXT_ONLY_TESTS = "text-only-tests"
    """The test patch changes plain text alone: what is wanted stands in files that tests compare with."""
    SEVERAL_ISSUES = "several-issues"
    """The text says that it resolves several issues."""
    FIXTURE_ONLY = "fixture-only"
    """The test patch changes helpers of tests, and no test."""
    SHORT_TEXT = "short-text"
    """The text has too few words to say what is wanted."""
    QUOTES_PATCH = "quotes-patch"
    """The text holds lines of the reference patch."""
    NAMES_FIX = "names-fix"
    """The text links to the fix, or names its commit."""
    FIX_RELEASED = "fix-released"
    """A release of the project that has the fix can be installed at the task's instant."""
    LATER_HISTORY = "later-history"
    """The tree that a solver gets holds more than one commit."""
    NETWORK = "network"
    """A program in the tests' sandbox reaches the network."""
    WEAK_HUNK = "weak-hunk"
    """A part of the reference patch can be left out, and no test that counts notices."""
    WEAK_HALF = "weak-half"
    """Half of the reference patch does, and no test that counts notices."""
    WEAK_MUTANT = "weak-mutant"
    """A changed line can be broken, and no test that counts notices."""
    STRICT = "strict"
    """Fail-to-pass tests touch only private names, or names that the reference patch invents."""
    DUPLICATE = "duplicate"
    """Another task of the data set has the same text or the same patch."""


REBENCH_CODES: Mapping[QualityFlag, str] = {
    QualityFlag.TEST_COUPLING: "B1",
    QualityFlag.IMPLICIT_NAMING: "B2",
    QualityFlag.IMPLICIT_VALUE: "B2",
    QualityFlag.EXTERNAL_LINK: "B3",
    QualityFlag.SHORT_TEXT: "B4",
    QualityFlag.ARTEFACTS: "B5",
    QualityFlag.INLINE_TEST: "B7",
    QualityFlag.IMAGE: "B8",
    QualityFlag.OTHER_LANGUAGE: "B9",
    QualityFlag.TEXT_ONLY_TESTS: "B10",
    QualityFlag.SEVERAL_ISSUES: "B11",
}
"""The code of SWE-rebench V2 for a flag; "A" is a task without any."""
LEAKS = (
    QualityFlag.QUOTES_PATCH,
    QualityFlag.NAMES_FIX,
    QualityFlag.FIX_RELEASED,
    QualityFlag.LATER_HISTORY,
    QualityFlag.NETWORK,
)
"""The flags of a task whose solution can be had without solving it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityEvidence:
    """One place that shows a flag."""

    file: str = ""
    """Relative to the root; empty for the task's text."""
    line: int = 0
    """Of the file (with the patches that the flag is about) or of the text; 0 for all of it."""
    words: str
    """What stands there, or what is wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityFinding:
    """A flag of a task, and why it has it."""

    flag: QualityFlag
    count: int
    """How many places show it."""
    evidence: tuple[QualityEvidence, ...]
    """The first of them."""


class TrialOutcome(StrEnum):
    """What tests make of a reference patch with something wrong in it."""

    NOTICED = "noticed"
    MISSED = "missed"
    """Every test that counts passes."""
    UNBUILT = "unbuilt"
    """There is no environment for it, so nothing is said of the tests."""
    NOT_RUN = "not-run"
    """The time for trials was over."""


CountingRole = Literal["fail-to-pass", "pass-to-pass"]
HalfName = Literal["first", "second"]
MutationKind = Literal["comparison", "boolean", "constant", "return", "deletion"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HunkTrial:
    """The reference patch without one of its hunks."""

    file: str
    line: int
    """Of the hunk in the base."""
    words: str
    """Its first changed line."""
    outcome: TrialOutcome
    by: CountingRole | None = None
    """The role of a test that noticed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfTrial:
    """Half of the reference patch."""

    half: HalfName
    """The one that is kept."""
    outcome: TrialOutcome
    by: CountingRole | None = None
    """The role of a test that noticed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantTrial:
    """The reference patch with one of its added lines broken."""

    file: str
    line: int
    """With the reference patch."""
    kind: MutationKind
    before: str
    after: str
    outcome: TrialOutcome
    by: CountingRole | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """So many of so many."""

    part: int
    whole: int

    @property
    def ratio(self) -> float | None:
        """None of nothing."""
        return self.part / self.whole if self.whole else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSettings:
    """How many trials there are, and for how long."""

    most_hunks: int = 20
    most_mutants: int = 20
    seconds: float = 300.0
    """For all trials of one task; no trial begins later."""
    seed: int = 0
    """Decides which of the possible mutants are tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weakness:
    """What the tests that count notice of broken solutions."""

    hunks: tuple[HunkTrial, ...] = ()
    possible_hunks: int = 0
    """Hunks of code that change what a program does, and those that nobody looked at; 0 in a record of an
    older version, which did not count them."""
    halves: tuple[HalfTrial, ...] = ()
    """None of a patch without halves."""
    mutants: tuple[MutantTrial, ...] = ()
    possible_mutants: int = 0
    """Those that ran are a sample of these."""
    asked: TrialSettings | None = None
    """What was to be tried; None in a record of an older version."""
    problem: str = ""
    """Why nothing was tried; empty when something was."""

    @property
    def hunks_noticed(self) -> Share:
        """Of the hunks whose absence could be tried."""
        return _noticed(trial.outcome for trial in self.hunks)

    @property
    def hunks_untried(self) -> int:
        """Of how many hunks nobody knows: the time was over, or there were more than should be tried."""
        late = sum(trial.outcome is TrialOutcome.NOT_RUN for trial in self.hunks)
        return late + max(self.possible_hunks - len(self.hunks), 0)

    @property
    def was_late(self) -> bool:
        """Whether the time was over before all that was asked for was tried."""
        trials: tuple[HunkTrial | HalfTrial | MutantTrial, ...] = (*self.hunks, *self.halves, *self.mutants)
        return any(trial.outcome is TrialOutcome.NOT_RUN for trial in trials)

    @property
    def halves_noticed(self) -> Share:
        """Of the halves that could be tried."""
        return _noticed(trial.outcome for trial in self.halves)

    @property
    def mutants_noticed(self) -> Share:
        """Of the mutants that could be tried."""
        return _noticed(trial.outcome for trial in self.mutants)


def _noticed(outcomes: Iterable[TrialOutcome]) -> Share:
    known = [outcome for outcome in outcomes if outcome in (TrialOutcome.NOTICED, TrialOutcome.MISSED)]
    return Share(part=known.count(TrialOutcome.NOTICED), whole=len(known))


@dataclass(frozen=True, slots=True, kw_only=True)
class StrictTest:
    """A fail-to-pass test that only one solution can pass."""

    id: str
    file: str
    line: int
    private: tuple[str, ...] = ()
    """Names with a leading underscore that it uses, and the text does not have."""
    invented: tuple[str, ...] = ()
    """Names that it uses and that neither the base nor the text has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strictness:
    """What fail-to-pass tests ask for beyond the text."""

    read: int = 0
    """Fail-to-pass tests whose source was found and read."""
    strict: tuple[StrictTest, ...] = ()
    unread: tuple[str, ...] = ()
    """Ids of fail-to-pass tests whose source was not found."""

    @property
    def share(self) -> Share:
        """How many of the tests that were read are too strict."""
        return Share(part=len(self.strict), whole=self.read)


@dataclass(frozen=True, slots=True, kw_only=True)
class FixRelease:
    """A release that has the fix and is visible at the task's instant."""

    distribution: str
    version: str
    uploaded: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaks:
    """What was looked at to find a way to the solution beside solving the task. None: nobody looked."""

    commits: int | None = None
    """In the tree that a solver gets: 0 without a repository."""
    network: bool | None = None
    """Whether a program in the tests' sandbox reached the network."""
    releases_looked_at: int | None = None
    """Of the project's own distribution, on the index; 0 where the index does not know it."""
    fix_releases: tuple[FixRelease, ...] = ()
    quoted: Share | None = None
    """Tokens of the lines that the reference patch adds that stand in the text, in runs of some length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskQuality:
    """All of it."""

    backdate: str
    """The version that looked."""
    flags: tuple[QualityFinding, ...] = ()
    leaks: Leaks = Leaks()
    weakness: Weakness | None = None
    """None when nothing was run."""
    strictness: Strictness | None = None
    """None when no test was read."""

    def finding(self, flag: QualityFlag) -> QualityFinding | None:
        """The finding of a flag; None for a task without it."""
        return next((finding for finding in self.flags if finding.flag is flag), None)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of SWE-rebench V2, ``("A",)`` for a task without any."""
        codes = {REBENCH_CODES[finding.flag] for finding in self.flags if finding.flag in REBENCH_CODES}
        return tuple(sorted(codes, key=lambda code: int(code[1:]))) or ("A",)

    @property
    def leaked(self) -> bool:
        """Whether there is a way to the solution beside solving the task."""
        return any(finding.flag in LEAKS for finding in self.flags)


def finding_of(flag: QualityFlag, evidence: Iterable[QualityEvidence]) -> tuple[QualityFinding, ...]:
    """The finding of ``flag`` with this evidence; none without evidence."""
    every = tuple(dict.fromkeys(evidence))
    if not every:
        return ()
    return (QualityFinding(flag=flag, count=len(every), evidence=tuple(map(_short, every[:MOST_EVIDENCE]))),)


def _short(evidence: QualityEvidence) -> QualityEvidence:
    words = " ".join(evidence.words.split())
    words = words if len(words) <= _LONGEST_WORDS else words[: _LONGEST_WORDS - 1] + "…"
    return QualityEvidence(file=evidence.file, line=evidence.line, words=words)
