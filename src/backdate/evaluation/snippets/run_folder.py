"""The folder of a run over snippets.

::

    RUN/snippet_run.json        what the run is made with
        answers.jsonl           one SnippetAnswer a line; of two for one question the later counts
        answers.sqlite          what a model answered, so that nothing is asked twice
        scores.jsonl            one ScoredAnswer a line (``scored.py``)
        judge.sqlite            what a judging model answered
        score.json              the figures
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from backdate.errors import UsageError
from backdate.evaluation.run_folder import ANSWERS
from backdate.evaluation.snippets.answers import (
    SNIPPET_RUN_FORMAT,
    SnippetAnswer,
    SnippetRunInfo,
    SnippetRunSettings,
    snippets_digest,
)
from backdate.migrations import read_stored
from backdate.serial import to_json, write_whole
from backdate.snippets.line_file import LineFile
from backdate.snippets.snippet import Snippet, SnippetAsk
from backdate.version import __version__

_INFO = "snippet_run.json"


def is_snippet_run(folder: Path) -> bool:
    """Whether a folder holds a run over snippets; of tasks it holds a ``run.json``."""
    return (folder / _INFO).is_file()


def claim_snippet_run(
    folder: Path, settings: SnippetRunSettings, dataset: str, snippets: Sequence[Snippet]
) -> SnippetRunInfo:
    """Make the folder this run's, or see that it is already. Raises UsageError for another run's.

    More samples and more asks of the same go on with a run; fewer leave what is there.
    """
    asked = SnippetRunInfo(
        settings=settings,
        dataset=dataset,
        dataset_digest=snippets_digest(snippets),
        snippets=tuple(snippet.id for snippet in snippets),
        started=datetime.now(UTC),
        backdate=__version__,
    )
    if is_snippet_run(folder):
        stored = load_snippet_run(folder)
        same = replace(settings, samples=stored.settings.samples, asks=stored.settings.asks)
        if same != stored.settings or stored.dataset != dataset:
            raise UsageError(
                f"{folder} holds a run of {stored.settings.solver} on {stored.dataset} with other settings "
                f"({_told(stored.settings)} there, {_told(settings)} now); name another folder with -o"
            )
        new = tuple(name for name in asked.snippets if name not in stored.snippets)
        asks = tuple(ask for ask in SnippetAsk if ask in {*stored.settings.asks, *settings.asks})
        samples = max(settings.samples, stored.settings.samples)
        asked = replace(
            asked,
            settings=replace(settings, samples=samples, asks=asks),
            snippets=(*stored.snippets, *new),
            started=stored.started,
        )
    elif folder.is_dir() and any(not path.name.startswith(ANSWERS) for path in folder.iterdir()):
        raise UsageError(f"{folder} is not empty and holds no run over snippets; name another with -o")
    write_whole(folder / _INFO, to_json(asked, indent=1))
    return asked


def load_snippet_run(folder: Path) -> SnippetRunInfo:
    """What a run was made with. Raises UsageError, StoredDataError."""
    path = folder / _INFO
    if not path.is_file():
        raise UsageError(f"{folder} holds no run over snippets; name what backdate eval wrote with -o")
    return read_stored(
        SnippetRunInfo, path.read_bytes(), current=SNIPPET_RUN_FORMAT, migrations=(), what=str(path)
    )


def answers_file(folder: Path) -> LineFile[SnippetAnswer]:
    """The file of a run's answers."""
    return LineFile(folder / "answers.jsonl", SnippetAnswer)


def load_answers(folder: Path) -> dict[tuple[str, SnippetAsk, int], SnippetAnswer]:
    """A run's answers by what they answer, the latest of each. Raises StoredDataError."""
    return {answer.place: answer for answer in answers_file(folder).read()}


def _told(settings: SnippetRunSettings) -> str:
    return f"{settings.solver}, temperature {settings.temperature}, seed {settings.seed}"
