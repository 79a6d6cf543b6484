"""``backdate eval``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.cli import options

if TYPE_CHECKING:
    from backdate.solvers.records import RunRecord


def eval_command(
    dataset: Annotated[
        Path,
        typer.Argument(metavar="DATASET", help="A data set's folder, or TimeMachine-bench's JSONL file."),
    ],
    solver: Annotated[
        str,
        typer.Option(
            "--solver",
            metavar="SOLVER",
            help='null, gold, replay:PATH, model:NAME[@BASE_URL] or command:"…".',
        ),
    ],
    calls: Annotated[int, typer.Option("--calls", metavar="N", min=1, help="Model calls a task.")] = 100,
    tests: Annotated[int, typer.Option("--tests", metavar="M", min=1, help="Test runs a task.")] = 10,
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Tasks at a time.")] = 1,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="RUN", help="The run's folder. Default: runs/DATASET/SOLVER."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="TASK", help="Only this task (id, or owner/name); may be repeated."),
    ] = None,
    history: Annotated[
        str, typer.Option("--history", metavar="paper|release", help="From which test run on a model sees.")
    ] = "paper",
    dialect: Annotated[
        str,
        typer.Option("--dialect", metavar="native|two-step|marked", help="How a model is told of its tools."),
    ] = "native",
    tools: Annotated[
        str,
        typer.Option("--tools", metavar="paper|evidence", help="evidence: also what diagnosis can tell."),
    ] = "paper",
    allow_test_edits: Annotated[
        bool, typer.Option("--allow-test-edits", help="For tasks without a gold patch, as in the paper.")
    ] = False,
    prices: Annotated[
        Path | None, typer.Option("--prices", metavar="FILE", help="What tokens cost (TOML or JSON).")
    ] = None,
    sample: Annotated[
        str,
        typer.Option(
            "--sample", metavar="SEED|none", help="Another number is another sample; none: send no seed."
        ),
    ] = "0",
    temperature: Annotated[
        str,
        typer.Option("--temperature", metavar="T|none", help="none: send none, for models that take none."),
    ] = "0",
    requests_per_minute: Annotated[
        float | None,
        typer.Option("--requests-per-minute", metavar="N", min=0.01, help="For a model, all tasks together."),
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Work again on tasks that ended in a model failure or an error.")
    ] = False,
    repositories: Annotated[
        Path | None,
        typer.Option("--repos", metavar="DIR", help="A folder of local clones to take trees from."),
    ] = None,
    agent_network: Annotated[
        bool, typer.Option("--agent-network", help="Let a command reach the network.")
    ] = False,
    agent_mount: Annotated[
        list[Path] | None,
        typer.Option("--agent-mount", metavar="DIR", help="A folder that a command sees; may be repeated."),
    ] = None,
    agent_env: Annotated[
        list[str] | None,
        typer.Option("--agent-env", metavar="NAME", help="A variable that a command gets; may be repeated."),
    ] = None,
    agent_timeout: Annotated[
        float, typer.Option("--agent-timeout", metavar="SECONDS", min=1.0, help="For a command, each task.")
    ] = 1800.0,
    sandbox: options.SandboxName = "bwrap",
    timeout: options.TestTimeout = 600.0,
    memory: options.Memory = 4096,
    processes: options.Processes = 512,
    cache: options.CacheFolder = None,
    index_url: options.IndexUrl = None,
    apt: options.Apt = False,
) -> int:
    """Let a solver work on every task of a data set, and keep what it did.

    Finished tasks are kept in the run's folder and not done again. `backdate score` tests what was handed in.

    Examples:

      backdate eval bench --solver gold

      backdate eval bench --solver model:qwen@http://localhost:8000/v1 --dialect marked --jobs 4

      backdate eval bench --solver command:'my-agent "$BACKDATE_INSTRUCTION"' --agent-mount /opt/my-agent

    Exit status: 0 every task was worked on, 2 some ended in a model failure or an error, 3 misuse, 4 this
    machine lacks something.
    """
    from backdate.cli import exit_codes
    from backdate.evaluation.evidence import evidence_tools, new_environment
    from backdate.evaluation.opening import open_bench
    from backdate.evaluation.running import ANSWERS, RETRIED, Plan, evaluate
    from backdate.sandboxes.choose import choose_sandbox
    from backdate.solvers.choose import SolverOptions, open_solver
    from backdate.solvers.command import CommandOptions, forwarded
    from backdate.solvers.dialects.choose import choose_dialect
    from backdate.solvers.records import Settings

    _require_one_of("--history", history, ("paper", "release"))
    _require_one_of("--tools", tools, ("paper", "evidence"))
    choose_dialect(dialect)
    seed, heat = _number_or_none("--sample", sample), _number_or_none("--temperature", temperature)
    seed = None if seed is None else int(seed)
    machine = options.settings(
        sandbox=sandbox,
        cache=cache,
        index_url=index_url,
        timeout=timeout,
        memory=memory,
        processes=processes,
        apt=apt,
    )
    folder = output or default_folder(dataset, solver)
    options.require_writable(folder, folder=True)
    bench = open_bench(dataset, machine, only=only or (), repositories=repositories)
    solver_options = SolverOptions(
        sandbox=choose_sandbox(sandbox),
        prices=prices,
        answers=folder / ANSWERS,
        sample=seed,
        temperature=heat,
        requests_per_minute=requests_per_minute,
        command=CommandOptions(
            network=agent_network,
            mounts=tuple(one.resolve() for one in agent_mount or ()),
            environment=forwarded(tuple(agent_env or ())),
            timeout_s=agent_timeout,
            new_environment=new_environment(bench.workshop),
        ),
    )
    settings = Settings(
        solver=solver,
        calls=calls,
        tests=tests,
        dialect=dialect,
        history=history,
        tools=tools,
        allow_test_edits=allow_test_edits,
        sample=seed,
        temperature=heat,
    )
    with open_solver(solver, solver_options) as opened:
        plan = Plan(
            tasks=bench.tasks,
            solver=opened,
            settings=settings,
            workshop=bench.workshop,
            folder=folder,
            jobs=jobs,
            extra_tools=evidence_tools(bench.workshop, solver_options.sandbox)
            if tools == "evidence"
            else None,
            retry=retry,
        )
        records = evaluate(plan, _Lines(len(bench.tasks)))
    typer.echo(_summary(records, dataset, folder))
    return exit_codes.CANNOT_TELL if any(one.ending in RETRIED for one in records) else exit_codes.OK


def default_folder(dataset: Path, solver: str) -> Path:
    """Where a run goes when nobody says: the same place each time, so that it is resumed."""
    import hashlib

    name = re.sub(r"[^A-Za-z0-9._-]+", "-", solver).strip("-.")[:60]
    if name != solver:
        name = f"{name}-{hashlib.sha256(solver.encode()).hexdigest()[:6]}"
    return Path("runs") / (dataset.stem or "dataset") / name


def _require_one_of(option: str, value: str, allowed: tuple[str, ...]) -> None:
    from backdate.errors import UsageError

    if value not in allowed:
        raise UsageError(f"{option} is one of {', '.join(allowed)}, not {value!r}")


def _number_or_none(option: str, text: str) -> float | None:
    from backdate.errors import UsageError

    if text == "none":
        return None
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text) is None or (option == "--sample" and "." in text):
        raise UsageError(f"{option} is a number or none, not {text!r}")
    return float(text)


class _Lines:
    """One line a finished task, on standard error."""

    def __init__(self, total: int) -> None:
        import threading

        self._lock = threading.Lock()
        self._total, self._count = total, 0

    def started(self, instance: str) -> None:
        """Nothing: a line comes when it is finished."""

    def finished(self, record: RunRecord, *, now: bool) -> None:
        """Say how the task ended."""
        from backdate.cli.terminal import printable, tell

        with self._lock:
            self._count += 1
            again = "" if now else " (before)"
            detail = f": {record.detail}" if record.detail else ""
            calls = f", {record.calls} calls, {record.tests} test runs" if record.calls else ""
            tell(
                printable(
                    f"[{self._count}/{self._total}] {record.instance_id}: {record.ending}{detail}"
                    f"{calls}, {record.duration_s:.0f} s{again}"
                )
            )


def _summary(records: tuple[RunRecord, ...], dataset: Path, folder: Path) -> str:
    from collections import Counter

    counts = Counter(record.ending.value for record in records)
    words = ", ".join(f"{count} {ending}" for ending, count in counts.most_common())
    return f"{len(records)} tasks: {words}\nScore the run with: backdate score {dataset} {folder}"
