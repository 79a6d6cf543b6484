"""What a bisection found. Values only: they can be written as JSON and read back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from backdate.advice import NO_ADVICE, Advice, SourcePlace
from backdate.bisection.narrowing import Narrowing
from backdate.bisection.points import DistributionRelease
from backdate.bisection.search import ProbeStatus
from backdate.checking.asked_command import AskedCommand
from backdate.checking.question import Question
from backdate.checking.result import Verdict
from backdate.checking.start_instant import StartInstant
from backdate.diagnosis.api import NameChange
from backdate.migrations import KeyRename, Migration, read_result_file
from backdate.projects.project import Origin
from backdate.testing.outcomes import Frame
from backdate.timeline.instants import Instant

FORMAT = 6


def _with_places(document: dict[str, Any]) -> dict[str, Any]:
    """A change for a Migration: warnings had one place each, and quotations that named nothing were kept."""
    for finding in document.get("findings", ()):
        explanations = finding.get("explanations") or {}
        for warning in explanations.get("warnings", ()):
            if "places" not in warning:
                warning["places"] = [{"file": warning.pop("file", ""), "line": warning.pop("line", 0)}]
        if "changelog" in explanations:
            explanations["changelog"] = [
                excerpt
                for excerpt in explanations["changelog"]
                if excerpt.get("about") not in ("removals", "beginning")
            ]
    return document


MIGRATIONS = (
    Migration(
        to_format=2,
        renames=(
            KeyRename(inside="findings", old="testimony", new="explanations"),
            KeyRename(inside="findings", old="said", new="log_lines"),
            KeyRename(inside="findings", old="turns", new="transitions"),
            KeyRename(inside="probes", old="colour", new="status"),
            KeyRename(old="refused", new="unattributed"),
        ),
    ),
    # what format 2 does not have was not asked then: its fields are empty; nor has it the verdict
    # ``FAILS_DIFFERENTLY``
    Migration(to_format=3),
    Migration(to_format=4, change=_with_places),
    # the limit on all environments of a bisection, and tests that failed before: older ones had neither
    Migration(to_format=5),
    # what was between good and bad when it was interrupted: older ones did not tell
    Migration(to_format=6),
)

Axis = Literal["packages", "interpreter", "unknown"]
BisectEnding = Literal["complete", "first", "interrupted"]
"""``first``: it was to stop at the first culprit, and did. ``interrupted``: by Ctrl-C or SIGTERM."""
Way = Literal["forward", "backward"]
"""``forward``: the last good environment with only the culprit moved fails. ``backward``: the newest
environment with the culprit held back passes; where other breakages were hidden behind it, the newest
with all of them held back passes and fails again when only this culprit is let go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSummary:
    """The check that the bisection started from."""

    project: str
    origin: Origin
    question: Question = Question.LIFTED
    verdict: Verdict
    reason: str
    old_instant: Instant
    new_instant: Instant
    old_python: str
    new_python: str
    broke: int
    """Tests that were good at the old instant and are not at the new one."""
    start: StartInstant | None = None
    """Why the old instant is where it is; None where two sides were at hand, and in older results."""
    unstated: tuple[str, ...] = ()
    """Limits that tests need at both instants, and that no file of the project states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """An error that tests failed with."""

    type: str
    message: str
    place: Frame | None = None
    """The project's line at which it surfaced, where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Culprit:
    """One thing whose move made the tests fail."""

    name: str
    """A distribution (normalised, PEP 503), or "python"."""
    old: str | None
    """The last version that is good; None when it was not there."""
    new: str | None
    """The first version that fails; None when it was gone."""
    released: Instant | None
    """When ``new`` appeared (of Python: the start of the day of its minor's first release)."""


Likelihood = Literal["named", "called", "major", "minor", "other"]
"""Why a distribution is suspected: the error names it; the code that fails imports or calls it; nothing but
that its version made such a step (``other``: a patch, or it is new or gone)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """One of several that moved together and could not be told apart."""

    culprit: Culprit
    likelihood: Likelihood


@dataclass(frozen=True, slots=True, kw_only=True)
class FurtherTurn:
    """A later release of a finding's culprit at which its tests began to fail with another error."""

    culprit: Culprit
    error: Failing


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldBack:
    """What was seen in the newest environment with the culprit on its good side."""

    constraints: tuple[str, ...]
    """All of them: the culprit's, its companions', and those of the breakages in front of it. None for an
    interpreter."""
    python: str
    passing: tuple[str, ...] = ()
    """Tests of the finding that pass there."""
    failing: tuple[str, ...] = ()
    """Tests of the finding that fail there, with whatever error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRecord:
    """One environment in which the tests ran, or that was tried."""

    why: str
    """"packages as of", "only pandas moved", …"""
    instant: Instant
    python: str
    constraints: tuple[str, ...] = ()
    status: ProbeStatus
    detail: str = ""
    """Why the status could not be determined, if so; else what the build needed besides the usual."""
    built: bool
    """Whether the environment was built for it now."""
    released: Instant | None = None
    """When the version in question appeared, where versions of one distribution were searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransitionRecord:
    """A change of status between two instants, with none between them that could be determined."""

    before: Instant
    after: Instant
    kind: Literal["broke", "fixed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenWarning:
    """A warning that the affected tests saw in the last good environment."""

    category: str
    message: str
    """Its first line."""
    places: tuple[SourcePlace, ...]
    """The lines that it names: the project's, relative to its root, or installed ones below site-packages."""
    names_it: bool
    """Whether it mentions what is missing now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Lines of a changelog about one version."""

    distribution: str
    version: str
    archive: str
    """The file of the index that holds it."""
    file: str
    lines: tuple[str, ...]
    """With the headings that they stand under."""
    about: str
    """The name that they hold."""
    replacement: str = ""
    """What they say takes the place of that name; "" when they do not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedName:
    """What became of a name that the error is about, asked of the last good and the first bad environment."""

    name: str
    change: NameChange
    old_signature: str = ""
    new_signature: str = ""
    moved_to: tuple[str, ...] = ()
    """Where it probably is now, the likeliest first."""
    removed_parameters: tuple[str, ...] = ()
    added_parameters: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    """What looking it up in the last good environment warned of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What is known of why a culprit broke the tests."""

    __test__ = False

    warnings: tuple[GivenWarning, ...] = ()
    """Of deprecations and future changes; those that mention what is missing now first."""
    changelog: tuple[Excerpt, ...] = ()
    names: tuple[ChangedName, ...] = ()
    notes: tuple[str, ...] = ()
    """What could not be asked, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Tests that broke together, since when, and because of what."""

    tests: tuple[str, ...]
    """Empty where it is the build that broke."""
    breaks: Literal["tests", "build"] = "tests"
    """``build``: the newest environment does not resolve or install; good is then what does."""
    error: Failing
    """What they fail with now; of a build the step that failed, and the line of its log that says why."""
    failed_before: bool = False
    """Whether the tests did not pass at the old instant either: they failed with another error, or were
    skipped. That error of theirs is searched for which came after, and to be as before is good."""
    log_lines: tuple[str, ...] = ()
    """Of a build: the lines of its log that say why, the most specific first."""
    first_error: Failing | None = None
    """What they failed with first, where that is another error."""
    caught: tuple[Failing, ...] = ()
    """Where the error names nothing: errors about the culprits that something catches on the way to it, and
    that the old environment does not raise."""
    axis: Axis
    culprits: tuple[Culprit, ...] = ()
    """More than one: only together they make the tests fail, the likeliest first. None: ``notes`` say why."""
    undistinguished: tuple[Suspicion, ...] = ()
    """What moved together and was not told apart, the likeliest first; there is no culprit then."""
    companions: tuple[str, ...] = ()
    """Constraints that are needed as well to hold the culprit back: newer releases of these do not work with
    its older one."""
    further_turns: tuple[FurtherTurn, ...] = ()
    held_back: HeldBack | None = None
    """None where it was not tried, or there was no such environment."""
    searched: Literal["instants", "versions", ""] = ""
    """``versions``: those of one distribution, in an otherwise newest environment. Empty: neither,
    or it is not known (before format 3)."""
    python: str
    """The interpreter that was held fixed while packages moved; the failing one of the interpreter's axis."""
    held: tuple[str, ...] = ()
    """Constraints that hold back culprits in front of this one, behind which it was hidden."""
    last_good: Instant | None = None
    first_bad: Instant | None = None
    """Of the two neighbouring environments of the packages' axis; where versions were searched, when
    the culprit's two versions appeared."""
    confirmed: tuple[Way, ...] = ()
    transitions: tuple[TransitionRecord, ...] = ()
    """Every change of status on the packages' axis. What lies between two points of one status was not
    tried."""
    probes: tuple[ProbeRecord, ...] = ()
    resolutions: int = 0
    """Different resolutions that were made on the way."""
    explanations: Explanation | None = None
    """Warnings, changelogs and changed names; None where there is no culprit, or none were collected."""
    notes: tuple[str, ...] = ()


def behind_note(held: Sequence[str]) -> str:
    """What a finding says that was seen only with the constraints ``held``."""
    return f"behind the one above: found with {', '.join(held)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnattributedTest:
    """A test that is not attributed, and why."""

    test: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BisectResult:
    """What ``backdate bisect`` found."""

    format: int = FORMAT
    kind: Literal["bisect"] = "bisect"
    """What tells this result from those of other commands (``output/stored.py``)."""
    backdate: str
    check: CheckSummary
    findings: tuple[Finding, ...]
    """The one with the most tests first."""
    advice: Advice = NO_ADVICE
    """What to do about them. Of a result before format 4 nothing."""
    unattributed: tuple[UnattributedTest, ...] = ()
    releases: tuple[DistributionRelease, ...] = ()
    """Those of the culprits' distributions between the two instants, for the picture."""
    builds: int
    """Environments that were built for the bisection, the check's own not counted."""
    environments: int
    """Different environments that were probed."""
    most_environments: int = 0
    """Those that could have been probed at most, for all causes together; 0: no such limit (before format 5,
    and where it is the build that broke)."""
    runs: int
    """Times that tests were run (those remembered from an earlier bisection not counted)."""
    ending: BisectEnding = "complete"
    """Whether everything that broke was searched."""
    not_searched: tuple[str, ...] = ()
    """The tests that broke and were not searched for, because it ended before that."""
    narrowing: Narrowing | None = None
    """How far the search came that an interruption ended; None where it had no good one of its own yet."""
    edit_tried: bool = False
    """Whether an edit was looked for, which is in ``advice`` where there is one."""
    beyond_bounds: Verdict | None = None
    """Where nothing broke with the project's own bounds: what a check says without them."""
    asked: AskedCommand | None = None
    """What the command line said; None for what the library was asked."""
    notes: tuple[str, ...] = ()
    started: Instant
    duration_s: float
    folder: Path
    """Where logs are, and the check's own result."""

    @property
    def verdict(self) -> Verdict:
        """``BROKE``: at least one finding has a culprit. ``NOTHING_BROKE``: none of the tests in question
        broke. ``FAILS_DIFFERENTLY``: nor did they, but the check found other failures than before.
        ``CANNOT_TELL``: something broke, or may have, and there is no culprit."""
        if any(finding.culprits for finding in self.findings):
            return Verdict.BROKE
        if self.check.verdict is Verdict.FAILS_DIFFERENTLY:
            return Verdict.FAILS_DIFFERENTLY
        if (
            self.findings
            or self.unattributed
            or self.not_searched
            or self.check.verdict is Verdict.CANNOT_TELL
        ):
            return Verdict.CANNOT_TELL
        if self.check.verdict is Verdict.BROKE and not self.check.broke:  # the build, so no test was run
            return Verdict.CANNOT_TELL
        return Verdict.NOTHING_BROKE


def shown_at(finding: Finding, probe: ProbeRecord) -> Instant | None:
    """Where a timeline of ``finding`` shows ``probe``; None for what has no place in time.

    That is the probe's own instant, or the release of the version that it was about.
    """
    if finding.searched == "versions":
        return probe.released
    return probe.instant if probe.constraints == finding.held else None


def read_bisect_result(path: Path) -> BisectResult:
    """The bisection's result in the file at ``path``, of this version or an older one.

    Raises SourceError when there is no such file, StoredDataError when it is not a result, NewerFormat when a
    newer version wrote it.
    """
    return read_result_file("bisect", BisectResult, path, FORMAT, MIGRATIONS)
