"""Steps 1 and 2 for a candidate: fetch its files, and apply the rules that need no run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from email.parser import HeaderParser
from hashlib import sha256
from pathlib import Path

from backdate.construction.candidate import Candidate, Exclusion
from backdate.construction.duplicates import Sketch, sketch_texts
from backdate.construction.fetch import Fetched, fetch, is_pinned, local_revision
from backdate.construction.kinds.interface import SourceFacts
from backdate.construction.licences import licence_of_tree, refuse_licences
from backdate.construction.migration.reasons import MigrationReason, exclusion, source_missing
from backdate.construction.migration.window import exclude_by_window, start_of_day
from backdate.construction.plan import FORMAT, BuildPlan, WorkerConfig
from backdate.construction.store import Store, keep, read_kept
from backdate.construction.trees import keep_tree
from backdate.errors import ConfigurationError, SourceError
from backdate.projects.read import read_bytes, read_text
from backdate.projects.tree import tree_digest
from backdate.projects.unpinning.discovery import file_format, is_test_data, walk_files
from backdate.recipes.suite import find_suite
from backdate.serial import digest
from backdate.timeline.instants import FIRST_UPLOAD, Instant

_PYTHON_BYTES = 4 * 1024 * 1024
"""A larger Python file is data; it is ignored."""
_SKETCHED_BYTES = 6 * 1024 * 1024
"""A project's sketch is made from so much of its source, in the order of the files' names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined(SourceFacts):
    """What is known about a candidate from its files."""

    url: str
    sha256: str
    old: Instant
    """The instant of the old side."""
    version_hint: str | None
    missing: tuple[str, ...]
    license: str | None
    """From the row, else from the files; None when neither states one."""
    python_files: int
    python_lines: int
    test_files: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaminationResult:
    """Exactly one of the two."""

    examined: Examined | None = None
    exclusion: Exclusion | None = None


def examine(
    candidate: Candidate, plan: BuildPlan, config: WorkerConfig, store: Store, scratch: Path
) -> ExaminationResult:
    """Fetch the candidate, store its tree, and apply every rule that reads files.

    The stored result does not depend on the target instant: another target needs no new examination.
    """
    revision = local_revision(candidate, config)
    # A folder, and a branch on another machine, may change without a sign of it: they are examined each time.
    repeatable = candidate.kind != "folder" and (
        plan.origin is not None or bool(revision and candidate.revision) or is_pinned(candidate)
    )
    inputs = (candidate.key, revision, candidate.licenses, plan.origin, plan.index_url)
    key = digest("examined", FORMAT, *inputs)
    name = f"examined/{key}"
    result = read_kept(store, ExaminationResult, name) if repeatable else None
    if result is None:
        result = _fetch_and_examine(candidate, plan, config, store, scratch)
        if repeatable and not (result.exclusion is not None and result.exclusion.stage == "source"):
            keep(store, name, result)
    if result.examined is not None:
        outside = exclude_by_window(result.examined.old, plan)
        if outside is not None:
            return ExaminationResult(exclusion=outside)
    return result


def _fetch_and_examine(
    candidate: Candidate, plan: BuildPlan, config: WorkerConfig, store: Store, scratch: Path
) -> ExaminationResult:
    try:
        fetched = fetch(candidate, plan, config, scratch)
    except SourceError as error:
        return ExaminationResult(exclusion=source_missing(error.problem, str(error)))
    examined = _apply_rules(candidate, plan, fetched)
    if isinstance(examined, Exclusion):
        return ExaminationResult(exclusion=examined)
    keep_tree(store, fetched.tree, examined.digest, scratch)
    return ExaminationResult(examined=examined)


def _apply_rules(candidate: Candidate, plan: BuildPlan, fetched: Fetched) -> Examined | Exclusion:
    root = fetched.tree
    old = plan.origin
    if old is None:
        if fetched.origin.dated is None or fetched.origin.dated < FIRST_UPLOAD:
            return exclusion(MigrationReason.NO_DATE)
        old = start_of_day(fetched.origin.dated)
    licence = _licence(candidate, root)
    refused = refuse_licences([licence]) if licence is not None else None
    if refused is not None:
        reason = (
            MigrationReason.LICENCE_NOT_RECOGNISED
            if licence == "unrecognised"
            else MigrationReason.STATED_LICENCE_NOT_PERMISSIVE
        )
        return exclusion(reason, refused[:200])
    if not any(_is_configuration(path) for path in walk_files(root)):
        return exclusion(MigrationReason.NO_CONFIGURATION)
    suite = tuple(find_suite(root))
    if not suite:
        return exclusion(MigrationReason.NO_TEST_FILE)
    texts, lines, state = [], 0, sha256()
    hashes = []
    for relative, data in python_files(root):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return exclusion(MigrationReason.PYTHON_NOT_UTF8, relative[:300])
        texts.append(text)
        lines += text.count("\n") + (not text.endswith("\n") and bool(text))
        hashes.append(sha256(data).digest())
    for file_hash in sorted(hashes):
        state.update(file_hash)
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
        test_files=tuple(file.path for file in suite),
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
    """In any folder: some projects keep their requirements with their CI configuration."""
    return path in ("tox.ini", "noxfile.py") or (file_format(path) is not None and not is_test_data(path))


def python_files(root: Path) -> Iterator[tuple[str, bytes]]:
    """The Python files of a tree in a fixed order, without links and without files too large for code."""
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
