"""The quality of issue tasks as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from backdate.tasks.quality.measure_dataset import MeasuredDataset
from backdate.tasks.quality.record import QualityFinding, TaskQuality
from backdate.tasks.quality.summary import quality_rows, share_words, summarise_quality
from backdate.tasks.task import Task

_MOST_PLACES = 5


def measured_lines(measured: MeasuredDataset) -> Iterator[str]:
    """What ``bench verify --quality`` says in the end."""
    yield from quality_lines(measured.dataset.tasks)
    for name, problem in measured.problems:
        yield f"not measured: {name}: {problem}"


def quality_lines(tasks: Sequence[Task]) -> Iterator[str]:
    """The quality of a data set; nothing where none is known."""
    summary = summarise_quality(tasks)
    if summary is not None:
        yield "quality of the issue tasks:"
        for words, number in quality_rows(summary):
            yield f"  {words}: {number}"


def task_quality_lines(quality: TaskQuality) -> Iterator[str]:
    """The quality of one task, with what shows each flag."""
    yield f"quality: {', '.join(quality.codes)} in the codes of SWE-rebench V2"
    weakness, strictness = quality.weakness, quality.strictness
    if weakness is not None and weakness.problem:
        yield f"  no trials: {weakness.problem}"
    elif weakness is not None:
        yield f"  hunks whose absence tests notice: {share_words(weakness.hunks_noticed)}"
        yield f"  halves of the gold patch that tests refuse: {share_words(weakness.halves_noticed)}"
        mutants = share_words(weakness.mutants_noticed)
        yield f"  mutants that tests notice: {mutants}, of {weakness.possible_mutants:,} possible ones"
    if strictness is not None:
        unread = f", {len(strictness.unread)} not found" if strictness.unread else ""
        yield f"  tests that only the gold patch can pass: {share_words(strictness.share)}{unread}"
    for finding in quality.flags:
        yield from finding_lines(finding)


def finding_lines(finding: QualityFinding) -> Iterator[str]:
    """A flag and the first places that show it."""
    yield f"  {finding.flag.value}: {finding.count}"
    for evidence in finding.evidence[:_MOST_PLACES]:
        line = f":{evidence.line}" if evidence.line else ""
        yield f"    {evidence.file or 'text'}{line}: {evidence.words}"
