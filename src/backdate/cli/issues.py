"""``backdate issues``: benchmarks of issue tasks, from a list of repositories."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from backdate.changes.github.settings import GITHUB_URL
from backdate.cli import options
from backdate.cli.arguments import takes
from backdate.cli.build_options import (
    BuildOptions,
    executor_of,
    plan_fields,
    require_drawable,
    worker_config,
)

if TYPE_CHECKING:
    from backdate.changes.change import TextOrigin
    from backdate.construction.plan import BuildPlan, ChangeSourceName
    from backdate.progress import Reporter
    from backdate.tasks.quality.measure_dataset import MeasuredDataset

app = typer.Typer(
    name="issues",
    help="Issue tasks: changes of projects, asked for in words and judged by their own tests.",
    no_args_is_help=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueBuildArguments:
    """What ``issues build`` is given."""

    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="LIST…",
            help="Repositories: rows (.jsonl, .parquet), a list of addresses (.txt), an address, "
            "or OWNER/NAME.",
        ),
    ]
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DATASET", help="The data set, a new folder.")
    ]
    build: BuildOptions
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            metavar="KINDS",
            help="Kinds of text, the preferred first: a change gives one task, of the first that it has.",
        ),
    ] = "issue,pull,changelog"
    source: Annotated[
        str,
        typer.Option(
            "--source",
            metavar="history|github|given:FILE",
            help="Where changes are read: the clone alone, GitHub, or a JSONL of texts.",
        ),
    ] = "history"
    github_url: Annotated[
        str,
        typer.Option(
            "--github-url",
            metavar="URL",
            help="GitHub's API, for --source github; the token is read from GITHUB_TOKEN or GH_TOKEN.",
        ),
    ] = GITHUB_URL
    since: Annotated[
        str | None, typer.Option("--since", metavar="INSTANT", help="Only changes merged from then on.")
    ] = None
    until: Annotated[
        str | None, typer.Option("--until", metavar="INSTANT", help="Only changes merged before.")
    ] = None
    per_repository: Annotated[
        int, typer.Option("--per-repo", metavar="N", min=1, help="Tasks of one repository at most.")
    ] = 10
    most_changes: Annotated[
        int, typer.Option("--max-pulls", metavar="N", min=1, help="Changes read of one repository at most.")
    ] = 500
    most_runs: Annotated[
        int, typer.Option("--max-runs", metavar="N", min=1, help="Changes run of one repository at most.")
    ] = 60
    give_up: Annotated[
        int,
        typer.Option(
            "--give-up",
            metavar="N",
            min=1,
            help="Give the older changes up after N in a row that cannot be set up.",
        ),
    ] = 5
    whole_suite: Annotated[
        float,
        typer.Option(
            "--whole-suite",
            metavar="SECONDS",
            min=0.0,
            help="Of a suite that takes longer, run the test files of the change alone.",
        ),
    ] = 30.0
    least_stars: Annotated[
        int,
        typer.Option(
            "--stars",
            metavar="N",
            min=0,
            help="The fewest stars that a repository may have, where they are known.",
        ),
    ] = 0
    quality: Annotated[
        Literal["none", "read", "trials"],
        typer.Option(
            "--quality",
            help="Of the tasks, for the card: read texts, patches and tests for flags; with trials also run "
            "broken gold patches, to see whether the tests notice (up to 5 minutes a task).",
        ),
    ] = "read"


@app.command("build")
@takes(IssueBuildArguments)
def build_command(arguments: IssueBuildArguments) -> int:
    """Build issue tasks from a list of repositories.

    Every change of a repository goes through the funnel: its text, its test and code patches, its base set
    up as of the day on which it was begun, its tests before and after the code, three times each. What is
    left is a task, with its proof; what it leaves out or leaks is in the card. --resume continues a build
    that was stopped.

    Examples:

        backdate issues build repos.txt -o set --jobs 8 --quality trials

        backdate issues build repos.txt -o set --kind pull,changelog --per-repo 5 --repos clones

        backdate issues build repos.jsonl -o set --source github --kind issue --since 2023-01-01 --resume

    Exit status: 0 built, 3 misuse, 4 this machine lacks something.
    """
    from backdate.cli.progress import watch
    from backdate.cli.render_build import show_built
    from backdate.cli.render_quality import measured_lines
    from backdate.cli.terminal import printable
    from backdate.construction.build import build

    plan = _plan(arguments)
    output = arguments.output.absolute()
    require_drawable(arguments.build)
    with watch() as progress:
        built = build(
            arguments.sources,
            output,
            plan=plan,
            place=worker_config(arguments.build, keep_clones=True),
            executor=executor_of(arguments.build, output),
            resume=arguments.build.resume,
            retry=arguments.build.retry,
            progress=progress,
        )
        measured = _measured(arguments, output, progress)
    show_built(built, output, arguments.build.picture)
    for line in measured_lines(measured) if measured is not None else ():
        typer.echo(printable(line))
    return 0


def _measured(arguments: IssueBuildArguments, output: Path, progress: Reporter) -> MeasuredDataset | None:
    """The quality of the tasks that were built; None where nobody asks for it. What is known is kept."""
    if arguments.quality == "none":
        return None
    from backdate.tasks.dataset import Dataset
    from backdate.tasks.quality.measure_dataset import measure_dataset
    from backdate.tasks.quality.record import TrialSettings

    given = arguments.build
    machine = options.TaskMachine(
        sandbox=given.sandbox,
        cache=given.cache,
        index_url=given.index_url,
        timeout=given.timeout,
        memory=given.memory,
        apt=given.apt,
        build_network=given.build_network,
        services=given.services,
    )
    dataset = Dataset.open(output)
    with machine.task_runner(dataset, given.repos, progress) as task_runner:
        return measure_dataset(
            dataset,
            task_runner,
            trials=TrialSettings() if arguments.quality == "trials" else None,
            jobs=max(1, given.jobs),
            progress=progress,
        )


def _plan(arguments: IssueBuildArguments) -> BuildPlan:
    """What is built. Raises UsageError."""
    from backdate.changes.github.settings import github_access
    from backdate.construction.plan import BuildPlan, IssuePlan

    source, given = _source(arguments.source)
    if source == "github":
        github_access(arguments.github_url)  # a build without a token would fail at its first repository
    return BuildPlan(
        kind="issue",
        least_stars=arguments.least_stars,
        issue=IssuePlan(
            origins=_origins(arguments.kind),
            source=source,
            given=given,
            github_url=arguments.github_url,
            since=options.instant(arguments.since),
            until=options.instant(arguments.until),
            most_changes=arguments.most_changes,
            per_repository=arguments.per_repository,
            most_runs=arguments.most_runs,
            failed_setups=arguments.give_up,
            whole_suite_s=arguments.whole_suite,
        ),
        **plan_fields(arguments.build),
    )


def _origins(text: str) -> tuple[TextOrigin, ...]:
    from typing import get_args

    from backdate.changes.change import TextOrigin
    from backdate.errors import UsageError

    known: tuple[TextOrigin, ...] = get_args(TextOrigin)
    asked = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    chosen = tuple(origin for part in asked for origin in known if origin == part)
    if len(chosen) != len(asked):
        raise UsageError(f"--kind {text!r} is not a list of {', '.join(known)}")
    return chosen


def _source(text: str) -> tuple[ChangeSourceName, Path | None]:
    from backdate.errors import UsageError

    if text == "history":
        return "history", None
    if text == "github":
        return "github", None
    name, _, file = text.partition(":")
    if name == "given" and file:
        path = Path(file).expanduser().absolute()
        if not path.is_file():
            raise UsageError(f"--source {text!r}: there is no such file")
        return "given", path
    raise UsageError(f"--source {text!r} is none of history, github and given:FILE")
