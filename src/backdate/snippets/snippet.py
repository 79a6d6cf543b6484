"""One row of a data set of snippets, of any origin: CodeMEnv, GitChameleon, or built here.

A snippet is code for one version of a library (its origin), of which something is asked with regard to
another (its target). What is asked differs by collection; code, versions and proof are told alike for all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from backdate.snippets.runs import CaseOutcome
from backdate.timeline.instants import Instant

SNIPPET_FORMAT = 1
"""Of a stored snippet."""


class Collection(StrEnum):
    """Whose row it is."""

    CODEMENV_EASY = "codemenv-easy"
    """CodeMEnv (arXiv 2506.00894): one API a row."""
    CODEMENV_HARD = "codemenv-hard"
    """CodeMEnv: two or three APIs a row."""
    CODEMENV_JAVA = "codemenv-java"
    """CodeMEnv: Java classes, without versions and cases."""
    GITCHAMELEON = "gitchameleon"
    """GitChameleon 2.0 (arXiv 2507.12367): complete a function for one version."""
    GITCHAMELEON_PAIR = "gitchameleon-pair"
    """Two of GitChameleon's rows that solve one problem with two versions: migrate from one to the other."""
    BUILT = "built"
    """Made by ``backdate snippets build``."""


class SnippetAsk(StrEnum):
    """What can be asked of a snippet: CodeMEnv's three tasks, and GitChameleon's."""

    LOCATE = "locate"
    """Which names that the code uses do not work with the target (CodeMEnv, task 1)."""
    EXPLAIN = "explain"
    """What became of such a name, since which version, and what takes its place (task 2)."""
    MIGRATE = "migrate"
    """The same function, so that it works with the target (task 3)."""
    COMPLETE = "complete"
    """The body of a function, for one version (GitChameleon)."""


class Language(StrEnum):
    """What the code is written in."""

    PYTHON = "python"
    JAVA = "java"


class Direction(StrEnum):
    """Which way a snippet goes in time."""

    FORWARD = "old-to-new"
    BACKWARD = "new-to-old"
    NONE = "equal"
    """One version on both sides, or only one side."""


class ApiChangeKind(StrEnum):
    """What became of a name between two versions, in the words of CodeMEnv's second task."""

    ADDED = "added"
    """The older version does not have it."""
    REMOVED = "removed"
    """The newer version does not have it, or announces that; CodeMEnv's "Deprecated"."""
    MOVED = "moved"
    """The newer version has it elsewhere, or by another name; CodeMEnv's "Location Change"."""
    SIGNATURE = "signature"
    """It takes other arguments."""
    BEHAVIOUR = "behaviour"
    """It takes the same and gives something else."""
    UNKNOWN = "unknown"
    """The row does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiChange:
    """One name that differs between the two versions, as the row has it and as we read its spelling."""

    name: str
    """Canonical and dotted, aliases expanded: "numpy.asfarray"."""
    spelled: str
    """The name or signature as the row spells it: "np.asfarray(a, dtype=…)"."""
    change: ApiChangeKind = ApiChangeKind.UNKNOWN
    version: str = ""
    """Since when, as "major.minor…"; empty when the row does not say."""
    replacement: str = ""
    """Canonical and dotted; empty when the row names none."""
    words: str = ""
    """What the row says of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetSide:
    """One version of the library, and what an environment with it is made of."""

    version: str
    """Of the library: "1.26"; as the row means it, without its name."""
    python: str
    """The minor version of the interpreter: "3.10"."""
    requirements: tuple[str, ...] = ()
    """What is installed (PEP 508), pins of what it needs besides included; empty for the standard library."""
    instant: Instant | None = None
    """As of when the rest is resolved; None where nothing is installed."""
    not_had: str = ""
    """Why no such environment can be made ("Python 3.1 cannot be had"): such a side is judged statically."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Harness:
    """What calls a snippet's code. With ``cases`` the entry point is called once for each of them, in turn,
    in one process; with ``script`` alone that is run once after the code, and passes when it raises nothing.
    A script with ``module`` is a file of tests that imports the code by that name (``scripts.py``).
    """

    before: str = ""
    """Source that runs before the code: imports, helpers, definitions of data."""
    cases: tuple[str, ...] = ()
    """One expression a case, evaluated after the code is: a tuple of the positional arguments."""
    script: str = ""
    """Tests: assertions at the top, or ``unittest`` classes."""
    module: str = ""
    """The name by which ``script`` imports the code ("sample_3"); empty where it shares its names."""


class ValidityClass(StrEnum):
    """What running a snippet says of its claim that the two versions are incompatible."""

    CONFIRMED_BY_RUNNING = "confirmed-by-running"
    """It runs with the origin on all cases, and fails or differs with the target because of a name listed."""
    CONFIRMED_STATICALLY = "confirmed-statically"
    """One of the listed names is not there in the target; running does not show it, or cannot."""
    ONLY_WARNS = "only-warns"
    """The target only warns of it."""
    NONE_SEEN = "none-seen"
    """The target gives the same."""
    BREAKS_ELSEWHERE = "breaks-elsewhere"
    """The target fails or differs, and not because of a name that the row lists."""
    ORIGIN_FAILS = "origin-fails"
    """It does not run with its own origin."""
    OTHER = "other"
    """It could not be decided; the evidence says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """What a snippet's claim is worth, and what shows it."""

    found: ValidityClass
    evidence: tuple[str, ...] = ()
    """One line each: which case, which error, which name."""
    deterministic: bool | None = None
    """Whether the origin gave the same in every repeat; None where it was not repeated."""
    reference_passes: bool | None = None
    """Whether the known solution gives with the target what is expected; None without one."""

    @property
    def confirmed(self) -> bool:
        """Whether it belongs to the confirmed subset: the claim is shown, and what is expected is certain."""
        shown = self.found in (ValidityClass.CONFIRMED_BY_RUNNING, ValidityClass.CONFIRMED_STATICALLY)
        return shown and self.deterministic is not False


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """One row. See the module."""

    format: int = SNIPPET_FORMAT
    id: str
    """Unique in its data set."""
    collection: Collection
    language: Language = Language.PYTHON
    asks: tuple[SnippetAsk, ...]
    """What can be asked of it."""
    library: str
    """The distribution (PEP 503), or "python" for the standard library; "java"."""
    origin: SnippetSide | None
    """Where ``code`` works; None where there is only the target (a completion)."""
    target: SnippetSide | None
    """Where an answer has to work; None where the row names no versions (Java)."""
    problem: str = ""
    """What the function does, in words."""
    code: str
    """The whole module with the entry point as published, imports included; of a completion what an answer
    begins with."""
    entry: str = ""
    """The function that the harness calls; the class of a Java row."""
    harness: Harness = Harness()
    target_harness: Harness | None = None
    """What tests an answer in the target, where that differs from what tests the origin."""
    visible: Harness | None = None
    """Tests of the target that whoever answers is shown, scored beside; None without such tests."""
    apis: tuple[ApiChange, ...] = ()
    reference: str = ""
    """The whole module of the known solution; empty when there is none."""
    expected: tuple[CaseOutcome, ...] = ()
    """What each case gives with the origin, as we ran it; of a script that prints, what that printed. Empty
    until verified, and for tests that assert."""
    flags: tuple[str, ...] = ()
    """What a reader has to know of the row: "versions-equal", "stored-output-differs", …"""
    validity: Validity | None = None
    """None until verified."""
    published: dict[str, str] = field(default_factory=dict)
    """Fields of the row without a place above, as they were."""

    @property
    def compared(self) -> bool:
        """Whether an answer has to give what the origin gave; else it is tested by assertions.

        CodeMEnv's scripts print what comes back, errors included, and assert nothing.
        """
        harness = self.target_harness or self.harness
        return bool(harness.cases) or self.collection in (Collection.CODEMENV_EASY, Collection.CODEMENV_HARD)
