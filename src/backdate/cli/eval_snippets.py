"""``backdate eval`` and ``backdate score`` on a data set of snippets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backdate.checking.settings import Settings
    from backdate.evaluation.snippets.answers import SnippetRunSettings
    from backdate.snippets.dataset import SnippetDataset
    from backdate.snippets.snippet import Snippet


def eval_snippets(
    dataset: Path,
    settings: SnippetRunSettings,
    machine: Settings,
    folder: Path,
    *,
    only: Sequence[str] = (),
    jobs: int = 1,
    retry: bool = False,
    requests_per_minute: float | None = None,
) -> int:
    """Ask a solver everything about the snippets of a data set, then score what it answers."""
    from backdate.checking.resources import Resources
    from backdate.cli import exit_codes
    from backdate.cli.progress import watch
    from backdate.cli.terminal import printable
    from backdate.evaluation.run_folder import ANSWERS
    from backdate.evaluation.snippets.choose import (
        SnippetSolverOptions,
        open_snippet_session,
        open_snippet_solver,
    )
    from backdate.evaluation.snippets.running import SnippetPlan, ask_all
    from backdate.snippets.dataset import SnippetDataset
    from backdate.text import counted

    stored = SnippetDataset.open(dataset)
    snippets = chosen(stored, only)
    session = open_snippet_session(Resources(machine))
    options = SnippetSolverOptions(
        samples=settings.samples,
        answers=folder / ANSWERS,
        temperature=settings.temperature,
        seed=settings.seed,
        requests_per_minute=requests_per_minute,
    )
    with open_snippet_solver(settings.solver, session, options) as solver, watch() as progress:
        plan = SnippetPlan(
            dataset=stored.info.name,
            snippets=snippets,
            solver=solver,
            settings=settings,
            folder=folder,
            jobs=jobs,
            retry=retry,
        )
        so_far = ask_all(plan, progress)
    typer.echo(
        printable(
            f"{counted(so_far.answered, 'answer')}, {so_far.without} questions without one\n"
            f"Score them with: backdate score {dataset} {folder}",
            lines=True,
        )
    )
    return exit_codes.CANNOT_TELL if so_far.stopped else exit_codes.OK


def score_snippets_run(
    dataset: Path, run: Path, machine: Settings, *, judge: str = "", json_file: Path | None = None
) -> int:
    """Score a run over snippets, and say its figures."""
    from contextlib import nullcontext

    from backdate.checking.resources import Resources
    from backdate.cli import exit_codes
    from backdate.cli.progress import watch
    from backdate.cli.terminal import printable
    from backdate.evaluation.snippets.choose import open_snippet_session
    from backdate.evaluation.snippets.scoring import SnippetScorePlan, score_snippets
    from backdate.evaluation.snippets.summary import summarise_snippets
    from backdate.evaluation.snippets.summary_text import snippet_summary_text
    from backdate.models.model_name import parse_endpoint
    from backdate.models.open import open_model
    from backdate.serial import to_json, write_whole
    from backdate.snippets.dataset import SnippetDataset

    stored = SnippetDataset.open(dataset)
    resources = Resources(machine)
    session = open_snippet_session(resources)
    name = judge.removeprefix("model:")
    opened = open_model(parse_endpoint(name), answers=run / "judge.sqlite") if name else nullcontext(None)
    with opened as model, watch() as progress:
        plan = SnippetScorePlan(
            folder=run,
            dataset=stored.info.name,
            snippets=stored.snippets,
            runner=session.runner,
            judge=model,
            judge_name=name,
            secret=resources.cache.secret(),
        )
        scores = score_snippets(plan, progress)
    summary = summarise_snippets(scores)
    typer.echo(printable(snippet_summary_text(summary), lines=True))
    if json_file is not None:
        write_whole(json_file, to_json(summary, indent=1))
    return exit_codes.OK


def chosen(stored: SnippetDataset, only: Sequence[str]) -> tuple[Snippet, ...]:
    """The snippets that ``only`` names by id, library or collection; all without it. Raises UsageError."""
    from backdate.errors import UsageError

    if not only:
        return stored.snippets
    wanted = set(only)
    named = {name for each in stored.snippets for name in (each.id, each.library, each.collection.value)}
    unknown = sorted(wanted - named)
    if unknown:
        stored.snippet(unknown[0])  # says what is near
        raise UsageError(f"the data set has nothing called {unknown[0]!r}")
    return tuple(each for each in stored.snippets if wanted & {each.id, each.library, each.collection.value})
