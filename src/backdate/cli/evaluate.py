"""``backdate eval``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.cli import options
from backdate.cli.arguments import takes

if TYPE_CHECKING:
    from backdate.models.model_name import Endpoint
    from backdate.sandboxes.interface import Sandbox
    from backdate.solvers.choose import SolverOptions
    from backdate.solvers.command import CommandOptions
    from backdate.solvers.records import RunRecord, RunSettings
    from backdate.tasks.runner import TaskRunner


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAccess:
    """What a command that solves tasks may see and take."""

    agent_network: Annotated[
        bool, typer.Option("--agent-network", help="Let a command reach the internet, by an HTTP proxy.")
    ] = False
    agent_model: Annotated[
        str | None,
        typer.Option(
            "--agent-model",
            metavar="URL",
            help="A model's endpoint that a command reaches; it never sees the key (OPENAI_API_KEY).",
        ),
    ] = None
    agent_mount: Annotated[
        list[Path] | None,
        typer.Option("--agent-mount", metavar="DIR", help="A folder that a command sees; may be repeated."),
    ] = None
    agent_env: Annotated[
        list[str] | None,
        typer.Option("--agent-env", metavar="NAME", help="A variable that a command gets; may be repeated."),
    ] = None
    agent_timeout: Annotated[
        float, typer.Option("--agent-timeout", metavar="SECONDS", min=1.0, help="For a command, each task.")
    ] = 1800.0

    def endpoint(self) -> Endpoint | None:
        """The model's endpoint with the key; None without one. Raises UsageError."""
        from backdate.models.model_name import parse_endpoint

        return None if self.agent_model is None else parse_endpoint(f"agent@{self.agent_model}")

    def command_options(self, solver: str, task_runner: TaskRunner, prices: Path | None) -> CommandOptions:
        """The options of a solver that is a command.

        Raises UsageError for a folder that is not there, a variable that is not set, and for another solver.
        """
        from backdate.errors import UsageError
        from backdate.evaluation.evidence import new_environment
        from backdate.solvers.choose import cost_by
        from backdate.solvers.command import CommandOptions, forwarded

        if self != AgentAccess() and not solver.removeprefix("rules+").startswith("command:"):
            raise UsageError(f"--agent-… is for a command, and --solver {solver} is none")
        for folder in self.agent_mount or ():
            if not folder.is_dir():
                raise UsageError(f"--agent-mount {folder} is not a folder")
        return CommandOptions(
            network=self.agent_network,
            model=self.endpoint(),
            cost=cost_by(prices),
            mounts=tuple(folder.resolve() for folder in self.agent_mount or ()),
            environment=forwarded(tuple(self.agent_env or ())),
            timeout_s=self.agent_timeout,
            new_environment=new_environment(task_runner),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalArguments:
    """What ``eval`` is given."""

    dataset: options.DatasetOrFile
    solver: Annotated[
        str,
        typer.Option(
            "--solver",
            metavar="SOLVER",
            help="null, gold, half[:second], rules[:SOURCES], rules+SOLVER, replay:PATH, "
            'model:NAME[@BASE_URL] or command:"…".',
        ),
    ]
    calls: Annotated[
        int | None,
        typer.Option(
            "--calls",
            metavar="N",
            min=1,
            help="The most calls for a task. Default: 100 of a model; rules have no limit but their runs.",
        ),
    ] = None
    tests: Annotated[
        int, typer.Option("--tests", metavar="M", min=1, help="The most test runs for a task.")
    ] = 10
    jobs: options.Jobs = 1
    disk_budget: options.DiskBudget = 50.0
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="RUN", help="The run's folder. Default: runs/DATASET/SOLVER."),
    ] = None
    only: options.Tasks = None
    history: Annotated[
        str,
        typer.Option(
            "--history",
            metavar="paper|release",
            help="How much of its history a model sees: from which test run on.",
        ),
    ] = "paper"
    dialect: Annotated[
        str,
        typer.Option(
            "--dialect", metavar="native|two-step|marked", help="How tools are described to a model."
        ),
    ] = "native"
    tools: Annotated[
        str,
        typer.Option("--tools", metavar="paper|evidence", help="evidence: further tools that diagnose."),
    ] = "paper"
    allow_test_edits: options.AllowTestEdits = False
    prices: Annotated[
        Path | None, typer.Option("--prices", metavar="FILE", help="What tokens cost (TOML or JSON).")
    ] = None
    sample: Annotated[
        str,
        typer.Option(
            "--sample",
            metavar="SEED|none",
            help="The seed: another number gives another sample. none: send no seed.",
        ),
    ] = "0"
    temperature: Annotated[
        str,
        typer.Option("--temperature", metavar="T|none", help="none: send none, for models that accept none."),
    ] = "0"
    requests_per_minute: Annotated[
        float | None,
        typer.Option(
            "--requests-per-minute",
            metavar="N",
            min=0.01,
            help="The most requests to a model, of all tasks together.",
        ),
    ] = None
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples",
            metavar="K",
            min=1,
            max=100,
            help="Of snippets: how often each question is asked, each time with the next seed. "
            "Default: 5 for models, else 1.",
        ),
    ] = None
    survey: Annotated[
        bool,
        typer.Option(
            "--survey",
            help="Of rules: ask every source besides what it would propose for the first failures. Recorded.",
        ),
    ] = False
    ask: Annotated[
        str,
        typer.Option(
            "--ask",
            metavar="ASKS",
            help="Of snippets: some of locate,explain,migrate,complete. Default: all.",
        ),
    ] = ""
    retry: Annotated[
        bool, typer.Option("--retry", help="Work again on tasks that ended in a model failure or an error.")
    ] = False
    repositories: options.RepositoriesOfRun = None
    agent: AgentAccess
    apt: options.Apt = False
    machine: options.Machine


@takes(EvalArguments)
def eval_command(arguments: EvalArguments) -> int:
    """Let a solver work on every task of a data set, and keep its answers.

    Finished tasks are kept in the run's folder and not done again. `backdate score` tests what was handed in.
    On a data set of snippets the solver is asked questions, which are kept in the same way.

    Examples:

      backdate eval bench --solver gold

      backdate eval bench --solver rules --jobs 4

      backdate eval bench --solver model:qwen@http://localhost:8000/v1 --dialect marked --jobs 4

      backdate eval snippets --solver model:qwen@http://localhost:8000/v1 --samples 5 --ask locate,migrate

      backdate eval bench --solver command:'my-agent "$BACKDATE_INSTRUCTION"' --agent-mount /opt/my-agent

    Exit status: 0 every task was worked on, 2 some ended in a model failure or an error, 3 misuse, 4 this
    machine lacks something.
    """
    from backdate.cli import exit_codes
    from backdate.cli.render_run import run_summary
    from backdate.errors import UsageError
    from backdate.evaluation.run_folder import RETRIED
    from backdate.snippets.dataset import holds_snippets

    folder = arguments.output or default_folder(arguments.dataset, arguments.solver)
    options.require_writable(folder, folder=True)
    if holds_snippets(arguments.dataset):
        return _eval_snippets(arguments, folder)
    if arguments.samples is not None or arguments.ask:
        raise UsageError(f"--samples and --ask are for snippets, and {arguments.dataset} holds tasks")
    records = _eval_tasks(arguments, folder)
    typer.echo(run_summary(records, arguments.dataset, folder))
    return exit_codes.CANNOT_TELL if any(record.ending in RETRIED for record in records) else exit_codes.OK


def _eval_tasks(arguments: EvalArguments, folder: Path) -> tuple[RunRecord, ...]:
    """The command on a data set of tasks: what became of each. Raises UsageError."""
    from backdate.cli.progress import watch
    from backdate.errors import UsageError
    from backdate.evaluation.evidence import evidence_tools
    from backdate.evaluation.load import open_bench
    from backdate.evaluation.running import EvaluationPlan, evaluate
    from backdate.solvers.choose import open_solver

    settings = _settings(arguments)
    machine = arguments.machine.settings(apt=arguments.apt)
    bench = open_bench(
        arguments.dataset, machine, only=arguments.only or (), repositories=arguments.repositories
    )
    sandbox = machine.open_sandbox()
    with open_solver(
        arguments.solver, _solver_options(arguments, settings, bench.task_runner, sandbox, folder)
    ) as solver:
        if not bench.tasks:
            raise UsageError(f"{arguments.dataset} holds no task")
        plan = EvaluationPlan(
            tasks=bench.tasks,
            solver=solver,
            settings=settings,
            task_runner=bench.task_runner,
            folder=folder,
            jobs=arguments.jobs,
            extra_tools=evidence_tools(bench.task_runner) if arguments.tools == "evidence" else None,
            retry=arguments.retry,
            disk_budget_bytes=int(arguments.disk_budget * 1024**3),
        )
        with watch() as progress:
            return evaluate(plan, progress)


def _eval_snippets(arguments: EvalArguments, folder: Path) -> int:
    """The command on a data set of snippets. Raises UsageError."""
    from backdate.cli.eval_snippets import eval_snippets
    from backdate.evaluation.snippets.answers import SnippetRunSettings
    from backdate.evaluation.snippets.choose import read_asks, samples_of

    seed = _number_or_none("--sample", arguments.sample)
    settings = SnippetRunSettings(
        solver=arguments.solver,
        samples=samples_of(arguments.solver, arguments.samples),
        asks=read_asks(arguments.ask),
        temperature=_number_or_none("--temperature", arguments.temperature),
        seed=None if seed is None else int(seed),
    )
    return eval_snippets(
        arguments.dataset,
        settings,
        arguments.machine.settings(apt=arguments.apt),
        folder,
        only=arguments.only or (),
        jobs=arguments.jobs,
        retry=arguments.retry,
        requests_per_minute=arguments.requests_per_minute,
    )


def _settings(arguments: EvalArguments) -> RunSettings:
    """What the results depend on. Raises UsageError."""
    from backdate.solvers.choose import has_both_sides
    from backdate.solvers.dialects.choose import choose_dialect
    from backdate.solvers.records import MODEL_CALLS, AgentSettings, RunSettings

    both_sides = has_both_sides(arguments.solver)
    agent, endpoint = arguments.agent, arguments.agent.endpoint()
    _require_one_of("--history", arguments.history, ("paper", "release"))
    _require_one_of("--tools", arguments.tools, ("paper", "evidence"))
    choose_dialect(arguments.dialect)
    seed = _number_or_none("--sample", arguments.sample)
    return RunSettings(
        solver=arguments.solver,
        calls=MODEL_CALLS if arguments.calls is None and not both_sides else arguments.calls,
        tests=arguments.tests,
        dialect=arguments.dialect,
        history=arguments.history,
        tools=arguments.tools,
        allow_test_edits=arguments.allow_test_edits,
        sample=None if seed is None else int(seed),
        temperature=_number_or_none("--temperature", arguments.temperature),
        both_sides=both_sides,
        survey=arguments.survey,
        agent=AgentSettings(
            network="internet" if agent.agent_network else "off",
            model=endpoint.base_url if endpoint else "",
            mounts=tuple(sorted(str(folder.resolve()) for folder in agent.agent_mount or ())),
            environment=tuple(sorted(agent.agent_env or ())),
            timeout_s=agent.agent_timeout,
        )
        if arguments.solver.removeprefix("rules+").startswith("command:")
        else None,
    )


def _solver_options(
    arguments: EvalArguments, settings: RunSettings, task_runner: TaskRunner, sandbox: Sandbox, folder: Path
) -> SolverOptions:
    from backdate.evaluation.run_folder import ANSWERS
    from backdate.solvers.choose import SolverOptions

    return SolverOptions(
        sandbox=sandbox,
        prices=arguments.prices,
        answers=folder / ANSWERS,
        sample=settings.sample,
        temperature=settings.temperature,
        requests_per_minute=arguments.requests_per_minute,
        command=arguments.agent.command_options(arguments.solver, task_runner, arguments.prices),
    )


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
