"""``backdate bench``: data sets of migration tasks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from backdate.cli import (
    bench_annotate,
    bench_build,
    bench_funnel,
    bench_merge,
    bench_quality,
    bench_report,
    bench_snippets,
    options,
)
from backdate.cli.arguments import takes
from backdate.tasks.foreign.row_forms import RowForm

if TYPE_CHECKING:
    from backdate.progress import Reporter
    from backdate.tasks.dataset import Dataset
    from backdate.tasks.quality.measure_dataset import MeasuredDataset
    from backdate.tasks.runner import TaskRunner
    from backdate.tasks.verification_report import VerificationReport

app = typer.Typer(
    name="bench",
    help="Data sets of migration tasks: build, import, verify, show, annotate, export.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportArguments:
    """What ``bench import`` is given."""

    file: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="Rows of a published data set.")]
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DATASET", help="The new data set's folder.")
    ]
    form: Annotated[
        RowForm | None,
        typer.Option("--from-form", help="Whose rows they are, if their columns shall not decide."),
    ] = None
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out rows that are no task, each named with its reason.")
    ] = False
    with_sources: Annotated[
        bool,
        typer.Option("--with-sources", help="Put each task's tree beside it; then no repository is needed."),
    ] = False
    name: Annotated[
        str | None, typer.Option("--name", metavar="TEXT", help="The data set's name, if not the file's.")
    ] = None
    trees: options.Trees


@app.command("import")
@takes(ImportArguments)
def import_command(arguments: ImportArguments) -> int:
    """Make a data set of published rows, as they are: patches, texts, scripts of their own.

    Read are rows of TimeMachine-bench v1, SWE-bench, SWE-bench-Live, SWE-rebench and SWE-rebench V2. Those of
    the last four wait to be set up: 'bench verify' finds a recipe as of the base commit, and proves them.
    Example: backdate bench import verified.jsonl -o tasks --with-sources --repos clones
    """
    from backdate.cli import exit_codes
    from backdate.cli.progress import watch
    from backdate.tasks.foreign.importing import import_rows

    with watch() as progress:
        dataset = import_rows(
            arguments.file,
            arguments.output,
            form=arguments.form,
            skip_bad=arguments.skip_bad,
            name=arguments.name,
            sources=arguments.trees.sources() if arguments.with_sources or arguments.trees.repos else None,
            with_trees=arguments.with_sources,
            progress=progress,
        )
    typer.echo(f"{arguments.output}: {len(dataset.tasks)} tasks")
    return exit_codes.OK


_REPEATS = 3
"""Of each side of a task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyArguments:
    """What ``bench verify`` is given."""

    folder: options.DatasetFolder
    only: options.Tasks = None
    repos: options.Repositories = None
    repeats: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Runs of each side, each in a sandbox of its own (default: 3; of snippets 2 of the origin).",
        ),
    ] = None
    jobs: Annotated[int, typer.Option("-j", "--jobs", metavar="N", min=1, help="Tasks at a time.")] = 1
    retry: Annotated[bool, typer.Option("--retry", help="Verify again the tasks that were not verified.")] = (
        False
    )
    require_gold: Annotated[
        bool,
        typer.Option(
            "--require-gold", help="Exit with 1 also for a task that is verified without a gold patch."
        ),
    ] = False
    quality: Annotated[
        Literal["none", "read", "trials"],
        typer.Option(
            "--quality",
            help="Of verified issue tasks: read texts, patches and tests for flags; with trials also run "
            "broken gold patches, to see whether the tests notice.",
        ),
    ] = "none"
    proof_only: Annotated[
        bool,
        typer.Option("--proof-only", help="Do not look for the changes of tests that judge runs need."),
    ] = False
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the whole result there.")
    ] = None
    table: Annotated[
        Path | None, typer.Option("--table", metavar="FILE", help="Write a table in Markdown.")
    ] = None
    machine: options.TaskMachine


@app.command("verify")
@takes(VerifyArguments)
def verify_command(arguments: VerifyArguments) -> int:
    """Rebuild, run and prove every task: the old side passes, the new one fails, the gold patch passes.

    A built task without a gold patch is verified when every test that counts has on both sides the outcome
    that is recorded, and is reported as "gold unproven". Results are stored in the data set as they come: run
    the command again to continue. The exit status is 0 when every task was verified, 1 when one was not.
    Snippets are run in both of their versions, and their claims decided; there is no status 1 for these.
    Example: backdate bench verify tasks --jobs 2
    """
    from backdate.cli import exit_codes
    from backdate.cli.progress import watch
    from backdate.cli.render_quality import measured_lines
    from backdate.cli.terminal import printable
    from backdate.snippets.dataset import holds_snippets
    from backdate.tasks.dataset import Dataset
    from backdate.tasks.foreign.reproof import published_agreements
    from backdate.tasks.runner import ProofRunner
    from backdate.tasks.verification_report import report_of, summary_lines
    from backdate.tasks.verify_dataset import verify_dataset

    for path in (arguments.json_file, arguments.table):
        if path is not None:
            options.require_writable(path, folder=False)
    if holds_snippets(arguments.folder):
        return bench_snippets.verify(arguments)
    repeats = arguments.repeats or _REPEATS
    dataset = Dataset.open(arguments.folder)
    with (
        watch() as progress,
        arguments.machine.task_runner(dataset, arguments.repos, progress) as task_runner,
    ):
        dataset, records = verify_dataset(
            dataset,
            ProofRunner(task_runner) if arguments.proof_only else task_runner,
            only=arguments.only or (),
            repeats=repeats,
            jobs=arguments.jobs,
            retry=arguments.retry,
            apt=arguments.machine.apt,
            progress=progress,
        )
        measured = _measured(dataset, task_runner, arguments, progress)
    report = report_of(
        dataset.info.name,
        repeats,
        [record.verification for record in records],
        {record.verification.instance_id: record.asserts_nothing for record in records},
        published=published_agreements(dataset.task(record.verification.instance_id) for record in records),
    )
    for line in (*summary_lines(report), *(measured_lines(measured) if measured else ())):
        typer.echo(printable(line))
    _write_report(report, arguments)
    good = report.verified - (report.gold_unproven if arguments.require_gold else 0)
    return exit_codes.OK if good == report.tasks else exit_codes.BROKE


def _measured(
    dataset: Dataset, task_runner: TaskRunner, arguments: VerifyArguments, progress: Reporter
) -> MeasuredDataset | None:
    """What ``--quality`` asks for; None for nothing."""
    from backdate.tasks.quality.measure_dataset import measure_dataset
    from backdate.tasks.quality.record import TrialSettings

    if arguments.quality == "none":
        return None
    return measure_dataset(
        dataset,
        task_runner,
        trials=TrialSettings() if arguments.quality == "trials" else None,
        only=arguments.only or (),
        jobs=arguments.jobs,
        progress=progress,
    )


def _write_report(report: VerificationReport, arguments: VerifyArguments) -> None:
    """To the files that were asked for."""
    from backdate.serial import to_json, write_whole
    from backdate.tasks.verification_report import markdown_table

    if arguments.json_file is not None:
        write_whole(arguments.json_file, to_json(report, indent=2))
    if arguments.table is not None:
        write_whole(arguments.table, markdown_table(report).encode())


@app.command("show")
def show_command(
    folder: options.DatasetFolder,
    task: Annotated[
        str | None, typer.Argument(metavar="[TASK]", help="Show this task in full instead of the whole set.")
    ] = None,
    output_format: Annotated[
        Literal["text", "json"], typer.Option("--format", help="For people, or for programs.")
    ] = "text",
) -> int:
    """Show a data set's statistics (and its funnel, where it was built), or one task in full.

    Example: backdate bench show tasks; backdate bench show tasks OWNER__NAME-0123456789ab
    """
    from backdate.cli import exit_codes
    from backdate.cli.render_tasks import dataset_lines, task_lines
    from backdate.serial import to_json
    from backdate.snippets.dataset import holds_snippets
    from backdate.tasks.dataset import Dataset
    from backdate.tasks.statistics import summarise

    if holds_snippets(folder):
        return bench_snippets.show(folder, task, as_json=output_format == "json")
    dataset = Dataset.open(folder)
    if output_format == "json":
        value: object = dataset.task(task) if task else summarise(dataset.tasks)
        typer.echo(to_json(value, indent=2).decode())
        return exit_codes.OK
    lines = dataset_lines(dataset) if task is None else task_lines(dataset, dataset.task(task))
    for line in lines:
        typer.echo(line)
    return exit_codes.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportArguments:
    """What ``bench export`` is given."""

    folder: options.DatasetFolder
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="PATH", help="A new file (JSONL) or folder.")
    ]
    output_format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORM",
            help="timemachine, swebench, swebench-tasks, swebench-live, swe-rebench-v2, harbor, parquet, "
            "docker, or an extension's.",
        ),
    ] = "timemachine"
    only: options.Tasks = None
    trees: options.Trees


@app.command("export")
@takes(ExportArguments)
def export_command(arguments: ExportArguments) -> int:
    """Write a data set in the form of another tool.

    timemachine, swebench, swebench-live and swe-rebench-v2 are JSONL files; swebench-tasks is the task
    repository of SWE-bench 5; harbor a folder a task; parquet the layout of the Hugging Face hub (needs
    backdate[parquet]); docker a build context a task. Example: backdate bench export tasks --format swebench
    -o swebench.jsonl
    """
    from backdate.cli import exit_codes
    from backdate.tasks.dataset import Dataset
    from backdate.tasks.foreign.exporting import export_tasks

    dataset = Dataset.open(arguments.folder)
    tasks = tuple(dataset.task(name) for name in arguments.only or ()) or dataset.tasks
    written = export_tasks(
        dataset, tasks, arguments.output_format, arguments.output, sources=arguments.trees.sources(dataset)
    )
    typer.echo(f"{arguments.output}: {written} tasks")
    return exit_codes.OK


app.command("annotate")(bench_annotate.annotate_command)
app.command("build")(bench_build.build_command)
app.command("funnel")(bench_funnel.funnel_command)
app.command("merge")(bench_merge.merge_command)
app.command("snapshot")(bench_funnel.snapshot_command)
app.command("quality")(bench_quality.quality_command)
app.command("report")(bench_report.bench_report_command)
