"""The result of a diagnosis: made by ``diagnose.py``, printed by the command line, kept as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from backdate.testing.outcomes import Frame, Outcome


class FrameKind(StrEnum):
    """Whose code a frame is."""

    PROJECT = "project"
    """Code of the project under test, also when a copy of it was installed."""
    TEST = "test"
    """The project's tests."""
    STANDARD_LIBRARY = "standard-library"
    SITE_PACKAGES = "site-packages"
    GENERATED = "generated"
    """Code without a file: ``<string>``, ``<attrs generated init …>``, or frames that were left out."""
    ELSEWHERE = "elsewhere"
    """Any other file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedFrame:
    """A frame, and whose code it is."""

    frame: Frame
    kind: FrameKind
    distribution: str | None = None
    """For installed files, the distribution as it spells its own name ("PyYAML"), where that is known."""
    version: str | None = None
    """Its version; for the standard library, the interpreter's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedRaised:
    """One exception of a chain, with its frames placed."""

    type: str
    message: str
    link: Literal["", "cause", "context", "member"]
    """As in :class:`~backdate.testing.outcomes.Raised`."""
    frames: tuple[PlacedFrame, ...]


class CauseKind(StrEnum):
    """What kind of error it is."""

    MISSING_ATTRIBUTE = "missing-attribute"
    MISSING_NAME = "missing-name"
    """``from module import name`` found the module but not the name."""
    MISSING_MODULE = "missing-module"
    MISSING_FIXTURE = "missing-fixture"
    """A test asks for a fixture that no plugin and no conftest gives."""
    UNDEFINED_NAME = "undefined-name"
    UNEXPECTED_ARGUMENT = "unexpected-argument"
    """A keyword argument that the called function does not have."""
    ARGUMENT_COUNT = "argument-count"
    """Too many arguments, or a required one that is not given."""
    REMOVED = "removed"
    """The library's own message says that something is gone or no longer supported."""
    WARNING_AS_ERROR = "warning-as-error"
    BINARY_INCOMPATIBLE = "binary-incompatible"
    """An extension module was compiled for other versions than the installed ones."""
    SYNTAX = "syntax"
    CHANGED_TYPE = "changed-type"
    """A value is not of the type that the code expects (any other TypeError, or an attribute of None)."""
    CHANGED_VALUE = "changed-value"
    """KeyError, ValueError, IndexError and similar errors."""
    ASSERTION = "assertion"
    CRASH = "crash"
    TIMEOUT = "timeout"
    OTHER_ERROR = "other-error"
    UNKNOWN = "unknown"
    """No exception is known."""


SPECIFIC = frozenset(
    {
        CauseKind.MISSING_ATTRIBUTE,
        CauseKind.MISSING_NAME,
        CauseKind.MISSING_MODULE,
        CauseKind.MISSING_FIXTURE,
        CauseKind.UNEXPECTED_ARGUMENT,
        CauseKind.ARGUMENT_COUNT,
        CauseKind.REMOVED,
        CauseKind.WARNING_AS_ERROR,
        CauseKind.BINARY_INCOMPATIBLE,
        CauseKind.SYNTAX,
    }
)
"""Kinds whose message itself names what is missing or unwanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """The one reason of a failure, read from its chain of exceptions."""

    kind: CauseKind
    type: str
    """The exception's qualified name; empty when there is none."""
    message: str
    """Its message, whole."""
    name: str = ""
    """The missing attribute, name or module, the unwanted or missing argument; empty when none is named."""
    owner: str = ""
    """Where ``name`` was looked up: a module ("numpy"), a class ("DataFrame"), a function ("read_csv")."""
    owner_is: Literal["", "module", "type", "function"] = ""
    distribution: str | None = None
    """The distribution that ``owner`` belongs to; "builtin" for the standard library; None when not found."""
    version: str | None = None
    related: tuple[str, ...] = ()
    """Libraries that may be involved, the likeliest first: distributions as they spell themselves, and
    "builtin" for the standard library, as TimeMachine-bench counts them (Figure 4)."""
    hint: str = ""
    """What the message itself advises to do instead; empty when it advises nothing."""
    position: int = 0
    """Which exception of the chain it is."""
    group: str = ""
    """The type of the ExceptionGroup (PEP 654) that holds it; empty when none does."""

    @property
    def dotted(self) -> str:
        """The dotted name of what is missing, "numpy.float"; empty when there is none."""
        if self.kind is CauseKind.MISSING_MODULE:
            return self.name
        if self.kind in (CauseKind.MISSING_ATTRIBUTE, CauseKind.MISSING_NAME, CauseKind.REMOVED):
            return f"{self.owner}.{self.name}" if self.owner and self.name else ""
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One test that went wrong, or the run itself."""

    test: str
    """Its id, as in :class:`~backdate.testing.outcomes.CaseResult`; empty for the run itself."""
    outcome: Outcome | None
    """None for the run itself."""
    cause: Cause
    responsible: PlacedFrame | None
    """The project's line in the traceback: the innermost of its own code, else of its tests."""
    chain: tuple[PlacedRaised, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Failures with one cause."""

    cause: Cause
    """That of the first of them."""
    tests: tuple[str, ...]
    """Ids; empty when only the run itself failed."""
    places: tuple[PlacedFrame, ...]
    """The responsible lines, the most frequent first."""
    messages: tuple[str, ...]
    """The different first lines of what was raised, "AttributeError: …", at most twenty."""


class FilterName(StrEnum):
    """The four filters that TimeMachine-bench applies after execution."""

    TIMED_OUT = "timed-out"
    OUTSIDE_USER_CODE = "cause-outside-user-code"
    MISSING_TOP_LEVEL_MODULE = "missing-top-level-module"
    ONLY_TESTS = "only-tests-affected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtered:
    """A filter that holds."""

    name: FilterName
    why: str
    """One sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Why a run failed."""

    failures: tuple[Failure, ...]
    """The run itself first, if it failed; then in the order of its results."""
    clusters: tuple[Cluster, ...]
    """The largest first."""
    filters: tuple[Filtered, ...]
    """Those that hold; empty for a run without failures."""
    related: tuple[str, ...]
    """The related libraries of all failures, by how many failures name them."""
