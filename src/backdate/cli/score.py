"""``backdate score``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.cli import options
from backdate.cli.arguments import takes

if TYPE_CHECKING:
    from backdate.evaluation.scores import ScoredRun
    from backdate.tasks.judge_runs.deciding import JudgeSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreArguments:
    """What ``score`` is given."""

    dataset: options.DatasetOrFile
    run: Annotated[
        Path | None, typer.Argument(metavar="[RUN]", help="The folder of a run of `backdate eval`.")
    ] = None
    predictions: Annotated[
        Path | None,
        typer.Option("--predictions", metavar="FILE", help="Answers in SWE-bench's format (JSONL or JSON)."),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="RUN",
            help="The folder for the scores. Default: RUN, or runs/DATASET/FILE-MODEL.",
        ),
    ] = None
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="NAME", help="The model whose answers are scored, where FILE has several."
        ),
    ] = None
    flags: Annotated[
        str,
        typer.Option(
            "--flags",
            metavar="all|static|none",
            help="Reasons to doubt a solved task. static: what the patch itself shows. "
            "all: also what tests run and return, which takes three more test runs a solved task.",
        ),
    ] = "all"
    no_judge_run: Annotated[
        bool,
        typer.Option(
            "--no-judge-run",
            help="Do not run solved tasks again with some of their tests changed in secret so that they "
            "must fail. Without that run nothing shows that the answer's tests really ran.",
        ),
    ] = False
    judge_tests: Annotated[
        int, typer.Option("--judge-tests", metavar="K", min=1, help="Tests to change in that run.")
    ] = 10
    judge_seed: Annotated[
        int | None,
        typer.Option(
            "--judge-seed",
            metavar="N",
            min=0,
            help="Choose these tests by N, as a score records it. Default: a new secret one for each answer.",
        ),
    ] = None
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Count a task as solved in what is printed only if nothing is doubtful: no flag, everything "
            "examined, a test run that was witnessed.",
        ),
    ] = False
    unverified: Annotated[
        bool,
        typer.Option(
            "--unverified",
            help="Score also tasks that `backdate bench verify` has not verified. Every figure says so.",
        ),
    ] = False
    judge_model: Annotated[
        str,
        typer.Option(
            "--judge-model",
            metavar="NAME[@BASE_URL]",
            help="Of snippets: a model that judges answers in words beside the rules, at temperature 0.",
        ),
    ] = ""
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures here, as JSON.")
    ] = None
    jobs: options.Jobs = 1
    disk_budget: options.DiskBudget = 50.0
    only: options.Tasks = None
    allow_test_edits: options.AllowTestEdits = False
    repos: options.RepositoriesOfRun = None
    apt: options.Apt = False
    machine: options.Machine


@takes(ScoreArguments)
def score_command(arguments: ScoreArguments) -> int:
    """Score answers: apply each to a fresh tree and run the tests again, whatever the answer claims.

    An answer that is scored already is not scored again. Of snippets, answers in words are compared with what
    the data set says, and code is run in the target's version, as doing nothing is.

    Examples:

      backdate score bench runs/bench/gold

      backdate score bench --predictions all_preds.jsonl --jobs 4 -o runs/bench/mine

    Exit status: 0 every answer was scored, 2 some tasks could not be run, 3 misuse, 4 this machine lacks
    something.
    """
    from backdate.cli import exit_codes
    from backdate.cli.progress import watch
    from backdate.evaluation.load import open_bench
    from backdate.evaluation.score_run import Answers, read_answers, score_run
    from backdate.evaluation.summary import summarise
    from backdate.serial import to_json, write_whole
    from backdate.snippets.dataset import holds_snippets

    if holds_snippets(arguments.dataset):
        return _score_snippets(arguments)
    _require_of_tasks(arguments)
    answers: Answers = read_answers(arguments.run, arguments.predictions, arguments.model)
    folder = (
        arguments.output
        or arguments.run
        or default_folder(arguments.dataset, arguments.predictions, answers.model)
    )
    options.require_writable(folder, folder=True)
    if arguments.json is not None:
        options.require_writable(arguments.json, folder=False)
    bench = open_bench(
        arguments.dataset,
        arguments.machine.settings(apt=arguments.apt),
        repositories=arguments.repos,
        witness=True,
    )
    with watch() as progress:
        scored = score_run(
            bench,
            answers,
            folder,
            only=arguments.only or (),
            flags=arguments.flags,
            jobs=arguments.jobs,
            allow_test_edits=arguments.allow_test_edits,
            judge=_judge_settings(arguments),
            unverified=arguments.unverified,
            disk_budget_bytes=int(arguments.disk_budget * 1024**3),
            progress=progress,
        )
    typer.echo(_words(scored, strict=arguments.strict))
    if arguments.json is not None:
        write_whole(arguments.json, to_json(summarise([scored], strict=arguments.strict), indent=1))
    failed = any(score.outcome.is_error for score in scored.scores)
    return exit_codes.CANNOT_TELL if failed else exit_codes.OK


def _require_of_tasks(arguments: ScoreArguments) -> None:
    """Raise UsageError for arguments that mean nothing on a data set of tasks."""
    from backdate.errors import UsageError

    if arguments.judge_model:
        raise UsageError(f"--judge-model is for snippets, and {arguments.dataset} holds tasks")
    if (arguments.run is None) == (arguments.predictions is None):
        raise UsageError("name one thing to be scored: a RUN of backdate eval, or --predictions FILE")
    if arguments.flags not in ("all", "static", "none"):
        raise UsageError(f"--flags is one of all, static, none, not {arguments.flags!r}")


def _score_snippets(arguments: ScoreArguments) -> int:
    """The command on a data set of snippets. Raises UsageError."""
    from backdate.cli.eval_snippets import score_snippets_run
    from backdate.errors import UsageError

    if arguments.run is None:
        raise UsageError(
            "name the RUN of backdate eval; a file of answers is asked for with --solver replay:FILE"
        )
    if arguments.json is not None:
        options.require_writable(arguments.json, folder=False)
    return score_snippets_run(
        arguments.dataset,
        arguments.run,
        arguments.machine.settings(apt=arguments.apt),
        judge=arguments.judge_model,
        json_file=arguments.json,
    )


def _judge_settings(arguments: ScoreArguments) -> JudgeSettings | None:
    """How solved tasks are judged by a second run; None for not at all."""
    from backdate.tasks.judge_runs.deciding import JudgeSettings

    if arguments.no_judge_run:
        return None
    return JudgeSettings(tests=arguments.judge_tests, seed=arguments.judge_seed)


def default_folder(dataset: Path, predictions: Path | None, model: str) -> Path:
    """Where the scores of predictions go when nobody says."""
    from backdate.cli.evaluate import default_folder as folder_of

    stem = predictions.stem if predictions else "predictions"
    return folder_of(dataset, f"{stem}-{model}")


def _words(scored: ScoredRun, *, strict: bool) -> str:
    from backdate.cli.terminal import printable
    from backdate.evaluation.summary_text import summary_text

    return printable(summary_text(scored, strict=strict), lines=True)
