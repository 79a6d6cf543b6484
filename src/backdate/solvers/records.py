"""The record of a solver's work on a task: how it ended, its patch, its test runs, its cost.

The record holds what the run *says*. Scoring does not believe it: it applies the patch to a fresh tree and
runs the tests again; what it takes from here is the number of calls that a patch needed, and the cost.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

from backdate.migrations import Migration, read_stored
from backdate.solvers.reasons import HunkReason, ProposalOrigin
from backdate.timeline.instants import Instant

RECORD_FORMAT = 6
"""Also of a run's ``run.json``: both hold settings."""


MODEL_CALLS = 100
"""Calls that a model may make for a task where nobody states another limit, as in TimeMachine-bench."""


class StopReason(StrEnum):
    """How a solver's work on a task ended."""

    SOLVED = "solved"
    """A test run of the solver itself solves the task."""
    SUBMITTED = "submitted"
    """A solver without a loop handed in its answer; nothing was tested while it worked."""
    CALLS = "calls-used-up"
    """All n model calls were used."""
    TESTS = "tests-used-up"
    """All m test runs were used, and the last one failed."""
    GAVE_UP = "gave-up"
    """The solver has nothing more to do: no rule matches, or a replay is at its end."""
    NO_TOOL = "six-replies-without-a-tool"
    MODEL = "model-failure"
    """The model's endpoint gave no usable answer; ``detail`` names the failure first."""
    ERROR = "error"
    """The task could not be worked on (no tree, no environment, a command that crashed); see ``detail``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverUsage:
    """What a model was asked and what that cost. None: not known, which is not nothing."""

    requests: int = 0
    """Requests that were answered; the two-step dialect makes two a call."""
    input_tokens: int | None = None
    """Of which ``cached_tokens`` were read from the provider's cache."""
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    """By the user's price file."""
    lost: int = 0
    """Requests that were under way when a session was ended or a command went away. Whether they were
    answered, and what they took, nobody here knows; it is in none of the other numbers."""

    def __add__(self, other: SolverUsage) -> SolverUsage:
        """The two together; what neither knows stays unknown, and a cost known in part is unknown."""
        lost = self.lost + other.lost
        if not self.requests or not other.requests:
            return replace(self if self.requests else other, lost=lost)
        return SolverUsage(
            lost=lost,
            requests=self.requests + other.requests,
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            cached_tokens=_sum(self.cached_tokens, other.cached_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            cost_usd=None
            if self.cost_usd is None or other.cost_usd is None
            else self.cost_usd + other.cost_usd,
        )


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteCall:
    """One run of the tests while the solver worked."""

    __test__ = False

    number: int
    """0 is the given first run, which is free; the others count toward m."""
    call: int
    """Number of model calls until it ran, with the call that requested it; 0 for the given run."""
    solved: bool
    reason: str
    """One line of why it is not solved; empty when it is."""
    passed: int = 0
    """Tests with a good outcome."""
    failed: int = 0
    """Tests with a bad one."""
    duration_s: float = 0.0
    log: str = ""
    """The log's path relative to the run's folder; empty when there was none."""
    patch_sha256: str = ""
    """Of the patch as it was at this run."""


AgentNetwork = Literal["off", "internet", "all"]
"""What a command reaches: nothing, the internet, or (before format 2) this machine and its network, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """What a command that solves tasks may see and take."""

    network: AgentNetwork = "off"
    model: str = ""
    """Base URL of the endpoint that it reaches through a proxy, which adds the key; empty: none."""
    mounts: tuple[str, ...] = ()
    """Folders of this machine."""
    environment: tuple[str, ...] = ()
    """Names of variables; their values may be secrets."""
    timeout_s: float = 1800.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """The settings of a run; a folder never mixes runs with different settings."""

    solver: str
    """As given: "gold", "model:NAME", …"""
    calls: int | None = None
    """n: how many calls are allowed. None: ``MODEL_CALLS`` of a model. Every edit of the rules counts as one
    though it asks nobody: without a limit of calls their test runs bound them."""
    tests: int = 10
    """m: how many test runs are allowed after the given one."""
    dialect: str = "native"
    """"native", "two-step" or "marked"."""
    history: str = "paper"
    """"paper": from the latest test run on; "release": from the one before it on."""
    tools: str = "paper"
    """"paper": the ten tools; "evidence": those and what diagnosis can tell."""
    allow_test_edits: bool = False
    sample: int | None = 0
    """The seed that a model was given: another number is another sample. None: it was given none."""
    temperature: float | None = 0.0
    """None: the model's own."""
    both_sides: bool = False
    """The solver works with both of the task's environments, and runs the tests in the old one, too."""
    survey: bool = False
    """Whether the rules solver asks all of its sources besides: ``RunRecord.ready_at_first``."""
    agent: AgentSettings | None = None
    """None: the solver is no command, or the run was started before this was recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One task, one solver. Stored as ``records/<instance_id>.json`` in the run's folder."""

    format: int = RECORD_FORMAT
    instance_id: str
    settings: RunSettings
    ending: StopReason
    detail: str = ""
    """Details of the ending, in one line."""
    calls: int = 0
    """Model calls made; a reply without a tool call counts."""
    runs: tuple[SuiteCall, ...] = ()
    """Every test run in order, the given one first."""
    sequence: tuple[str, ...] = ()
    """The tool of each call in order; "" where the reply had none, "?" for a tool that does not exist."""
    refused: int = 0
    """Tool calls that were answered with an error (a path that is not allowed, text that is not there, …)."""
    patch: str = ""
    """The answer: a diff of allowed files, as ``patch -p0`` reads it. JSON cannot hold bytes that are not
    UTF-8 (see ``serial.to_json``): the exact bytes lie in ``patches/<instance_id>.patch``."""
    dropped: tuple[str, ...] = ()
    """Changes that an external command made and that are not allowed, each "path: why"."""
    usage: SolverUsage = field(default_factory=SolverUsage)
    started: Instant
    duration_s: float
    own_s: float = 0.0
    """Of the duration, what was neither the model nor the tests, nor a survey."""
    reasons: tuple[HunkReason, ...] = ()
    """Why the patch is as it is, in its order; empty for solvers that give no reasons."""
    side_runs: int = 0
    """Runs of the tests in the old environment, which count toward nothing."""
    proposed_by: tuple[ProposalOrigin, ...] | None = None
    """The sources that proposed anything, tried or not: without one that is not named the work is the same.
    None of solvers without sources, and in records of older formats."""
    ready_at_first: tuple[ProposalOrigin, ...] | None = None
    """The sources that have a proposal for what fails at first, asked whatever the others propose: with none
    of them nothing is edited. None where nobody asked (``RunSettings.survey``)."""
    model: str = ""
    """The model's name as its endpoint told it; empty without one."""
    trajectory: str = ""
    """The ATIF file's path relative to the run's folder; empty for solvers without a conversation."""
    backdate: str
    """The version of backdate that wrote it."""

    @property
    def solved_at(self) -> SuiteCall | None:
        """The run that said solved; its ``call`` is the n' and its ``number`` the m' that were needed."""
        return next((run for run in self.runs if run.solved), None)

    @property
    def tests(self) -> int:
        """Test runs that count toward m."""
        return sum(run.number > 0 for run in self.runs)


def _from_before_networks_had_names(document: dict[str, Any]) -> dict[str, Any]:
    """Format 1 says whether a command had the network, which was this machine's own."""
    settings = document.get("settings")
    agent = settings.get("agent") if isinstance(settings, dict) else None
    if isinstance(settings, dict) and isinstance(agent, dict) and isinstance(agent.get("network"), bool):
        network = "all" if agent["network"] else "off"
        return {**document, "settings": {**settings, "agent": {**agent, "network": network}}}
    return document


RECORD_MIGRATIONS = (
    Migration(to_format=2, change=_from_before_networks_had_names),
    Migration(to_format=3),  # requests that were lost were not counted
    Migration(to_format=4),  # nobody gave reasons for a patch, and no solver had both sides
    Migration(to_format=5),  # which sources proposed anything was not recorded
    Migration(to_format=6),  # a limit of calls was always stated
)
"""Also of ``run.json``."""


def read_record(data: bytes, *, what: str) -> RunRecord:
    """A stored record of any format. Raises StoredDataError, naming ``what``."""
    return read_stored(RunRecord, data, current=RECORD_FORMAT, migrations=RECORD_MIGRATIONS, what=what)
