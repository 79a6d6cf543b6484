"""Steps 1 and 2 of a candidate: its files, and the rules that can be told from them without a run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.parser import HeaderParser
from hashlib import sha256
from pathlib import Path

from backdate.construction.candidate import Candidate, Exclusion
from backdate.construction.duplicates import Sketch, sketch_texts
from backdate.construction.fetch import Fetched, fetch
from backdate.construction.licences import licence_of_tree, refuse_licences
from backdate.construction.plan import FORMAT, BuildPlan, WorkerConfig
from backdate.construction.rules import exclude_by_window, start_of_day
from backdate.construction.store import Store, keep, read_kept
from backdate.construction.trees import keep_tree
from backdate.errors import ConfigurationError, SourceError, SourceProblem
from backdate.projects.read import read_bytes, read_text
from backdate.projects.tree import tree_digest
from backdate.projects.unpinning.discovery import file_format, is_test_data, walk_files
from backdate.recipes.suite import find_suite
from backdate.serial import digest
from backdate.timeline.instants import FIRST_UPLOAD, Instant

_PYTHON_BYTES = 4 * 1024 * 1024
"""A Python file that is larger is data; it is not counted, compared or looked at."""
_SKETCHED_BYTES = 6 * 1024 * 1024
"""Of so much source, in the order of the files' names, a project's sketch is made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What is known of a candidate whose files were looked at."""

    revision: str
    url: str
    sha256: str
    digest: str
    """Of the source tree, by which the store keeps it."""
    old: Instant
    version_hint: str | None
    missing: tuple[str, ...]
    license: str | None
    """What the row says, else what the files state; None when neither does."""
    sketch: Sketch
    python_files: int
    python_lines: int
    test_files: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaminationResult:
    """Either of the two."""

    examined: Examined | None = None
    exclusion: Exclusion | None = None


def examine(
    candidate: Candidate, plan: BuildPlan, place: WorkerConfig, store: Store, scratch: Path
) -> ExaminationResult:
    """Fetch the candidate, keep its tree in the store, and ask every rule that reads files.

    What was found is kept without the target instant: another target costs nothing here.
    """
    settled = bool(candidate.revision) or plan.origin is not None
    asked = digest("examined", FORMAT, candidate.key, candidate.licenses, plan.origin, plan.index_url)
    name = f"examined/{asked}"
    looked = read_kept(store, ExaminationResult, name) if settled else None
    if looked is None:
        looked = _look(candidate, plan, place, store, scratch)
        if settled and not (looked.exclusion is not None and looked.exclusion.stage == "source"):
            keep(store, name, looked)
    if looked.examined is not None:
        outside = exclude_by_window(looked.examined.old, plan)
        if outside is not None:
            return ExaminationResult(exclusion=outside)
    return looked


def _look(
    candidate: Candidate, plan: BuildPlan, place: WorkerConfig, store: Store, scratch: Path
) -> ExaminationResult:
    try:
        fetched = fetch(candidate, plan, place, scratch)
    except SourceError as error:
        return ExaminationResult(
            exclusion=Exclusion(stage="source", reason=SOURCE_REASONS[error.problem], detail=str(error))
        )
    found = _rules(candidate, plan, fetched)
    if isinstance(found, Exclusion):
        return ExaminationResult(exclusion=found)
    keep_tree(store, fetched.tree, found.digest, scratch)
    return ExaminationResult(examined=found)


SOURCE_REASONS: Mapping[SourceProblem, str] = {
    SourceProblem.NO_REPOSITORY: "there is no such repository",
    SourceProblem.CLONE_TIMED_OUT: "cloning took too long",
    SourceProblem.NOT_CLONED: "cannot be cloned",
    SourceProblem.NO_REVISION: "the revision is not in the repository",
    SourceProblem.NO_EARLIER_COMMIT: "no commit before the origin instant",
    SourceProblem.TOO_LARGE: "too large",
    SourceProblem.NOT_ON_INDEX: "not on the package index",
    SourceProblem.ONLY_WHEELS: "the index has wheels and no sdist",
    SourceProblem.NO_FINAL_VERSION: "no final version",
    SourceProblem.NO_PYTHON: "no Python files",
    SourceProblem.LEADS_OUT: "names that lead out of the tree",
    SourceProblem.DAMAGED: "damaged",
    SourceProblem.FOLDER_GONE: "the folder is gone",
    SourceProblem.OTHER: "its files cannot be had",
}
"""What a funnel counts candidates under whose files cannot be had."""


def _rules(candidate: Candidate, plan: BuildPlan, fetched: Fetched) -> Examined | Exclusion:
    root = fetched.tree
    old = plan.origin
    if old is None:
        if fetched.origin.dated is None or fetched.origin.dated < FIRST_UPLOAD:
            return Exclusion(stage="window", reason="nothing dates it: name an origin instant (--from)")
        old = start_of_day(fetched.origin.dated)
    licence = _licence(candidate, root)
    refused = refuse_licences([licence]) if licence is not None else None
    if refused is not None:
        reason = (
            "a licence that is not recognised"
            if licence == "unrecognised"
            else "a licence that is not permissive"
        )
        return Exclusion(stage="stated-licence", reason=reason, detail=refused[:200])
    if not any(_is_configuration(path) for path in walk_files(root)):
        return Exclusion(
            stage="configuration", reason="no requirements, setup.py, setup.cfg, pyproject.toml or like"
        )
    suite = tuple(find_suite(root))
    if not suite:
        return Exclusion(stage="tests", reason="no file that imports pytest or unittest and holds tests")
    texts, lines, state = [], 0, sha256()
    hashes = []
    for relative, data in python_files(root):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return Exclusion(
                stage="encoding", reason="a Python file that is not UTF-8", detail=relative[:300]
            )
        texts.append(text)
        lines += text.count("\n") + (not text.endswith("\n") and bool(text))
        hashes.append(sha256(data).digest())
    for one in sorted(hashes):
        state.update(one)
    return Examined(
        revision=fetched.revision,
        url=fetched.url,
        sha256=fetched.sha256,
        digest=tree_digest(root),
        old=old,
        version_hint=fetched.origin.version_hint,
        missing=fetched.origin.missing[:50],
        license=licence,
        sketch=Sketch(exact=state.hexdigest(), smallest=sketch_texts(_first(texts, _SKETCHED_BYTES))),
        python_files=len(texts),
        python_lines=lines,
        test_files=tuple(one.path for one in suite),
    )


def _licence(candidate: Candidate, root: Path) -> str | None:
    if candidate.licenses is not None:
        return " AND ".join(candidate.licenses) or None
    try:
        text = read_text(root, "PKG-INFO") if candidate.kind == "sdist" else None
    except ConfigurationError:
        text = None
    metadata = HeaderParser().parsestr(text.partition("\n\n")[0]) if text else None
    return licence_of_tree(root, metadata)


def _is_configuration(path: str) -> bool:
    """In any folder: some projects keep their requirements with their CI."""
    return path in ("tox.ini", "noxfile.py") or (file_format(path) is not None and not is_test_data(path))


def python_files(root: Path) -> Iterator[tuple[str, bytes]]:
    """The Python files of a tree in a fixed order, without links and without what is too large for code."""
    for folder, folders, files in os.walk(root):
        folders.sort()
        for name in sorted(files):
            if not name.endswith(".py"):
                continue
            relative = Path(folder, name).relative_to(root).as_posix()
            if Path(folder, name).is_symlink():
                continue
            try:
                data = read_bytes(root, relative, limit=_PYTHON_BYTES)
            except ConfigurationError:
                continue
            if data is not None:
                yield relative, data


def _first(texts: list[str], size: int) -> Iterator[str]:
    for text in texts:
        if size <= 0:
            return
        yield text[:size]
        size -= len(text)
