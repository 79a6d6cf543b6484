"""The replay solver: does again what a trajectory did, call by call, with the tools and tests of today."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from backdate.errors import StoredDataError, UsageError
from backdate.solvers.atif import Trajectory, read_trajectory, requests_of
from backdate.solvers.conversation import AgentReply, Done, ToolRequest, Turn
from backdate.solvers.dialogue import converse
from backdate.solvers.interface import Assignment, SolverResult
from backdate.solvers.records import RunRecord, StopReason, read_record
from backdate.solvers.tools.interface import Tool

_LARGEST = 256 * 1024 * 1024


class ReplaySolver:
    """Replays a run's folder, a folder of trajectories, one trajectory, or one run record."""

    def __init__(self, source: Path) -> None:
        if not source.exists():
            raise UsageError(f"there is nothing to replay at {source}")
        self._source = source
        self.name = f"replay:{source.name}"

    def attempt(self, assignment: Assignment) -> SolverResult:
        """What the source says of this task, done again; a record without a trajectory hands in its patch."""
        recorded = self._find(assignment.task.instance_id)
        if recorded is None:
            return SolverResult(ending=StopReason.GAVE_UP, detail="there is no trajectory of this task")
        if isinstance(recorded, RunRecord):
            return SolverResult(ending=StopReason.SUBMITTED, patch=recorded.patch)
        return converse(assignment, ReplaySpeaker(recorded))

    def _find(self, instance: str) -> Trajectory | RunRecord | None:
        if self._source.is_file():
            return self._matching(_read(self._source), instance)
        for folder in ("trajectories", ".", "records"):
            path = self._source / folder / f"{instance}.json"
            if path.is_file():
                return self._matching(_read(path), instance)
        return None

    def _matching(self, recorded: Trajectory | RunRecord, instance: str) -> Trajectory | RunRecord | None:
        """Other agents name their sessions as they like; ours bear the task's id."""
        if isinstance(recorded, RunRecord):
            return recorded if recorded.instance_id == instance else None
        own = recorded.agent.name.startswith("backdate ")
        return recorded if not own or recorded.session_id == instance else None


def _read(path: Path) -> Trajectory | RunRecord:
    with path.open("rb") as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise StoredDataError(f"{path} is larger than {_LARGEST // 1024 // 1024} MiB")
    if b'"schema_version"' in data[:1000]:
        return read_trajectory(data, what=str(path))
    record = read_record(data, what=str(path))
    trajectory = path.parent.parent / record.trajectory
    if (
        record.trajectory
        and trajectory.is_file()
        and trajectory.resolve().is_relative_to(path.parent.parent.resolve())
    ):
        return _read(trajectory)
    return record


class ReplaySpeaker:
    """Says what was said."""

    asks_endpoint = False
    model = ""

    def __init__(self, trajectory: Trajectory) -> None:
        self._replies: list[tuple[str, ToolRequest | None]] = list(requests_of(trajectory))
        self._next = 0
        self.model = trajectory.agent.model_name or ""

    def begin(self, rules: str, task: str, tools: Sequence[Tool]) -> str:  # noqa: ARG002 - it knows what to say
        """See ``Responder.begin``."""
        return rules

    def recall(self, reply: AgentReply, model: str) -> None:  # noqa: ARG002 - it is the next step
        """See ``Responder.recall``."""
        self._next += 1

    def reply(self, conversation: Sequence[Turn]) -> AgentReply | Done:  # noqa: ARG002 - whatever came of it
        """The next step of the trajectory."""
        if self._next >= len(self._replies):
            return Done(reason="the trajectory ends here")
        text, request = self._replies[self._next]
        self._next += 1
        return AgentReply(text=text, request=request)
