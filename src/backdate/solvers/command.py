"""The command solver: somebody else's agent, run on the tree in the sandbox. Its diff is the answer."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from backdate.editing.diff import diff_files
from backdate.environments.environment import Environment
from backdate.errors import UsageError
from backdate.models.model_name import Endpoint
from backdate.projects.hostile import read_beneath, sha256_beneath
from backdate.projects.tree import copy_tree
from backdate.sandboxes.interface import Command, Limits, Mount, RunResult, RunStatus, Sandbox, Workspace
from backdate.serial import to_json
from backdate.solvers.agent_reach import AgentReach, agent_reach, require_kept_key
from backdate.solvers.command_account import CommandAccount
from backdate.solvers.interface import Assignment, SolverResult
from backdate.solvers.model import Cost, unknown_cost
from backdate.solvers.prompts import command_text
from backdate.solvers.records import StopReason
from backdate.solvers.tools.files import LARGEST_FILE, Tree
from backdate.tasks.edit_policy import EditPolicy
from backdate.tasks.kinds.choose import kind_of
from backdate.tasks.task import Task

AT = "/work/project"
INSTRUCTION = "/backdate/instruction.md"
TASK = "/backdate/task.json"
_JUNK = ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".git")
_MOST_DROPPED = 50


NewEnvironment = Callable[[Task, Path], Environment | None]
"""The new environment of a task for the fresh tree at that path; None when it does not build."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandOptions:
    """What an external agent gets."""

    network: bool = False
    """Whether it reaches the internet; never this machine."""
    model: Endpoint | None = None
    """The model that it reaches through a proxy, which has the key; None: none."""
    cost: Cost = unknown_cost
    """Of the requests to that model."""
    mounts: tuple[Path, ...] = ()
    """Folders that it sees, read-only, where they lie on this machine: its own program."""
    environment: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 1800.0
    new_environment: NewEnvironment | None = None
    """Where the task's new environment comes from, for the agent to run the tests in; None: it has none."""


class CommandSolver:
    """``sh -c COMMAND`` in the tree; told by $BACKDATE_INSTRUCTION and $BACKDATE_TASK what to do, and by
    $BACKDATE_PYTHON (first on PATH, too) what to run the tests with."""

    def __init__(self, command: str, sandbox: Sandbox, options: CommandOptions | None = None) -> None:
        """Raises UsageError where a model's key would not be kept from the command."""
        self._command, self._sandbox = command, sandbox
        self._options = options or CommandOptions()
        if self._options.model is not None:
            require_kept_key(self._options.model, sandbox, self._options.environment)
        self.name = f"command:{command}"

    def attempt(self, assignment: Assignment) -> SolverResult:
        """Run the command; whatever its status, what it changed is the answer.

        One that was interrupted cannot be gone on with: it starts again, and its answers stay paid for.
        """
        before = assignment.make_tree()
        after = assignment.scratch / "answer"
        copy_tree(before, after)
        make = self._options.new_environment
        built = make(assignment.task, before) if make else None
        account = CommandAccount(assignment, self._options.cost)
        log = assignment.logs / "command.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        with agent_reach(
            self._sandbox,
            internet=self._options.network,
            model=self._options.model,
            built=built,
            listener=account,
        ) as reach:
            run = self._run(assignment, after, built, reach, log)
        waited = account.before_s + time.monotonic() - started
        if run.status is RunStatus.SANDBOX_ERROR:
            return SolverResult(ending=StopReason.ERROR, detail="the sandbox did not start", waited_s=waited)
        notes = [*account.notes, *([] if run.ok else [f"the command ended with {_ending(run)}"])]
        if reach.refused:
            notes.append(f"it was not let through to {', '.join(reach.refused)}")
        patch, dropped = take_answer(before, after, assignment.rules_in(before))
        return SolverResult(
            ending=StopReason.SUBMITTED,
            detail="; ".join(notes),
            patch=patch,
            dropped=dropped,
            usage=account.usage,
            model=account.model,
            waited_s=waited,
        )

    def _run(
        self, assignment: Assignment, tree: Path, built: Environment | None, reach: AgentReach, log: Path
    ) -> RunResult:
        start = " && ".join((*reach.lines, 'exec /bin/sh -c "$1"'))
        return self._sandbox.run(
            Command(
                argv=("/bin/sh", "-c", start, "sh", self._command),
                cwd=AT,
                env={
                    **_variables(built),
                    "LANG": "C.UTF-8",
                    "BACKDATE_INSTRUCTION": INSTRUCTION,
                    "BACKDATE_TASK": TASK,
                    **self._options.environment,
                    **reach.variables,
                },
                network=reach.network,
                limits=Limits(wall_s=self._options.timeout_s, log_bytes=8 * 1024 * 1024),
            ),
            Workspace(
                mounts=(
                    Mount(source=tree, target=AT, writable=True),
                    *self._briefing(assignment, has_python=built is not None),
                    *_environment_mounts(built),
                    *reach.mounts,
                    *(Mount(source=folder, target=str(folder)) for folder in self._options.mounts),
                ),
                base=None if built is None else built.base,
            ),
            log=log,
        )

    def _briefing(self, assignment: Assignment, *, has_python: bool) -> tuple[Mount, ...]:
        text = command_text(
            assignment.task,
            allow_test_edits=assignment.settings.allow_test_edits,
            at=AT,
            has_python=has_python,
            has_network=self._options.network,
            has_model=self._options.model is not None,
            timeout_s=self._options.timeout_s,
        )
        return _mount_briefing(assignment, text)


def _variables(built: Environment | None) -> dict[str, str]:
    system = "/usr/local/bin:/usr/bin:/bin"
    if built is None:
        return {"PATH": system}
    return {"PATH": f"{built.root / 'bin'}:{system}", "BACKDATE_PYTHON": str(built.python)}


def _environment_mounts(built: Environment | None) -> tuple[Mount, ...]:
    """The environment and its interpreter, read-only, where they lie."""
    if built is None:
        return ()
    return tuple(mount for mount in built.mounts if not mount.source.is_relative_to("/usr"))


def _ending(run: RunResult) -> str:
    if run.status is not RunStatus.EXITED:
        return run.status.value
    return f"status {run.exit_code}" if run.signal is None else f"signal {run.signal}"


def _mount_briefing(assignment: Assignment, text: str) -> tuple[Mount, ...]:
    """The task in words and as data, without its solution."""
    task = assignment.task
    instruction = assignment.scratch / "instruction.md"
    instruction.write_text(f"{text}\n")
    data = assignment.scratch / "task.json"
    data.write_bytes(
        to_json(
            {
                "instance_id": task.instance_id,
                "name": task.source.name,
                **kind_of(task).data(task),
                "test_files": task.test_files,
                "failing_tests": [test.id for test in task.tests if test.role == "fail-to-pass"],
            },
            indent=2,
        )
    )
    for path in (instruction, data):
        path.chmod(0o644)
    return (Mount(source=instruction, target=INSTRUCTION), Mount(source=data, target=TASK))


def take_answer(before: Path, after: Path, rules: EditPolicy) -> tuple[str, tuple[str, ...]]:
    """The diff of the allowed files, and what else was changed, each with why it is not part of the answer.

    Nothing is read through a link: the tree was in foreign hands.
    """
    old_files, new_files = _files(before, rules), _files(after, rules)
    old: dict[str, bytes | None] = {}
    new: dict[str, bytes | None] = {}
    dropped = []
    for name in sorted({*old_files, *new_files}):
        why = rules.why_not(name)
        before_file, after_file = old_files.get(name), new_files.get(name)
        if before_file is None:
            why = why or rules.why_not_new(name)
        elif after_file is None:
            why = why or ("" if rules.whole_files else "it was removed")
        elif _same(before, after, name):
            continue
        if any(file and file.stat().st_size > LARGEST_FILE for file in (before_file, after_file)):
            why = why or "it is too large"
        if why:
            dropped.append(f"{name}: {why}")
            continue
        old[name] = read_beneath(before, name, limit=LARGEST_FILE) if before_file else None
        new[name] = read_beneath(after, name, limit=LARGEST_FILE) if after_file else None
    more = len(dropped) - _MOST_DROPPED
    shown = (*dropped[:_MOST_DROPPED], *((f"… and {more} more",) if more > 0 else ()))
    return diff_files(old, new), shown


def _files(root: Path, rules: EditPolicy) -> dict[str, Path]:
    tree = Tree(root, rules)
    files = {}
    for path in tree.walk(tree.root):
        name = tree.name(path)
        if not any(part in _JUNK for part in name.split("/")) and not name.endswith((".pyc", ".pyo")):
            files[name] = path
    return files


def _same(left: Path, right: Path, name: str) -> bool:
    if (left / name).lstat().st_size != (right / name).lstat().st_size:
        return False
    return sha256_beneath(left, name) == sha256_beneath(right, name)


def forwarded(names: tuple[str, ...]) -> dict[str, str]:
    """The values of the environment variables that an agent is to see. Raises UsageError for one not set."""
    for name in names:
        if name not in os.environ:
            raise UsageError(
                f"--agent-env {name[:100]!r}: there is no such variable here; set it, or leave it out"
            )
    return {name: os.environ[name] for name in names}
