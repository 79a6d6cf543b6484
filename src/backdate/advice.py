"""What to do about a breakage, as values: all of it was seen, or said by a library, and nothing is guessed.

Made by ``advising/`` from the evidence of a bisection or a check. Each part names what it rests on, so that
whoever edits a project by it can show why. What is not known is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class EvidenceKind(StrEnum):
    """What a piece of advice rests on."""

    SEEN = "seen"
    """Tests that ran."""
    MESSAGE = "message"
    """What the library's error itself says."""
    WARNING = "warning"
    """What the library warned of while the tests still passed."""
    ANNOUNCED = "announced"
    """What the sources of a release between the old and the new one say."""
    CHANGELOG = "changelog"
    """What its changelog says."""
    KNOWN = "known"
    """A row of the knowledge tables, which gives the library's own page."""
    TOOL = "tool"
    """What another tool says that edits source for new releases."""
    ASKED = "asked"
    """What the two environments say of the name."""
    METADATA = "metadata"
    """What distributions say that they require."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceEvidence:
    """Why a piece of advice holds."""

    kind: EvidenceKind
    text: str = ""
    """The words of the library, in one line; text of others."""
    since: str = ""
    """The release since which it is so; "" when that is not said."""
    source: str = ""
    """An address, or a file of the library's archive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePlace:
    """A line of a file."""

    file: str
    """Relative to the project's root; of an installed file below ``site-packages``."""
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingLimits:
    """What keeps the tests passing for now: an environment that was seen."""

    requirements: tuple[str, ...] = ()
    """"numpy<2.0.0": limits with which the newest environment was tried."""
    python: str = ""
    """The limit on the interpreter, where it is one: "<3.12"."""
    passing: int
    """Of the tests that broke those that pass there."""
    tests: int
    """Tests that broke."""
    on_python: str
    """The interpreter on which that was seen, "3.12.1"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenEdit:
    """A patch of the project, with which tests that broke were seen to pass in the newest environment."""

    patch: str
    """Of the project's own files (``patch -p0``)."""
    passing: int
    """Of the tests that broke those that pass with it."""
    tests: int
    """Tests that broke; 0 where the project did not build, so that none ran."""
    lost: int = 0
    """Tests that pass without it alone."""
    requirements: tuple[str, ...] = ()
    """What the environment was given besides: "six"."""
    edits_tests: bool = False
    """Whether it changes test files, too."""
    on_python: str
    """The interpreter on which that was seen, "3.12.1"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvisedChange:
    """A name that the project uses and that is gone, or is called otherwise now."""

    distribution: str
    """Normalised (PEP 503); "python" for the standard library."""
    name: str
    """Dotted, "numpy.in1d"; of an argument that of its function."""
    argument: str = ""
    """The argument that is not taken any more, or otherwise (``rewrite``); "" when the whole name is gone."""
    replacement: str = ""
    """What takes its place, a dotted name or an argument; "" when nothing says so."""
    rewrite: str = ""
    """For more than another name: a template, as in ``knowledge/change_rows.py``."""
    places: tuple[SourcePlace, ...] = ()
    """Where the project uses it."""
    evidence: tuple[AdviceEvidence, ...] = ()
    """The surest first; that of the replacement where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidAdvice:
    """What a library says to do in words, where no name takes the place of another."""

    distribution: str
    kind: EvidenceKind
    """A warning that the tests were given while they passed, the error, the changelog, or a note of the
    tables of changes."""
    text: str
    """Its own words, in one line."""
    since: str = ""
    """The release since which a warning says so, or of the changelog's section; "" when that is not said."""
    places: tuple[SourcePlace, ...] = ()
    """The project's lines that the warning names, or at which the error surfaced."""
    source: str = ""
    """Where a note has it from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedCode:
    """A function of a library that does something else by now, and that the tests run which broke."""

    distribution: str
    release: str
    """The first that has it so."""
    name: str
    """Dotted, "click.core.Command.parse_args"; of statements outside of functions their module or class."""
    file: str
    """Relative to ``site-packages``."""
    line: int
    """Of the first statement that is told: of the new release, unless it has none."""
    removed: tuple[str, ...] = ()
    """Statements of the release before that these tests ran and it no longer has, without layout."""
    added: tuple[str, ...] = ()
    """Statements that these tests run and the release before did not have."""
    alone: bool
    """Whether no test runs them that passes: of those in the same files that were tried."""
    quoted: str = ""
    """What its changelog says of a name in them; "" for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingRequirement:
    """A distribution whose modules the project imports, and which only another one brought."""

    requirement: str
    """What to add, "six"."""
    module: str
    places: tuple[SourcePlace, ...] = ()
    brought_by: str
    """The distribution that does not bring it any more."""
    version: str
    """Its first release seen without it."""
    required_before: str = ""
    """The last release seen that required it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonChange:
    """What a release of Python changed, as its "What's New" says."""

    since: str
    what: str
    """One line."""
    source: str
    """The section."""
    places: tuple[SourcePlace, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to do now, what to change, and what goes later."""

    now: tuple[WorkingLimits, ...] = ()
    edit: SeenEdit | None = None
    """Where one was looked for and found."""
    fixes: tuple[AdvisedChange, ...] = ()
    """What the errors are about."""
    later: tuple[AdvisedChange, ...] = ()
    """What else the project uses that the same releases dropped, and no test has met yet."""
    requirements: tuple[MissingRequirement, ...] = ()
    python: tuple[PythonChange, ...] = ()
    said: tuple[SaidAdvice, ...] = ()
    """Of errors for which there is no fix."""
    warned: tuple[SaidAdvice, ...] = ()
    """What the same libraries warned of at further lines, and no test has met yet."""
    changed: tuple[ChangedCode, ...] = ()
    """Of errors for which nothing else is known: what the tests run that the culprit changed."""

    def __bool__(self) -> bool:
        """Whether it advises anything."""
        changes = self.fixes or self.later or self.requirements or self.python
        return bool(self.now or self.edit or changes or self.said or self.warned or self.changed)


NO_ADVICE = Advice()
