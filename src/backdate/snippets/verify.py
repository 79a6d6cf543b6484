"""Verifying a data set of snippets: everything is run, each result is kept at once, and claims are decided.

The code is run with its origin as often as asked, each time in a process of its own, and once with its
target; the known solution with the target. What was run before is not run again unless what it is made of
changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.sandboxes.threads import in_threads
from backdate.serial import digest
from backdate.snippets.asked_names import NameAsker
from backdate.snippets.dataset import VERIFIED, SnippetDataset
from backdate.snippets.harness import PRINTED_OTHERWISE
from backdate.snippets.line_file import LineFile
from backdate.snippets.questions.same_outcome import as_printed
from backdate.snippets.runs import (
    DEFAULT_LIMITS,
    ProgramEnd,
    ProgramLimits,
    ProgramRun,
    ProgramRunner,
    SnippetProgram,
)
from backdate.snippets.snippet import Language, Snippet, SnippetSide
from backdate.snippets.too_new import too_new_for
from backdate.snippets.validity import Members, SnippetRuns, expected_of, reference_passes, validity_of
from backdate.snippets.warm.wire import clean

_KEY_FORMAT = 2
"""Part of every key: a run with another is made again."""
_ENDED_BY_LIMITS = (ProgramEnd.TIMED_OUT, ProgramEnd.MEMORY, ProgramEnd.CRASHED)
_TARGET, _REFERENCE = "target", "reference"

Work = tuple[SnippetSide, str]
"""Programs of one side and stage share a call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRun:
    """One line of what was run."""

    key: str
    stage: str
    """"origin-1", "origin-2", …, "target" or "reference"."""
    run: ProgramRun


def verify_snippets(
    dataset: SnippetDataset,
    runner: ProgramRunner,
    names: NameAsker,
    *,
    only: Sequence[str] = (),
    repeats: int = 2,
    jobs: int = 1,
    retry: bool = False,
    limits: ProgramLimits = DEFAULT_LIMITS,
    references: Callable[[Snippet], str] = lambda snippet: snippet.reference,
    secret: str = "",
    progress: Reporter = NO_PROGRESS,
) -> SnippetDataset:
    """Verify the Python snippets of ``dataset`` (those that ``only`` names), ``jobs`` calls at a time.

    ``retry``: run again what a limit or a crash ended: a busy machine may have been the reason.
    ``secret``: of this user's cache; runs that the folder of the data set says were made without it are not
    believed. ``references``: the known solution of a snippet, or what may be one; it is kept when it passes.
    Raises UsageError for a name that is not there, MachineError for what this machine lacks.
    """
    chosen = tuple(dataset.snippet(name) for name in dict.fromkeys(only)) or dataset.snippets
    chosen = tuple(one for one in chosen if one.language is Language.PYTHON)
    tried = {one.id: replace(one, reference=one.reference or references(one)) for one in chosen}
    kept = LineFile(dataset.folder / VERIFIED, StageRun)
    runs = {(line.key, line.stage): line.run for line in kept.read()}
    if retry:
        runs = {key: run for key, run in runs.items() if run.end not in _ENDED_BY_LIMITS}
    waiting: defaultdict[Work, list[SnippetProgram]] = defaultdict(list)
    for snippet in tried.values():
        for (side, stage), program in _programs(snippet, repeats):
            if (_key(program, side, secret), stage) not in runs:
                waiting[side, stage].append(program)

    def run(work: Work, programs: list[SnippetProgram]) -> None:
        side, stage = work
        by_id = {program.id: program for program in programs}
        for result in runner.run(side, programs, limits):
            key = _key(by_id[result.id], side, secret)
            runs[key, stage] = result
            if result.end is not ProgramEnd.NO_ENVIRONMENT:  # it may be had the next time
                kept.append(StageRun(key=key, stage=stage, run=result))
        progress.report(Activity(text=f"{stage} of {len(programs)} snippets in {_named(side)}"))

    largest_first = sorted(waiting.items(), key=lambda item: -len(item[1]))
    in_threads([partial(run, *item) for item in largest_first], jobs=jobs, name="verify")
    asked = _ask(tried.values(), names, jobs)
    verified = {
        snippet.id: _verified(snippet, _runs_of(snippet, repeats, runs, asked, secret))
        for snippet in tried.values()
    }

    def with_findings(snippet: Snippet) -> Snippet:
        found = verified.get(snippet.id)
        if found is None or snippet.code != found.code:  # another command changed it
            return snippet
        return found

    return dataset.changed(with_findings)


def _named(side: SnippetSide) -> str:
    return side.requirements[0] if side.requirements else f"Python {side.python}"


def _programs(snippet: Snippet, repeats: int) -> Iterator[tuple[Work, SnippetProgram]]:
    """What is run of a snippet, where and as which stage."""
    code = SnippetProgram(id=snippet.id, code=snippet.code, entry=snippet.entry, harness=snippet.harness)
    in_target = replace(code, harness=snippet.target_harness or snippet.harness)
    if snippet.origin is not None and not snippet.origin.not_had:
        for number in range(1, repeats + 1):
            yield (snippet.origin, _origin(number)), code
    if snippet.target is not None and not snippet.target.not_had:
        yield (snippet.target, _TARGET), in_target
        if snippet.reference:
            yield (snippet.target, _REFERENCE), replace(in_target, code=snippet.reference)


def _origin(number: int) -> str:
    return f"origin-{number}"


def _key(program: SnippetProgram, side: SnippetSide, secret: str) -> str:
    return digest("snippet run", _KEY_FORMAT, program, side, secret)


def _runs_of(
    snippet: Snippet,
    repeats: int,
    runs: Mapping[tuple[str, str], ProgramRun],
    asked: Mapping[SnippetSide, Members],
    secret: str,
) -> SnippetRuns:
    """Everything that was run and asked of one snippet."""
    made = {
        stage: runs[_key(program, side, secret), stage]
        for (side, stage), program in _programs(snippet, repeats)
        if (_key(program, side, secret), stage) in runs
    }
    target = snippet.target
    names = [api.name for api in snippet.apis]
    return SnippetRuns(
        origin=tuple(made[_origin(n)] for n in range(1, repeats + 1) if _origin(n) in made),
        target=made.get(_TARGET),
        reference=made.get(_REFERENCE),
        names_before={} if snippet.origin is None else asked.get(snippet.origin, {}),
        names_after={} if target is None else asked.get(target, {}),
        too_new=too_new_for(target.python, names) if target is not None and target.not_had else {},
    )


def _ask(snippets: Iterable[Snippet], names: NameAsker, jobs: int) -> Mapping[SnippetSide, Members]:
    """What both sides of each snippet say of the names that it lists."""
    wanted: defaultdict[SnippetSide, set[str]] = defaultdict(set)
    for snippet in snippets:
        for side in (snippet.origin, snippet.target):
            if snippet.origin is not None and side is not None and not side.not_had:
                wanted[side].update(api.name for api in snippet.apis if api.name)
    sides = [side for side, listed in wanted.items() if listed]
    answers = in_threads(
        [partial(names.ask, side, sorted(wanted[side])) for side in sides], jobs=jobs, name="ask"
    )
    return dict(zip(sides, answers, strict=True))


def _verified(snippet: Snippet, runs: SnippetRuns) -> Snippet:
    """``snippet`` with what was found; a solution that was only tried stays when it passes."""
    flags = [flag for flag in snippet.flags if flag not in _FOUND]
    known = reference_passes(snippet, runs) or not snippet.compared
    return replace(
        snippet,
        reference=snippet.reference if known else "",
        expected=expected_of(snippet, runs),
        validity=validity_of(snippet, runs if known else replace(runs, reference=None)),
        flags=tuple(dict.fromkeys((*flags, *_found(snippet, runs)))),
    )


STORED_OUTPUT_DIFFERS = "stored-output-differs"
NONDETERMINISTIC = "nondeterministic"
CASES_RAISE = "cases-raise"
_FOUND = frozenset({STORED_OUTPUT_DIFFERS, NONDETERMINISTIC, CASES_RAISE})


def _found(snippet: Snippet, runs: SnippetRuns) -> Iterator[str]:
    """The flags that running it gives."""
    expected = expected_of(snippet, runs)
    if any(case.error for case in expected):
        yield CASES_RAISE
    if validity_of(snippet, runs).deterministic is False:
        yield NONDETERMINISTIC
    stored = snippet.published.get("message", "")
    if stored and expected and PRINTED_OTHERWISE not in snippet.flags:
        printed = "\n".join(map(as_printed, expected))
        if printed.split() != clean(stored).split():
            yield STORED_OUTPUT_DIFFERS
