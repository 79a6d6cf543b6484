"""``backdate bench build``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.cli import options
from backdate.cli.arguments import takes

if TYPE_CHECKING:
    from backdate.construction.plan import BuildPlan, WorkerConfig

_GIB = 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildArguments:
    """What ``bench build`` is given."""

    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE…",
            help="Rows of repositories (.jsonl, .parquet), a list of addresses and names (.txt), "
            "an address, or pypi:NAME.",
        ),
    ]
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DATASET", help="The data set, a new folder.")
    ]
    to: Annotated[str, typer.Option("--to", metavar="INSTANT", help="The new instant of every task.")]
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="INSTANT",
            help="The old instant of every task. Default: the day of each revision.",
        ),
    ] = None
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            min=0,
            help="Processes on this machine. 0: leave the work to 'backdate worker'.",
        ),
    ] = 1
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", metavar="ADDRESS|FILE", help="A Dask scheduler, or its scheduler file."),
    ] = None
    resume: Annotated[bool, typer.Option("--resume", help="Continue a build that was stopped.")] = False
    retry: Annotated[
        bool,
        typer.Option(
            "--retry",
            help="Try again the candidates that were lost to errors of this machine or of backdate.",
        ),
    ] = False
    repos: Annotated[
        Path | None,
        typer.Option("--repos", metavar="DIR", help="Local clones: OWNER+NAME/repo, OWNER__NAME or NAME."),
    ] = None
    store: Annotated[
        str | None,
        typer.Option(
            "--store", metavar="DIR|URL", help="What all workers share. Default: a folder in the cache."
        ),
    ] = None
    least_stars: Annotated[
        int,
        typer.Option(
            "--stars",
            metavar="N",
            min=0,
            help="The fewest stars that a repository may have, where they are known.",
        ),
    ] = 1
    repeats: Annotated[
        int, typer.Option("--repeats", metavar="N", min=1, help="Runs of each suite on each side.")
    ] = 3
    changed_repeats: Annotated[
        int,
        typer.Option(
            "--changed-repeats", metavar="N", min=1, help="Runs of the tests that fail anew, in all."
        ),
    ] = 10
    attempts: Annotated[
        int,
        typer.Option(
            "--attempts", metavar="N", min=1, help="Recipes tried to set a candidate up, repairs included."
        ),
    ] = 8
    evidence: Annotated[
        bool, typer.Option(help="Look for a later revision that passes in the new environment.")
    ] = True
    culprits: Annotated[
        bool, typer.Option("--culprits", help="Find the release that breaks each task by bisection.")
    ] = False
    disk_budget: Annotated[
        float | None,
        typer.Option("--disk-budget", metavar="GIB", min=0.0, help="Disk space that environments may take."),
    ] = None
    picture: options.FunnelPicture = None
    sandbox: options.SandboxName = "bwrap"
    timeout: options.TestTimeout = 600.0
    build_timeout: Annotated[
        float,
        typer.Option("--build-timeout", metavar="SECONDS", min=1.0, help="Wall time for each build step."),
    ] = 600.0
    apt: options.Apt = False
    memory: options.Memory = 4096
    processes: options.Processes = 512
    cache: options.CacheFolder = None
    index_url: options.IndexUrl = None
    build_network: options.BuildNetwork = False
    services: options.Services = True


@takes(BuildArguments)
def build_command(arguments: BuildArguments) -> int:
    """Build a benchmark: repositories whose tests pass at one instant and fail at another.

    Every candidate goes through the funnel: rules on its row and files, both environments, both runs, four
    filters, repeats. What is left is a task, with its proof. --resume continues a build that was stopped.

    Examples:

        backdate bench build repos.jsonl -o set --to 2025-07-31 --jobs 8

        backdate bench build names.txt -o set --from 2021-03-01 --to 2025-07-31 --resume

        backdate bench build rows.parquet -o set --to 2025-07-31 --cluster tcp://head:8786 --store s3://b/x

    Exit status: 0 built, 3 misuse, 4 this machine lacks something.
    """
    from backdate.cli.progress import watch
    from backdate.cli.render import print_lines
    from backdate.cli.render_build import funnel_lines
    from backdate.construction.build import build, build_folder
    from backdate.construction.executors.choose import choose_executor
    from backdate.reports.drawing.formats import draw, require_format
    from backdate.reports.funnel_scene import funnel_scene
    from backdate.serial import write_whole

    plan, place = _plan_and_place(arguments)
    output = arguments.output.absolute()
    if arguments.picture is not None:
        options.require_writable(arguments.picture, folder=False)
        require_format(arguments.picture.suffix)
    with watch() as progress:
        built = build(
            arguments.sources,
            output,
            plan=plan,
            place=place,
            executor=lambda: choose_executor(
                jobs=arguments.jobs, cluster=arguments.cluster, spool=build_folder(output) / "spool"
            ),
            resume=arguments.resume,
            retry=arguments.retry,
            progress=progress,
        )
    if arguments.picture is not None:
        write_whole(arguments.picture, draw(funnel_scene(built.funnel), arguments.picture.suffix))
    print_lines(funnel_lines(built.funnel))
    typer.echo(f"{built.funnel.tasks} tasks in {output}")
    return 0


def _plan_and_place(arguments: BuildArguments) -> tuple[BuildPlan, WorkerConfig]:
    """What is built, and where. Raises UsageError."""
    from dataclasses import replace

    from backdate.construction.plan import BuildPlan, WorkerConfig
    from backdate.environments.build_limits import BUILD_LIMITS
    from backdate.errors import UsageError

    target = options.instant(arguments.to)
    if target is None:
        raise UsageError("name the new instant: --to 2025-07-31")
    shared = options.settings(
        sandbox=arguments.sandbox,
        cache=arguments.cache,
        index_url=arguments.index_url,
        timeout=arguments.timeout,
        memory=arguments.memory,
        processes=arguments.processes,
        apt=arguments.apt,
        build_network=arguments.build_network,
        services=arguments.services,
    )
    plan = BuildPlan(
        target=target,
        origin=options.instant(arguments.from_),
        least_stars=arguments.least_stars,
        repeats=arguments.repeats,
        changed_repeats=max(arguments.repeats, arguments.changed_repeats),
        setup_attempts=arguments.attempts,
        evidence=arguments.evidence,
        culprits=arguments.culprits,
        test_limits=shared.test_limits,
        build_limits=replace(BUILD_LIMITS, wall_s=arguments.build_timeout),
        sandbox=arguments.sandbox,
        apt=shared.apt,
        build_network=shared.build_network,
        services=shared.services,
        index_url=shared.index_url,
    )
    budget = arguments.disk_budget
    place = WorkerConfig(
        cache=shared.cache,
        store=arguments.store or str(shared.cache / "construction"),
        repos=arguments.repos.resolve() if arguments.repos else None,
        disk_budget_bytes=None if budget is None else int(budget * _GIB),
    )
    return plan, place
