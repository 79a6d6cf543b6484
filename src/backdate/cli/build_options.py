"""The options that all commands share that build data sets, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backdate.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable

    from backdate.checking.settings import Settings
    from backdate.construction.executors.interface import Executor
    from backdate.construction.plan import WorkerConfig

_GIB = 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """Where a build works, and how it sets up and runs what it builds."""

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
    store: options.BuildStore = None
    repeats: Annotated[
        int, typer.Option("--repeats", metavar="N", min=1, help="Runs of each suite on each side.")
    ] = 3
    attempts: Annotated[
        int,
        typer.Option(
            "--attempts", metavar="N", min=1, help="Recipes tried to set a candidate up, repairs included."
        ),
    ] = 8
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


def plan_fields(given: BuildOptions) -> dict[str, Any]:
    """The fields of a ``BuildPlan`` that every kind of task has."""
    from backdate.environments.build_limits import BUILD_LIMITS

    shared = _settings(given)
    return {
        "repeats": given.repeats,
        "setup_attempts": given.attempts,
        "test_limits": shared.test_limits,
        "build_limits": replace(BUILD_LIMITS, wall_s=given.build_timeout),
        "sandbox": given.sandbox,
        "apt": shared.apt,
        "build_network": shared.build_network,
        "services": shared.services,
        "index_url": shared.index_url,
    }


def worker_config(given: BuildOptions, *, keep_clones: bool = False) -> WorkerConfig:
    """Where things are kept. ``keep_clones``: every repository is read many times."""
    from backdate.construction.plan import WorkerConfig

    cache = _settings(given).cache
    budget = given.disk_budget
    return WorkerConfig(
        cache=cache,
        store=given.store or str(cache / "construction"),
        repos=given.repos.resolve() if given.repos else None,
        clones=cache / "clones" if keep_clones else None,
        disk_budget_bytes=None if budget is None else int(budget * _GIB),
    )


def executor_of(given: BuildOptions, output: Path) -> Callable[[], Executor]:
    """Makes what carries the jobs out of the build of ``output``."""
    from backdate.construction.build import build_folder
    from backdate.construction.executors.choose import choose_executor

    return lambda: choose_executor(
        jobs=given.jobs, cluster=given.cluster, spool=build_folder(output) / "spool"
    )


def require_drawable(given: BuildOptions) -> None:
    """Raise UsageError for a picture that could not be written in the end."""
    if given.picture is not None:
        from backdate.reports.drawing.formats import require_format

        options.require_writable(given.picture, folder=False)
        require_format(given.picture.suffix)


def _settings(given: BuildOptions) -> Settings:
    return options.settings(
        sandbox=given.sandbox,
        cache=given.cache,
        index_url=given.index_url,
        timeout=given.timeout,
        memory=given.memory,
        processes=given.processes,
        apt=given.apt,
        build_network=given.build_network,
        services=given.services,
    )
