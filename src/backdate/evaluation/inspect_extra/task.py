"""The Inspect task ``backdate/migrate``: our samples, our loop as solver, a fresh test run as scorer."""

from __future__ import annotations

import anyio.to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, accuracy, metric, scorer, stderr
from inspect_ai.solver import Generate, TaskState, solver
from inspect_ai.solver import Solver as InspectSolver
from inspect_ai.util import SandboxEnvironmentSpec, sandbox

from backdate.editing.apply import apply_patch
from backdate.errors import SourceError, UsageError
from backdate.evaluation.changed_trees import for_changed_trees
from backdate.evaluation.evidence import evidence_tools
from backdate.evaluation.inspect_extra.environment import BackdateSandbox, BenchConfig, bench_of
from backdate.evaluation.inspect_extra.model import BridgedModel
from backdate.serial import to_json
from backdate.solvers.interface import Assignment, SolverResult
from backdate.solvers.model import ModelSolver
from backdate.solvers.prompts import task_text
from backdate.solvers.records import RunSettings

CALLS_SHOWN = (10, 25, 50, 100)
"""The n' of which the metric tells pass@1(n')."""
_ATTEMPT = "backdate_attempt"


@task
def migrate(
    dataset: str,
    only: str = "",
    repositories: str | None = None,
    calls: int = 100,
    tests: int = 10,
    history: str = "paper",
    dialect: str = "native",
    tools: str = "paper",
    allow_test_edits: bool = False,
    sandbox_name: str = "bwrap",
    timeout: float = 600.0,
) -> Task:
    """Migrate projects to later dependencies.

    ``dataset``: a folder or file as for ``backdate eval``; ``only``: instance ids, separated by commas. The
    others are the options of ``backdate eval``. Raises UsageError.
    """
    config = BenchConfig(
        dataset=dataset,
        only=tuple(instance for instance in only.split(",") if instance),
        repositories=repositories,
        sandbox=sandbox_name,
        timeout=timeout,
    )
    return migration_task(config, calls, tests, history, dialect, tools, allow_test_edits=allow_test_edits)


def migration_task(
    config: BenchConfig,
    calls: int = 100,
    tests: int = 10,
    history: str = "paper",
    dialect: str = "native",
    tools: str = "paper",
    *,
    allow_test_edits: bool = False,
) -> Task:
    """The Inspect task over the tasks of ``config``."""
    bench = bench_of(config)
    samples = [
        Sample(
            id=bench_task.instance_id,
            input=task_text(bench_task),
            target="solved",
            metadata={"instance_id": bench_task.instance_id, "difficulty": bench_task.difficulty or ""},
        )
        for bench_task in bench.tasks
    ]
    return Task(
        dataset=MemoryDataset(samples, name=bench.name),
        solver=budgeted_loop(calls, tests, history, dialect, tools, allow_test_edits),
        scorer=solved_again(),
        sandbox=SandboxEnvironmentSpec("backdate", config),
        name="migrate",
    )


@solver
def budgeted_loop(
    calls: int = 100,
    tests: int = 10,
    history: str = "paper",
    dialect: str = "native",
    tools: str = "paper",
    allow_test_edits: bool = False,
) -> InspectSolver:
    """The loop of ``backdate eval``, with Inspect's model and the sample's tree."""
    if tools not in ("paper", "evidence"):
        raise UsageError(f"tools is paper or evidence, not {tools!r}")
    if history not in ("paper", "release"):
        raise UsageError(f"history is paper or release, not {history!r}")

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - the loop asks
        environment = _own_sandbox()
        bench = bench_of(environment.config)
        model = BridgedModel(get_model())

        def work() -> SolverResult:
            with for_changed_trees(bench.task_runner) as (task_runner, _folder):
                assignment = Assignment(
                    task=next(
                        candidate
                        for candidate in bench.tasks
                        if candidate.instance_id == state.metadata["instance_id"]
                    ),
                    settings=RunSettings(
                        solver=f"inspect:{model.name}",
                        calls=calls,
                        tests=tests,
                        dialect=dialect,
                        history=history,
                        tools=tools,
                        allow_test_edits=allow_test_edits,
                    ),
                    task_runner=task_runner,
                    scratch=environment.scratch,
                    logs=environment.scratch / "logs" / "sample",
                    extra_tools=evidence_tools(bench.task_runner) if tools == "evidence" else None,
                    tree=environment.tree,
                )
                return ModelSolver(model).attempt(assignment)

        attempt = await anyio.to_thread.run_sync(work)
        state.store.set(_ATTEMPT, _log_entry(attempt))
        state.output = ModelOutput.from_content(model=model.name, content=attempt.patch)
        state.messages.append(state.output.choices[0].message)
        state.completed = True
        return state

    return solve


def _own_sandbox() -> BackdateSandbox:
    return sandbox().as_type(BackdateSandbox)


def _log_entry(attempt: SolverResult) -> dict[str, object]:
    """What of an attempt is written into Inspect's log."""
    solved = next((run for run in attempt.runs if run.solved), None)
    return {
        "ending": attempt.ending.value,
        "detail": attempt.detail,
        "calls": attempt.calls,
        "tests": sum(run.number > 0 for run in attempt.runs),
        "solved_at_call": solved.call if solved else None,
        "sequence": list(attempt.sequence),
        "trajectory": to_json(attempt.trajectory).decode(),
    }


@metric
def passed_within() -> Metric:
    """pass@1(n') for several n', all from one run."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        shares = {}
        for limit in CALLS_SHOWN:
            passed = [sample_score for sample_score in scores if _calls_needed(sample_score.score) <= limit]
            shares[f"pass@1({limit})"] = len(passed) / len(scores) if scores else 0.0
        return shares

    return compute


def _calls_needed(score: Score) -> float:
    needed = (score.metadata or {}).get("calls_needed")
    return float(needed) if isinstance(needed, int | float) else float("inf")


@scorer(metrics=[accuracy(), stderr(), passed_within()])
def solved_again() -> Scorer:
    """Whether the patch solves the task in a fresh tree; what the run said of itself is not believed."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - the tests are the target
        environment = _own_sandbox()
        patch = state.output.completion
        attempt: dict[str, object] = state.store.get(_ATTEMPT, {})
        solved, reason = await anyio.to_thread.run_sync(
            lambda: _test_again(environment.config, state.metadata["instance_id"], patch)
        )
        needed = attempt.get("solved_at_call") if solved else None
        return Score(
            value=1.0 if solved else 0.0,
            answer=patch,
            explanation=reason or "every test that counts passes with the patch",
            metadata={"calls_needed": needed, "ending": attempt.get("ending")},
        )

    return score


def _test_again(config: BenchConfig, instance: str, patch: str) -> tuple[bool, str]:
    bench = bench_of(config)
    task_of_sample = next(candidate for candidate in bench.tasks if candidate.instance_id == instance)
    with for_changed_trees(bench.task_runner) as (task_runner, folder):
        logs = folder / "logs"
        logs.mkdir()
        tree = folder / "tree"
        task_runner.make_tree(task_of_sample, tree)
        try:
            if patch:
                apply_patch(patch, tree)
        except SourceError as error:
            return False, f"the patch does not apply: {error}"
        verdict = task_runner.run_tests(task_of_sample, tree, "target", log_folder=logs)
        return verdict.solved, verdict.reason
