"""Options that several commands share, and reading their values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.checking.question import AskedQuestions, Question

if TYPE_CHECKING:
    from backdate.checking.settings import Settings
    from backdate.configuration.configuration import Configuration
    from backdate.progress import Reporter
    from backdate.tasks.dataset import Dataset
    from backdate.tasks.local_runner import LocalRunner
    from backdate.tasks.trees import Sources
    from backdate.timeline.instants import Instant

Source = Annotated[
    str,
    typer.Argument(
        metavar="PATH|GIT-URL[@REV]|pypi:NAME[==VERSION]", help="A folder, a git repository, or an sdist."
    ),
]
FromInstant = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="INSTANT", help="When it worked. Default: the last commit, tag or release."
    ),
]
ToInstant = Annotated[
    str | None, typer.Option("--to", metavar="INSTANT", help="The instant to compare with. Default: now.")
]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write the whole result there.")
]
Python = Annotated[
    str | None,
    typer.Option(
        "--python", metavar="X.Y", help="Use this interpreter instead of what the project's rule says."
    ),
]
As = Annotated[
    AskedQuestions | None,
    typer.Option(
        "--as",
        help="What decides: declared, the project as its users install it today; lifted, without its own "
        "pins and upper bounds; or the worse of both. Default: declared.",
    ),
]
AsOne = Annotated[
    Question | None,
    typer.Option(
        "--as",
        help="The new side: declared, the project as its users install it today; lifted, without its own "
        "pins and upper bounds. Default: declared; of fix lifted.",
    ),
]
MovePython = Annotated[
    bool,
    typer.Option(
        "--move-python",
        help="Let the new side have the interpreter that its instant asks for. Default: the old side's, "
        "while it is supported.",
    ),
]
ApplyCap = Annotated[
    bool,
    typer.Option(
        "--apply-cap",
        help="Write the limits that keep the tests passing into the project's file, where a check of a copy "
        "proves them, and leave backdate-undo.patch, which takes them back.",
    ),
]
SandboxName = Annotated[
    str,
    typer.Option(
        "--sandbox",
        metavar="bwrap|docker[:IMAGE]|unsafe-local",
        help="How the project's code is isolated. unsafe-local does not isolate it at all.",
    ),
]
CacheFolder = Annotated[
    Path | None,
    typer.Option("--cache", metavar="DIR", help="Where environments are kept. [env: BACKDATE_CACHE]"),
]
BuildStore = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="DIR|URL", help="What all workers share. Default: a folder in the cache."
    ),
]
IndexUrl = Annotated[
    str | None,
    typer.Option(
        "--index-url",
        metavar="URL",
        envvar="BACKDATE_INDEX_URL",
        help="The package index (it must give upload times).",
    ),
]
TestTimeout = Annotated[
    float, typer.Option("--timeout", metavar="SECONDS", min=1.0, help="Wall time for each side's tests.")
]
Memory = Annotated[
    int,
    typer.Option("--memory", metavar="MIB", min=64, max=2**24, help="Memory for each side's tests, in MiB."),
]
Processes = Annotated[
    int,
    typer.Option(
        "--processes",
        metavar="N",
        min=8,
        max=2**22,  # Linux has no more numbers for them
        help="Processes and threads for each side's tests.",
    ),
]
Apt = Annotated[
    bool,
    typer.Option(
        "--apt", help="Apply the Debian packages that the recipe asks for, in a base system of their own."
    ),
]
BuildNetwork = Annotated[
    bool,
    typer.Option(
        "--build-network", help="Let builds reach the whole network, not only the package index. Recorded."
    ),
]
Services = Annotated[
    bool,
    typer.Option(
        "--services/--no-services",
        help="Start the databases, caches and brokers that tests expect, where they are installed.",
    ),
]
NoPythonDownloads = Annotated[
    bool,
    typer.Option("--no-python-downloads", help="Use only interpreters that are here; download none with uv."),
]
NoStore = Annotated[
    bool, typer.Option("--no-store", help="Neither look up proven recipes nor keep those that are proven.")
]
Repeats = Annotated[
    int,
    typer.Option(
        "--repeats",
        metavar="N",
        min=0,
        max=100,
        help="Run what broke N times again in both environments, to tell flaky tests apart.",
    ),
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Every test, every package, the patch.")]
Jobs = Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Tasks at a time.")]
DiskBudget = Annotated[
    float,
    typer.Option(
        "--disk-budget",
        metavar="GB",
        min=0.1,
        help="For the trees and environments of answers that are kept at a time, of all jobs together.",
    ),
]
DatasetFolder = Annotated[Path, typer.Argument(metavar="DATASET", help="The data set's folder.")]
DatasetOrFile = Annotated[
    Path, typer.Argument(metavar="DATASET", help="A data set's folder, or TimeMachine-bench's JSONL file.")
]
Tasks = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="TASK", help="Only this task (id, or owner/name); may be repeated."),
]
Repositories = Annotated[
    Path | None,
    typer.Option(
        "--repos",
        metavar="DIR",
        help="A folder of local clones (OWNER/NAME, OWNER__NAME, OWNER+NAME, NAME). "
        "Without it git clones, and its own insteadOf is followed.",
    ),
]
RepositoriesOfRun = Annotated[
    Path | None,
    typer.Option("--repos", metavar="DIR", help="A folder of local clones to take trees from."),
]
AllowTestEdits = Annotated[
    bool, typer.Option("--allow-test-edits", help="For tasks without a gold patch, as in the paper.")
]
FunnelPicture = Annotated[
    Path | None, typer.Option("--picture", metavar="FILE", help="Draw the funnel there: *.svg, or *.png.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What runs a project's code, what its tests may use, and where things are kept."""

    sandbox: SandboxName = "bwrap"
    timeout: TestTimeout = 600.0
    memory: Memory = 4096
    processes: Processes = 512
    cache: CacheFolder = None
    index_url: IndexUrl = None
    build_network: BuildNetwork = False
    services: Services = True
    no_python_downloads: NoPythonDownloads = False

    def settings(
        self,
        *,
        keep: Path | None = None,
        store: bool = True,
        apt: bool = False,
        repeats: int = 1,
        configuration: Configuration | None = None,
    ) -> Settings:
        """The settings that these options mean. ``configuration``: what the user says about the recipe."""
        return settings(
            sandbox=self.sandbox,
            cache=self.cache,
            index_url=self.index_url,
            build_network=self.build_network,
            services=self.services,
            timeout=self.timeout,
            memory=self.memory,
            processes=self.processes,
            keep=keep,
            store=store,
            apt=apt,
            repeats=repeats,
            configuration=configuration,
            python_downloads=not self.no_python_downloads,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskMachine:
    """The same for tasks of a data set; the time limit is the paper's for one run of a suite."""

    sandbox: SandboxName = "bwrap"
    cache: CacheFolder = None
    index_url: IndexUrl = None
    timeout: TestTimeout = 600.0
    memory: Memory = 4096
    apt: Apt = False
    build_network: BuildNetwork = False
    services: Services = True

    def task_runner(
        self, dataset: Dataset, repositories: Path | None, progress: Reporter | None = None
    ) -> LocalRunner:
        """The task runner that runs the tasks of ``dataset``. Raises UsageError."""
        from backdate.progress import NO_PROGRESS
        from backdate.tasks.local_runner import LocalRunner
        from backdate.tasks.trees import sources_of

        machine = settings(
            sandbox=self.sandbox,
            cache=self.cache,
            index_url=self.index_url,
            build_network=self.build_network,
            services=self.services,
            timeout=self.timeout,
            memory=self.memory,
            apt=self.apt,
        )
        sources = sources_of(machine, repositories, dataset.source_of)
        progress = progress or NO_PROGRESS
        return LocalRunner(machine, sources, witness=True, progress=progress)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trees:
    """Where the trees of tasks come from."""

    repos: Repositories = None
    cache: CacheFolder = None
    index_url: IndexUrl = None

    def sources(self, dataset: Dataset | None = None) -> Sources:
        """The sources that these options mean, a data set's own first. Raises UsageError."""
        from backdate.tasks.trees import sources_of

        machine = settings(sandbox="bwrap", cache=self.cache, index_url=self.index_url)
        return sources_of(machine, self.repos, dataset.source_of if dataset is not None else None)


def instant(text: str | None) -> Instant | None:
    """The instant of an option's value; None for none."""
    from backdate.timeline.instants import parse_instant

    return None if text is None else parse_instant(text, words=True)


def require_writable(path: Path, *, folder: bool) -> None:
    """Raise UsageError when ``path`` cannot be written as a file (or as a folder of files).

    Asked before the work, which may take an hour, not after it.
    """
    import os
    import tempfile

    from backdate.errors import UsageError

    path = path.absolute()
    if path.exists() and path.is_dir() != folder:
        raise UsageError(f"{path} is {'not ' if folder else ''}a folder; name another")
    existing = path if path.is_dir() else path.parent
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir():
        raise UsageError(f"{path} cannot be written: {existing} is not a folder")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise UsageError(f"{path} cannot be written: {existing} is not ours to write to")
    try:
        with tempfile.TemporaryFile(dir=existing):  # of no name; some file systems take nobody's files
            pass
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {existing}: {error.strerror}") from error


def settings(
    *,
    sandbox: str,
    cache: Path | None,
    index_url: str | None,
    timeout: float = 600.0,
    memory: int = 4096,
    processes: int = 512,
    keep: Path | None = None,
    store: bool = True,
    apt: bool = False,
    build_network: bool = False,
    services: bool = True,
    repeats: int = 1,
    configuration: Configuration | None = None,
    python_downloads: bool = True,
) -> Settings:
    """The settings that the shared options mean."""
    from backdate.checking.settings import Settings
    from backdate.configuration.configuration import NO_CONFIGURATION
    from backdate.environments.cache import default_cache
    from backdate.environments.uv import DEFAULT_INDEX
    from backdate.sandboxes.interface import MIB, Limits

    return Settings(
        cache=cache.resolve() if cache else default_cache(),
        sandbox=sandbox,
        index_url=index_url or DEFAULT_INDEX,
        test_limits=Limits(wall_s=timeout, memory_bytes=memory * MIB, processes=processes),
        keep=keep.resolve() if keep else None,
        store=store,
        apt=apt,
        build_network=build_network,
        services=services,
        repeats=repeats,
        configuration=configuration or NO_CONFIGURATION,
        python_downloads=python_downloads,
    )
