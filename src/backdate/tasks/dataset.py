"""A data set of tasks: a folder that is whole, that says what it holds, and that checks itself.

::

    DATASET/
        tasks.jsonl             one task a line, complete: all below can be made from it, but the sources
        README.md               the card
        croissant.json          what is in it, for machines (Croissant 1.0)
        dataset.json            its name, and where it is from
        funnel.json             how the set came about, where it was built
        checksums.sha256        of all of these, for ``sha256sum --check``
        tasks/ID/               patches and locks; of a migration Dockerfiles
            source.tar.gz       the published tree, so that no repository is needed
            logs/               of the runs that proved it; a record of this copy, not in the checksums
            verification.json   likewise

Changes are announced in ``.pending`` first: a folder that was left in the middle of one is put right when it
is opened again. Commands that change one data set at once take turns (``.lock``), and each changes what the
others left.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.errors import BackdateError, StoredDataError, UsageError
from backdate.serial import to_json, write_whole
from backdate.tasks.card import DatasetInfo, croissant, read_me
from backdate.tasks.checksums import read_bounded, read_checksums, sha256_of
from backdate.tasks.dataset_folder import (
    CARD,
    CHECKSUMS,
    INFO,
    opened,
    read_lines,
    require_new,
    settled,
    turn,
    whole_folder,
    write_change,
)
from backdate.tasks.formats import read_info, read_task
from backdate.tasks.task import Task
from backdate.tasks.task_files import task_files

TASKS = "tasks.jsonl"
CROISSANT = "croissant.json"
SOURCE = "source.tar.gz"

_INSTANCE_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}\Z")
_RESERVED = re.compile(r"\.{2}|\.\Z")

AddSource = Callable[[Task, Path], Task]
"""Called with a task and where its ``source.tar.gz`` belongs, which it may leave out; gives the task back,
with what the source says of it."""


def require_instance_id(text: str) -> str:
    """``text``, if it can be a folder's name everywhere. Raises UsageError."""
    if _INSTANCE_ID.match(text) is None or _RESERVED.search(text):
        raise UsageError(
            f"{text[:200]!r} cannot be a task's name: it has letters, digits and _ . + - only, no two dots "
            "together, and no dot at its end"
        )
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A data set on disk, as it was when it was opened."""

    folder: Path
    info: DatasetInfo
    tasks: tuple[Task, ...]

    @classmethod
    def open(cls, folder: Path) -> Dataset:
        """The data set in ``folder``.

        Raises UsageError when there is none, and StoredDataError, naming file and line, when it is damaged:
        no JSON, a missing key, a hostile or repeated name, a checksum that does not fit, a link for a folder.
        """
        if not (folder / TASKS).is_file():
            raise UsageError(
                f"{folder} is no data set: it has no {TASKS}; make one with 'backdate bench import'"
            )
        return opened(folder, cls._read)

    @classmethod
    def _read(cls, folder: Path) -> Dataset:
        data = read_lines(folder, TASKS)
        info = read_info(read_bounded(folder / INFO), what=str(folder / INFO))
        dataset = cls(folder=folder, info=info, tasks=_parse(data, folder / TASKS))
        _require_own_folders(dataset)
        return dataset

    @classmethod
    def create(
        cls,
        folder: Path,
        tasks: Iterable[Task],
        info: DatasetInfo,
        *,
        add_source: AddSource | None = None,
        funnel: bytes | None = None,
    ) -> Dataset:
        """Write a new data set to ``folder``, whole or not at all.

        Raises UsageError when something is there already, or for names that cannot be folders or come twice.
        """
        require_new(folder)
        named = tuple(tasks)
        _require_names(named)
        with whole_folder(folder) as temporary:
            if add_source is not None:
                sources = (temporary / "tasks" / task.instance_id / SOURCE for task in named)
                named = tuple(add_source(task, source) for task, source in zip(named, sources, strict=True))
            dataset = cls(folder=temporary, info=info, tasks=named)
            if funnel is not None:
                write_whole(temporary / "funnel.json", funnel)
            write_whole(temporary / TASKS, _lines(named))
            dataset.render()
        return replace(dataset, folder=folder)

    def task(self, name: str) -> Task:
        """The task of that instance id, or the only one of that repository (owner/name).

        Raises UsageError, naming the nearest.
        """
        for task in self.tasks:
            if task.instance_id == name:
                return task
        of_repository = [task for task in self.tasks if task.source.name == name]
        if len(of_repository) == 1:
            return of_repository[0]
        ids = [task.instance_id for task in of_repository or self.tasks]
        near = ids[:3] if of_repository else difflib.get_close_matches(name, ids, n=3, cutoff=0.4)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"{self.folder} has no task {name!r}{hint}")

    def folder_of(self, task: Task) -> Path:
        """The task's own folder."""
        return self.folder / "tasks" / require_instance_id(task.instance_id)

    def source_of(self, task: Task) -> Path | None:
        """The task's ``source.tar.gz``, its checksum checked; None when the set has none.

        Raises StoredDataError when it is not what the checksums say.
        """
        path = self.folder_of(task) / SOURCE
        if not path.is_file():
            return None
        name = path.relative_to(self.folder).as_posix()
        if sha256_of(path) != read_checksums(self.folder / CHECKSUMS).get(name):
            raise StoredDataError(f"{path} is not what {CHECKSUMS} says; take it from where you got it")
        return path

    def updated(self, tasks: Iterable[Task]) -> Dataset:
        """The data set with those of its tasks replaced that have the same names, written to disk.

        Raises UsageError for a task that it does not have.
        """
        changed_tasks = {task.instance_id: task for task in tasks}
        unknown = changed_tasks.keys() - {task.instance_id for task in self.tasks}
        if unknown:
            raise UsageError(f"{self.folder} has no task {min(unknown)!r}")
        return self.changed(lambda task: changed_tasks.get(task.instance_id, task))

    def changed(self, change: Callable[[Task], Task]) -> Dataset:
        """The data set with ``change`` made of each task that is on disk by now, written there.

        What other commands changed since this one was opened stays as they left it.
        """
        with turn(self.folder):
            current = settled(self.folder, Dataset._read)
            after = replace(current, tasks=tuple(map(change, current.tasks)))
            if after.tasks == current.tasks:
                return current
            write_change(after, TASKS, _lines(after.tasks))
            return after

    def rendered(self) -> Dataset:
        """The data set as it is on disk by now, what is made from it written again: a file was added."""
        with turn(self.folder):
            current = settled(self.folder, Dataset._read)
            current.render()
            return current

    @contextmanager
    def working_on(self, task: Task) -> Iterator[None]:
        """Held by one command at a time that writes into the task's folder; the others wait."""
        with turn(self.folder_of(task)):
            yield

    def check(self) -> tuple[str, ...]:
        """What is wrong with the files, one line each: missing, changed, not listed."""
        expected = read_checksums(self.folder / CHECKSUMS)
        problems = []
        for name, checksum in expected.items():
            path = self.folder / name
            if path.is_symlink() or not path.is_file():
                problems.append(f"{name} is missing")
            elif sha256_of(path) != checksum:
                problems.append(f"{name} is not what {CHECKSUMS} says")
        listed = {path.relative_to(self.folder).as_posix() for path in _published(self.folder)}
        problems += [f"{name} is not in {CHECKSUMS}" for name in sorted(listed - expected.keys())]
        return tuple(problems)

    def render(self) -> None:
        """Write everything that is made from the tasks and the sources, the checksums last."""
        for task in self.tasks:
            folder = self.folder_of(task)
            for name, data in task_files(task).items():
                if data is None:
                    (folder / name).unlink(missing_ok=True)
                else:
                    write_whole(folder / name, data)
        write_whole(self.folder / INFO, to_json(self.info, indent=2))
        write_whole(self.folder / CARD, read_me(self.info, self.tasks).encode())
        hashes = {TASKS: sha256_of(self.folder / TASKS)}
        write_whole(self.folder / CROISSANT, croissant(self.info, hashes))
        lines = (
            f"{sha256_of(path)}  {path.relative_to(self.folder).as_posix()}\n"
            for path in _published(self.folder)
        )
        write_whole(self.folder / CHECKSUMS, "".join(lines).encode())


def _published(folder: Path) -> list[Path]:
    """The files that the checksums are about, in the order of their names."""
    top = [folder / name for name in (TASKS, CARD, CROISSANT, INFO, "funnel.json")]
    tasks = folder / "tasks"
    inner = [
        path
        for path in (tasks.glob("*/*") if tasks.is_dir() else ())
        if path.name != "verification.json" and not path.name.startswith(".")
    ]
    return sorted(path for path in (*top, *inner) if path.is_file() and not path.is_symlink())


def _parse(data: bytes, path: Path) -> tuple[Task, ...]:
    tasks = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            tasks.append(read_task(line, what=f"{path}, line {number},"))
    try:
        _require_names(tuple(tasks))
    except BackdateError as error:
        raise StoredDataError(f"{path}: {error}") from error
    return tuple(tasks)


def _require_own_folders(dataset: Dataset) -> None:
    """A data set may be a stranger's: what is written into it must not be written where a link leads."""
    folders = [dataset.folder_of(task) for task in dataset.tasks]
    for path in (dataset.folder / "tasks", *folders, *(folder / "logs" for folder in folders)):
        if path.is_symlink():
            raise StoredDataError(
                f"{path} is a link, where a data set has a folder of its own; it is not used"
            )


def _require_names(tasks: tuple[Task, ...]) -> None:
    seen: set[str] = set()
    for task in tasks:
        require_instance_id(task.instance_id)
        if task.instance_id.lower() in seen:
            raise UsageError(f"two tasks are called {task.instance_id!r}")
        seen.add(task.instance_id.lower())


def _lines(tasks: Iterable[Task]) -> bytes:
    return b"".join(to_json(task) + b"\n" for task in tasks)
