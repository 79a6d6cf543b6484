"""``backdate score``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.cli import options

if TYPE_CHECKING:
    from backdate.evaluation.scores import Score, ScoredRun


def score_command(
    dataset: Annotated[
        Path,
        typer.Argument(metavar="DATASET", help="A data set's folder, or TimeMachine-bench's JSONL file."),
    ],
    run: Annotated[
        Path | None, typer.Argument(metavar="[RUN]", help="The folder of a run of `backdate eval`.")
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option("--predictions", metavar="FILE", help="Answers in SWE-bench's format (JSONL or JSON)."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="RUN", help="Where scores go. Default: RUN, or runs/DATASET/FILE-MODEL."
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="Whose answers, where FILE has several.")
    ] = None,
    flags: Annotated[
        str,
        typer.Option(
            "--flags",
            metavar="all|static|none",
            help="Reasons to doubt a solved task. static: what the patch itself shows. "
            "all: also what tests run and return, which takes three more test runs a solved task.",
        ),
    ] = "all",
    strict: Annotated[
        bool, typer.Option("--strict", help="In what is printed, a solved task with a flag is not solved.")
    ] = False,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures here, as JSON.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Tasks at a time.")] = 1,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="TASK", help="Only this task (id, or owner/name); may be repeated."),
    ] = None,
    allow_test_edits: Annotated[
        bool, typer.Option("--allow-test-edits", help="For tasks without a gold patch, as in the paper.")
    ] = False,
    repos: Annotated[
        Path | None,
        typer.Option("--repos", metavar="DIR", help="A folder of local clones to take trees from."),
    ] = None,
    sandbox: options.SandboxName = "bwrap",
    timeout: options.TestTimeout = 600.0,
    memory: options.Memory = 4096,
    processes: options.Processes = 512,
    cache: options.CacheFolder = None,
    index_url: options.IndexUrl = None,
    apt: options.Apt = False,
) -> int:
    """Score answers: apply each to a fresh tree and run the tests again, whatever the answers' author says.

    What is scored already, with the same answer, is not scored again.

    Examples:

      backdate score bench runs/bench/gold

      backdate score bench --predictions all_preds.jsonl --jobs 4 -o runs/bench/mine

    Exit status: 0 every answer was scored, 2 some tasks could not be run, 3 misuse, 4 this machine lacks
    something.
    """
    from backdate.cli import exit_codes
    from backdate.errors import UsageError
    from backdate.evaluation.opening import open_bench
    from backdate.evaluation.score_run import Answers, read_answers, score_run
    from backdate.evaluation.summary import summarise
    from backdate.serial import to_json, write_whole

    if (run is None) == (predictions is None):
        raise UsageError("name what is to be scored: a RUN of backdate eval, or --predictions FILE")
    if flags not in ("all", "static", "none"):
        raise UsageError(f"--flags is one of all, static, none, not {flags!r}")
    answers: Answers = read_answers(run, predictions, model)
    folder = output or run or default_folder(dataset, predictions, answers.model)
    options.require_writable(folder, folder=True)
    if json is not None:
        options.require_writable(json, folder=False)
    machine = options.settings(
        sandbox=sandbox,
        cache=cache,
        index_url=index_url,
        timeout=timeout,
        memory=memory,
        processes=processes,
        apt=apt,
    )
    bench = open_bench(dataset, machine, repositories=repos)
    scored = score_run(
        bench,
        answers,
        folder,
        only=only or (),
        flags=flags,
        jobs=jobs,
        allow_test_edits=allow_test_edits,
        progress=_Lines(),
    )
    typer.echo(_words(scored, strict=strict))
    if json is not None:
        write_whole(json, to_json(summarise([scored], strict=strict), indent=1))
    failed = any(score.outcome.is_error for score in scored.scores)
    return exit_codes.CANNOT_TELL if failed else exit_codes.OK


def default_folder(dataset: Path, predictions: Path | None, model: str) -> Path:
    """Where the scores of predictions go when nobody says."""
    from backdate.cli.evaluate import default_folder as folder_of

    stem = predictions.stem if predictions else "predictions"
    return folder_of(dataset, f"{stem}-{model}")


class _Lines:
    """One line a scored task, on standard error."""

    def __init__(self) -> None:
        import threading

        self._lock = threading.Lock()
        self._count = 0

    def finished(self, score: Score, *, now: bool) -> None:
        """Say what became of it."""
        from backdate.cli.terminal import printable, tell

        with self._lock:
            self._count += 1
            again = "" if now else " (before)"
            reason = f": {score.reason}" if score.reason else ""
            precise = "" if score.precision is None else f", precision {score.precision:.2f}"
            flags = "".join(f"\n    flag {one.kind}: {one.detail}" for one in score.flags)
            line = f"[{self._count}] {score.instance_id}: {score.outcome}{reason}{precise}"
            tell(printable(f"{line}, {score.duration_s:.0f} s{again}{flags}", lines=True))


def _words(scored: ScoredRun, *, strict: bool) -> str:
    from backdate.cli.terminal import printable
    from backdate.evaluation.summary import summary_text

    return printable(summary_text(scored, strict=strict), lines=True)
