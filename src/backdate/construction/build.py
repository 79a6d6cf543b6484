"""Driving a build: write entries into the ledger, run their jobs, store the results, write the data set.

Every result is in the ledger or in the store before the next step starts. A build that was stopped continues
where it was when it starts again; a finished one does nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.construction.change_build import drive_changes
from backdate.construction.change_ledger import ChangeLedger
from backdate.construction.driver import Driver
from backdate.construction.executors.interface import Executor
from backdate.construction.funnel import Funnel
from backdate.construction.kinds.choose import is_of_changes
from backdate.construction.ledger import Ledger
from backdate.construction.listed_build import drive_listed
from backdate.construction.plan import BuildPlan, WorkerConfig, read_plan
from backdate.construction.publish import REPOSITORIES, funnel_of, publish
from backdate.construction.repository_yields import repositories_funnel, yields_of
from backdate.construction.sources.open import require_sources, sources_digest
from backdate.errors import UsageError
from backdate.progress import NO_PROGRESS, Reporter
from backdate.serial import to_json
from backdate.timeline.instants import require_past


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSummary:
    """The result of a build."""

    funnel: Funnel
    repositories: Funnel | None
    """Of the repositories, where each of their changes is an entry."""
    dataset: Path
    ledger: Path
    did_nothing: bool
    """The build was finished already."""


def build_folder(output: Path) -> Path:
    """The folder of the ledger of the data set at ``output``."""
    return output.with_name(f"{output.name}.build")


def build(
    sources: Sequence[str],
    output: Path,
    *,
    plan: BuildPlan,
    place: WorkerConfig,
    executor: Callable[[], Executor],
    resume: bool = False,
    retry: bool = False,
    progress: Reporter = NO_PROGRESS,
) -> BuildSummary:
    """Build the data set ``output`` from ``sources``; the ledger is beside it, in ``OUTPUT.build``.

    ``executor`` is called when there are jobs to run. ``resume`` continues a build; ``retry`` tries again
    candidates that were excluded because of trouble on our side. Raises UsageError for impossible requests,
    MachineError (or DiskFull) when the machine fails: nothing is lost.
    """
    if plan.target is not None:
        require_past(plan.target)
    require_sources(sources)
    folder = build_folder(output)
    begun = (folder / "ledger.sqlite").exists()
    if begun and not (resume or retry):
        raise UsageError(
            f"{folder} holds a build that was begun; go on with --resume, or name another data set"
        )
    if not begun and output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(f"{output} is there already; name a new folder")
    with _open_ledgers(folder, plan) as (ledger, repositories):
        _require_same(ledger, sources, plan)
        opened = [each for each in (ledger, repositories) if each is not None]
        again = 0
        if retry and any(count.stage == "trouble" for each in opened for count in each.reasons()):
            if output.exists():
                raise UsageError(f"{output} is there already; move it away to have it written again")
            again = sum(each.retry(["trouble"]) for each in opened)
        if ledger.fact("finished") and output.exists() and not again:
            return _summary(ledger, repositories, plan, output, did_nothing=True)
        if repositories is not None:
            place = replace(place, crawl=_crawl(repositories))
        driver = Driver(plan=plan, place=place, make_executor=executor, tasks=ledger, progress=progress)
        _drive(driver, sources, ledger, repositories)
        publish(ledger, output, plan, place, repositories)
        ledger.note("finished", "yes")
        return _summary(ledger, repositories, plan, output, did_nothing=False)


def _crawl(ledger: Ledger) -> str:
    """A name that no other build has, kept for as long as its ledger."""
    name = ledger.fact("crawl")
    if name is None:
        name = secrets.token_hex(8)
        ledger.note("crawl", name)
    return name


def _summary(
    ledger: Ledger, repositories: Ledger | None, plan: BuildPlan, output: Path, *, did_nothing: bool
) -> BuildSummary:
    return BuildSummary(
        funnel=funnel_of(ledger),
        repositories=None
        if repositories is None
        else repositories_funnel(repositories, yields_of(ledger, repositories, plan), plan),
        dataset=output,
        ledger=ledger.folder,
        did_nothing=did_nothing,
    )


@contextmanager
def _open_ledgers(folder: Path, plan: BuildPlan) -> Iterator[tuple[Ledger, Ledger | None]]:
    """The ledger of what becomes tasks, and that of the repositories where these have one of their own."""
    if not is_of_changes(plan.kind):
        with Ledger(folder) as ledger:
            yield ledger, None
        return
    with ChangeLedger(folder) as changes, Ledger(folder / REPOSITORIES) as repositories:
        yield changes, repositories


def _drive(driver: Driver, sources: Sequence[str], ledger: Ledger, repositories: Ledger | None) -> None:
    try:
        if repositories is not None and isinstance(ledger, ChangeLedger):
            drive_changes(driver, sources, repositories, ledger)
        else:
            drive_listed(driver, sources, ledger)
    except BaseException:
        driver.close(at_once=True)
        for each in (ledger, repositories):
            if each is not None:
                each.release(blame=False)
        raise
    driver.close(at_once=False)
    driver.report("writing", 0, always=True)


def _require_same(ledger: Ledger, sources: Sequence[str], plan: BuildPlan) -> None:
    """A ledger belongs to one set of candidates and one plan. Raises UsageError for another."""
    for name, value, what in (
        ("sources", sources_digest(sources), "other sources"),
        ("plan", to_json(plan).decode(), "other parameters"),
    ):
        known = ledger.fact(name)
        if known is None:
            ledger.note(name, value)
            continue
        same = read_plan(known) == plan if name == "plan" else known == value
        if not same:
            raise UsageError(
                f"{ledger.folder} was begun with {what} ({known[:300]}); resume with the same, "
                "or name another data set: what was found out is kept and costs nothing there"
            )
