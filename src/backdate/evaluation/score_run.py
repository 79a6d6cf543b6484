"""Scoring a whole run, or a file of predictions, into a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from backdate.errors import UsageError
from backdate.evaluation.answers import Submission, answer_of, answers_of_predictions, unknown_tasks
from backdate.evaluation.audit import write_audit
from backdate.evaluation.flags.run import looker
from backdate.evaluation.flags.traced import traced_runner
from backdate.evaluation.load import Benchmark, select
from backdate.evaluation.predictions import read_predictions
from backdate.evaluation.run_folder import dataset_digest, load_run
from backdate.evaluation.scores import ScoredRun, ScoreInfo, facts_of, read_score_info
from backdate.evaluation.scoring import ScorePlan, score_all
from backdate.evaluation.swebench_report import swebench_report
from backdate.progress import NO_PROGRESS, Reporter
from backdate.sandboxes.disk_budget import DEFAULT_BUDGET_BYTES
from backdate.serial import to_json, write_whole
from backdate.solvers.records import MODEL_CALLS, RunRecord, RunSettings
from backdate.tasks.judge_runs.deciding import JudgeSettings
from backdate.tasks.judging import is_verified
from backdate.tasks.task import Task
from backdate.text import counted, plural
from backdate.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The answers to score, and who gave them."""

    model: str
    by_task: Mapping[str, Submission]
    source: str
    """"run", or the name of the predictions' file."""
    sample: int = 0
    most_calls: int = 0
    most_tests: int = 0
    problems: tuple[str, ...] = ()
    asked: frozenset[str] | None = None
    """The tasks that the run was asked to solve; None when unknown."""


def read_answers(run: Path | None, predictions: Path | None, model: str | None) -> Answers:
    """The answers of a run or of a file of predictions. Raises UsageError, StoredDataError."""
    if predictions is not None:
        parsed = read_predictions(predictions)
        name, answers = answers_of_predictions(parsed, model)
        return Answers(model=name, by_task=answers, source=predictions.name, problems=parsed.problems)
    if run is None:
        raise UsageError("name a run or a file of predictions")
    info, records = load_run(run)
    return Answers(
        model=model or info.settings.solver,
        by_task={record.instance_id: answer_of(record) for record in records},
        source="run",
        sample=info.settings.sample or 0,
        most_calls=_most_calls(info.settings, records),
        most_tests=info.settings.tests,
        asked=frozenset(info.tasks),
    )


def _most_calls(settings: RunSettings, records: Sequence[RunRecord]) -> int:
    """The limit that was stated, or a model's; without one what the run used."""
    if settings.calls is not None:
        return settings.calls
    return max((MODEL_CALLS, *(record.calls for record in records)))


def score_run(
    bench: Benchmark,
    answers: Answers,
    folder: Path,
    *,
    progress: Reporter = NO_PROGRESS,
    only: Sequence[str] = (),
    flags: str = "all",
    jobs: int = 1,
    allow_test_edits: bool = False,
    judge: JudgeSettings | None = None,
    unverified: bool = False,
    disk_budget_bytes: int = DEFAULT_BUDGET_BYTES,
) -> ScoredRun:
    """Score the answers for the tasks of ``bench`` and write scores and reports to ``folder``.

    ``only``: as for ``load.select``. A run that was asked to solve some of the tasks is scored on those.
    ``judge``: how solved tasks are judged by a second run; None for not at all. ``unverified``: score also
    tasks that nobody has verified; they are listed in ``ScoreInfo.unverified``. ``disk_budget_bytes``: for
    all trees and environments of answers that are kept at a time.
    Raises UsageError when ``folder`` holds another model's scores, there is nothing to score or a task is not
    verified, MachineError.
    """
    chosen = select(bench.tasks, only)
    tasks = [task for task in chosen if answers.asked is None or task.instance_id in answers.asked]
    if not tasks:
        raise UsageError("the run and the data set have no task in common")
    doubtful = tuple(task.instance_id for task in tasks if not is_verified(task))
    if doubtful and not unverified:
        raise UsageError(_refusal(doubtful, tasks))
    info = _claim(folder, _info(bench, answers, tasks, flags=flags, unverified=doubtful))
    plan = ScorePlan(
        tasks=tasks,
        answers=answers.by_task,
        task_runner=bench.task_runner,
        folder=folder,
        jobs=jobs,
        allow_test_edits=allow_test_edits,
        look=looker(bench.task_runner, flags),
        trace=traced_runner if flags == "all" else None,
        flags=flags,
        judge=judge,
        disk_budget_bytes=disk_budget_bytes,
    )
    scores = score_all(plan, progress)
    write_audit(folder, scores)
    write_whole(folder / "report.json", to_json(swebench_report(info, scores), indent=4))
    return ScoredRun(folder=folder, info=replace(info, tasks=tuple(map(facts_of, tasks))), scores=scores)


def _info(
    bench: Benchmark, answers: Answers, tasks: Sequence[Task], *, flags: str, unverified: tuple[str, ...]
) -> ScoreInfo:
    return ScoreInfo(
        model=answers.model,
        dataset=bench.name,
        dataset_digest=dataset_digest(tasks),
        source=answers.source,
        sample=answers.sample,
        most_calls=answers.most_calls,
        most_tests=answers.most_tests,
        flags=flags,
        tasks=tuple(facts_of(task) for task in tasks),
        unverified=unverified,
        unknown=unknown_tasks(answers.by_task, (task.instance_id for task in bench.tasks)),
        problems=answers.problems,
        scored=datetime.now(UTC),
        backdate=__version__,
    )


def _refusal(doubtful: Sequence[str], tasks: Sequence[Task]) -> str:
    """Why unverified tasks are not scored, and what to do."""
    more = f" and {len(doubtful) - 3} more" if len(doubtful) > 3 else ""
    return (
        f"{len(doubtful)} of {counted(len(tasks), 'task')} {plural(len(doubtful), 'is', 'are')} not verified "
        f"({', '.join(doubtful[:3])}{more}): nothing shows which of their tests count. Run 'backdate bench "
        "verify' on the data set (a published file is made one by 'backdate bench import'), choose others "
        "with --only, or give --unverified"
    )


def _claim(folder: Path, info: ScoreInfo) -> ScoreInfo:
    """Write ``score.json``. Raises UsageError when the folder holds another model's scores.

    Tasks that were scored before and are not selected now (``--only``) stay part of the run.
    """
    path = folder / "score.json"
    if path.is_file():
        stored = read_score_info(path)
        if (stored.model, stored.dataset) != (info.model, info.dataset):
            raise UsageError(
                f"{folder} holds the scores of {stored.model!r} on {stored.dataset!r}, not of {info.model!r} "
                f"on {info.dataset!r}; name another folder with -o"
            )
        selected = {task.instance_id for task in info.tasks}
        before = tuple(task for task in stored.tasks if task.instance_id not in selected)
        kept = {task.instance_id for task in before}
        unverified = (*(instance for instance in stored.unverified if instance in kept), *info.unverified)
        info = replace(info, tasks=(*before, *info.tasks), unverified=unverified)
    elif folder.is_dir() and any(folder.iterdir()) and not (folder / "run.json").is_file():
        raise UsageError(f"{folder} is not empty and holds no run; name another folder with -o")
    write_whole(path, to_json(info, indent=1))
    return info
