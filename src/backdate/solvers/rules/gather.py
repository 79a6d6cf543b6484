"""The evidence beside a failing run: one traced run of the old side, and what both environments say.

Whatever cannot be had is left out: a solver without evidence still has its tables and the errors themselves.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.project_uses import ProjectUses
from backdate.advising.use_visitor import ABSENCE
from backdate.advising.uses import MOST_FILES, python_files, read_uses
from backdate.bisection.explanations.changelog_reader import ChangelogReader
from backdate.bisection.result import GivenWarning
from backdate.diagnosis.distributions import Distributions, site_packages
from backdate.editing.encodings import NotText, decode_source
from backdate.editing.line_maps import LineMap
from backdate.environments.environment import Environment
from backdate.errors import ConfigurationError, SourceError, UsageError
from backdate.knowledge.changes import PYTHON
from backdate.knowledge.modules import in_standard_library, main_build
from backdate.mining.between import ReleasesBetween
from backdate.projects.own_modules import modules_at_root
from backdate.projects.read import read_bytes
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.interface import Assignment
from backdate.solvers.rules.fixers.asking import AskedFixers
from backdate.solvers.rules.foreseen import foreseen_groups
from backdate.solvers.rules.object_uses import record_objects
from backdate.solvers.rules.old_side import IndexedRunner, OldSide, SandboxedRunner, run_old_side
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.testing.tracing import SeenObject, SeenWarning
from backdate.text import minor_version

_LARGEST_FILE = 2 * 1024 * 1024
_MOST_BYTES = 16 * 1024 * 1024
"""Of sources, which takes some ten seconds to read."""
_LARGEST_ARCHIVE = 48 * 1024 * 1024
"""Of which a changelog is read."""
_MOST_ARRIVALS = 60
_MOST_TESTS = 400
"""Failing tests that are named to the old side; of more, all of its tests run."""


def gather_evidence(
    assignment: Assignment, tree: Path, groups: Sequence[FailureGroup], *, log_folder: Path
) -> FixEvidence:
    """See ``EvidenceGatherer``."""
    texts = source_texts(tree)
    task, runner = assignment.task, assignment.task_runner
    if not isinstance(runner, SandboxedRunner):
        return FixEvidence(tree=tree, uses=_uses(texts, ()), texts=texts)
    old_tree = assignment.scratch / "old-side"
    started = time.monotonic()
    try:
        runner.make_tree(task, old_tree, "origin")
        old = run_old_side(
            runner,
            task,
            old_tree,
            source_texts(old_tree),
            texts,
            folder=log_folder,
            only=_tests_of(groups),
        )
    except (SourceError, UsageError):  # its tree cannot be had, or its kind has no old side
        return FixEvidence(tree=tree, uses=_uses(texts, ()), texts=texts)
    new = _new_environment(runner, assignment, tree)
    waited_s = time.monotonic() - started
    evidence = evidence_of(tree, texts, old, new, runner.sandbox)
    releases, changelogs = _releases(runner, assignment), _changelogs(runner)
    return replace(evidence, waited_s=waited_s, releases=releases, changelogs=changelogs)


def evidence_of(
    tree: Path,
    texts: Mapping[str, str],
    old: OldSide,
    new: Environment | None,
    sandbox: Sandbox,
    *,
    pair: EnvironmentPair | None = None,
) -> FixEvidence:
    """The evidence of an old side that ran, and the environment in which the tests fail.

    ``pair``: both environments with what was asked of them before, where something was.
    """
    uses = _uses(texts, old.objects)
    before = _installed(old.environment)
    after = _installed(new)
    if pair is None and old.environment is not None and new is not None:
        pair = EnvironmentPair(sandbox=sandbox, old=old.environment, new=new)
    evidence = FixEvidence(
        tree=tree,
        uses=uses,
        texts=texts,
        pair=pair,
        executed=old.executed,
        warnings=_warnings(old.warnings),
        versions=_moved(before, after, old.environment, new),
        errors=old.errors,
        objects=old.objects,
        waited_s=old.waited_s,
        durations={one.id: one.duration_s for one in (old.result.run.results if old.result.run else ())},
        modules=_modules(uses, before, after, modules_at_root(texts)),
        python="" if new is None else new.choice.interpreter.version,
        fixers=AskedFixers(sandbox),
        arrivals=_arrivals(before, after),
        packages=frozenset(top for name in after.all for top in after.top_level_of(name)),
    )
    return replace(evidence, foreseen=foreseen_groups(evidence))


def with_edits(evidence: FixEvidence, edited: Mapping[str, tuple[str, str]]) -> FixEvidence:
    """The evidence after edits of its tree: ``edited`` holds each file's text before and after.

    Lines follow the text, and uses are those of the edited files. Raises SandboxUnavailable.
    """
    maps = {file: LineMap.between(before, after) for file, (before, after) in edited.items()}

    def moved(file: str, line: int) -> frozenset[int]:
        return maps[file].of((line,)) if file in maps else frozenset((line,))

    objects = tuple(replace(one, line=line) for one in evidence.objects for line in moved(one.file, one.line))
    warnings = tuple(
        replace(
            one,
            places=tuple(
                SourcePlace(file=place.file, line=line)
                for place in one.places
                for line in moved(place.file, place.line)
            ),
        )
        for one in evidence.warnings
    )
    executed = evidence.executed
    if executed is not None:
        executed = {file: maps[file].of(lines) if file in maps else lines for file, lines in executed.items()}
    texts = source_texts(evidence.tree)
    uses = _uses(texts, objects)
    after = replace(evidence, uses=uses, texts=texts, objects=objects, warnings=warnings, executed=executed)
    return replace(after, foreseen=foreseen_groups(after))


def source_texts(tree: Path) -> dict[str, str]:
    """The Python files of a tree as text, those of outer folders first; without what cannot be read, or is no
    text, and what is more than can be read in reasonable time."""
    texts: dict[str, str] = {}
    left = _MOST_BYTES
    for file in sorted(python_files(tree), key=lambda file: file.count("/")):
        try:
            data = read_bytes(tree, file, limit=_LARGEST_FILE) or b""
            left -= len(data)
            if left < 0:
                break
            texts[file] = decode_source(data, is_python=True).content
        except (ConfigurationError, NotText):
            continue
    return texts


def _uses(texts: Mapping[str, str], objects: Iterable[SeenObject]) -> ProjectUses:
    uses = ProjectUses(files=tuple(texts))
    for file, text in texts.items():
        uses.add(_uses_of(file, text))
    record_objects(uses, texts, objects)
    return uses


@functools.lru_cache(maxsize=MOST_FILES)
def _uses_of(file: str, text: str) -> ProjectUses:
    """What one file uses. Kept, as one edit leaves all other files as they are."""
    uses = ProjectUses()
    # a handler of every error is no sign that the project is ready for a name to be gone
    read_uses(text.encode("utf-8", "surrogatepass"), file, uses, guards=ABSENCE)
    return uses


def _tests_of(groups: Sequence[FailureGroup]) -> tuple[str, ...]:
    """The failing tests by name; none, which is all, where some were not collected or they are many."""
    tests = {test for group in groups for test in group.tests}
    known = all(group.tests for group in groups) and all("::" in test for test in tests)
    return tuple(sorted(tests)) if known and len(tests) <= _MOST_TESTS else ()


def _new_environment(runner: SandboxedRunner, assignment: Assignment, tree: Path) -> Environment | None:
    answer = runner.build(assignment.task, tree, "target").answer
    return answer if isinstance(answer, Environment) else None


def _releases(runner: SandboxedRunner, assignment: Assignment) -> ReleasesBetween | None:
    """From the index of the runner, as it was at the instant of the new side."""
    if not isinstance(runner, IndexedRunner):
        return None
    resources = runner.resources
    return ReleasesBetween(
        index=lambda: resources.index,
        folder=resources.cache.folder / "announcements",
        until=assignment.task.environment.instant,
    )


def _installed(environment: Environment | None) -> Distributions:
    return Distributions(() if environment is None else site_packages(*environment.roots))


def _moved(
    before: Distributions, after: Distributions, old: Environment | None, new: Environment | None
) -> dict[str, tuple[str, str]]:
    """The versions of what moved between two environments."""
    old_versions, new_versions = (
        {main_build(name): installed.version for name, installed in side.all.items()}
        for side in (before, after)
    )
    moved = {
        name: (old_versions.get(name, ""), new_versions.get(name, ""))
        for name in sorted({*old_versions, *new_versions})
        if old_versions.get(name) != new_versions.get(name)
    }
    if old is not None and new is not None:
        pythons = (old.choice.interpreter.version, new.choice.interpreter.version)
        if minor_version(pythons[0]) != minor_version(pythons[1]):
            moved[PYTHON] = pythons
    return moved


def _modules(
    uses: ProjectUses, before: Distributions, after: Distributions, own: frozenset[str]
) -> dict[str, str]:
    """The distributions of the top-level modules that are used, as the old side has them; none ``own``."""
    modules: dict[str, str] = {}
    for top in dict.fromkeys(name.partition(".")[0] for name in uses.names):
        if top in own:
            continue
        if in_standard_library(top):
            modules[top] = PYTHON
            continue
        for side in (before, after):
            owner = side.of_module(top)
            if owner is not None:
                modules[top] = main_build(owner.key)
                break
    return modules


def _arrivals(before: Distributions, after: Distributions) -> tuple[str, ...]:
    """The top-level modules of distributions that only the new side has."""
    had = set(map(main_build, before.all))
    new = [name for name in after.all if main_build(name) not in had]
    tops = (top for name in new for top in after.top_level_of(name) if not top.startswith("_"))
    return tuple(dict.fromkeys(tops))[:_MOST_ARRIVALS]


def _warnings(seen: Iterable[SeenWarning]) -> tuple[GivenWarning, ...]:
    places: dict[tuple[str, str], dict[SourcePlace, None]] = {}
    for one in seen:
        key = (one.category, one.message)
        places.setdefault(key, {})[SourcePlace(file=one.file, line=one.line)] = None
    return tuple(
        GivenWarning(category=category, message=message, places=tuple(at), names_it=False)
        for (category, message), at in places.items()
    )


def _changelogs(runner: SandboxedRunner) -> ChangelogReader | None:
    if not isinstance(runner, IndexedRunner):
        return None
    resources = runner.resources
    return ChangelogReader(lambda: resources.index, resources.cache.downloads, most_bytes=_LARGEST_ARCHIVE)
