"""Run GitChameleon's golds, starting code and pairs in environments that are made and removed in turn.

    python tools/measure_gitchameleon.py CHECKOUT RUNS.jsonl [--cache DIR] [--apt] [--only TEXT …] [--keep]
    python tools/measure_gitchameleon.py CHECKOUT RUNS.jsonl --table

CHECKOUT is a folder of mrcabbage972/GitChameleonBenchmark with its ``dataset/``. RUNS.jsonl keeps each run,
so that a second call goes on where the first was. All environments together take tens of gigabytes: each is
removed once its programs were run, unless ``--keep``. ``--only`` takes those with a requirement that begins
so.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from backdate.checking.resources import Resources
from backdate.checking.settings import Settings
from backdate.environments.cache import default_cache
from backdate.environments.environment import Environment
from backdate.serial import from_json, to_json
from backdate.snippets.environments import SnippetEnvironments
from backdate.snippets.gitchameleon import find_rows, import_gitchameleon
from backdate.snippets.pairs import DIFFERENT_PROBLEMS, pairs_of
from backdate.snippets.pinned_sides import IndexUploads
from backdate.snippets.questions.same_outcome import raises_nothing
from backdate.snippets.runs import ProgramEnd, ProgramRun, SnippetProgram
from backdate.snippets.snippet import Harness, Snippet, SnippetSide
from backdate.snippets.warm.runner import WarmRunner
from backdate.text import first_line

GOLD, GOLD_VISIBLE, NULL, NULL_VISIBLE, OLD = "gold", "gold, visible", "null", "null, visible", "old"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRun:
    """One line of RUNS.jsonl."""

    snippet: str
    what: str
    run: ProgramRun


def main() -> None:
    """Run what has no run yet, or write the table of what has."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--cache", type=Path, default=default_cache())
    parser.add_argument("--apt", action="store_true")
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    rows = find_rows(options.checkout)
    if rows is None:
        raise SystemExit(f"{options.checkout} holds no rows of GitChameleon")
    settings = Settings(cache=options.cache, apt=options.apt)
    with Resources(settings) as resources:
        snippets = import_gitchameleon(rows, IndexUploads(resources.index)).snippets
        pairs = pairs_of(snippets)
        if not options.table:
            _run_all(resources, (*snippets, *pairs), options)
    runs = {(one.snippet, one.what): one.run for one in _kept(options.runs)}
    print("\n".join(_table(snippets, pairs, runs)))


def _run_all(resources: Resources, snippets: Sequence[Snippet], options: argparse.Namespace) -> None:
    done = {(one.snippet, one.what) for one in _kept(options.runs)}
    waiting: defaultdict[SnippetSide, list[tuple[str, str, SnippetProgram]]] = defaultdict(list)
    for snippet in snippets:
        for what, code, harness in _programs(snippet):
            name = f"{snippet.id}/{what}"
            program = SnippetProgram(id=name, code=code, entry=snippet.entry, harness=harness)
            if snippet.target is not None and (snippet.id, what) not in done:
                waiting[snippet.target].append((snippet.id, what, program))
    for side, items in waiting.items():
        named = any(one.startswith(text) for one in side.requirements for text in options.only)
        if options.only and not named:
            continue
        environments = SnippetEnvironments(resources)
        made = environments.of(side)
        results = WarmRunner(resources.sandbox, environments).run(side, [program for *_, program in items])
        with options.runs.open("ab") as file:
            for (snippet_id, what, _), run in zip(items, results, strict=True):
                file.write(to_json(MeasuredRun(snippet=snippet_id, what=what, run=run)) + b"\n")
        if isinstance(made, Environment) and not options.keep:
            resources.cache.discard_environment(made.key)
        print(f"{side.requirements[:1]} on Python {side.python}: {len(items)} programs", flush=True)


def _programs(snippet: Snippet) -> Iterator[tuple[str, str, Harness]]:
    """What is run of a snippet in its target: what it is, the code, and what tests it."""
    if snippet.origin is not None:
        yield OLD, snippet.code, snippet.target_harness or snippet.harness
        return
    yield GOLD, snippet.reference, snippet.harness
    yield NULL, snippet.code, snippet.harness
    if snippet.visible is not None:
        yield GOLD_VISIBLE, snippet.reference, snippet.visible
        yield NULL_VISIBLE, snippet.code, snippet.visible


def _kept(path: Path) -> Iterator[MeasuredRun]:
    """The runs of a file, but for those without an environment: it may be had the next time."""
    for line in path.read_bytes().splitlines() if path.exists() else ():
        one = from_json(MeasuredRun, line)
        if one.run.end is not ProgramEnd.NO_ENVIRONMENT:
            yield one


def _table(
    snippets: Sequence[Snippet], pairs: Sequence[Snippet], runs: dict[tuple[str, str], ProgramRun]
) -> Iterator[str]:
    """Markdown: golds and starting code by library, pairs by what was decided, and each gold that fails."""
    yield "| library | rows | run | gold passes | … visible | starting code passes | … visible |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for snippet in snippets:
        for library in (snippet.library, "all"):
            counts[library]["rows"] += 1
            for what in (GOLD, GOLD_VISIBLE, NULL, NULL_VISIBLE):
                run = runs.get((snippet.id, what))
                counts[library]["run"] += what == GOLD and run is not None
                counts[library][what] += run is not None and raises_nothing(run)
    columns = ("rows", "run", GOLD, GOLD_VISIBLE, NULL, NULL_VISIBLE)
    for library in sorted(counts, key=lambda name: (name == "all", name)):
        yield f"| {library} | {' | '.join(str(counts[library][column]) for column in columns)} |"
    yield from ("", "| pairs | of one problem | of different ones |", "|---|--:|--:|")
    decided = Counter((_decided(pair, runs), DIFFERENT_PROBLEMS in pair.flags) for pair in pairs)
    for outcome in sorted({outcome for outcome, _ in decided}):
        yield f"| {outcome} | {decided[outcome, False]} | {decided[outcome, True]} |"
    yield ""
    for snippet in snippets:
        failed = runs.get((snippet.id, GOLD))
        if failed is not None and not raises_nothing(failed):
            case = failed.cases[-1] if failed.cases else None
            why = f"{case.error}: {case.message}" if case else f"{failed.end.value} {failed.detail}"
            yield f"- {snippet.id} ({snippet.library}): {first_line(why, most=200)}"


def _decided(pair: Snippet, runs: dict[tuple[str, str], ProgramRun]) -> str:
    """What a pair comes to: both known solutions by their own tests, and the one by those of the other."""
    own = [runs.get((pair.published[side], GOLD)) for side in ("origin", "target")]
    crossed = runs.get((pair.id, OLD))
    if crossed is None or any(run is None for run in own):
        return "not run"
    if not all(run is not None and raises_nothing(run) for run in own):
        return "a known solution fails"
    return "does not break" if raises_nothing(crossed) else "breaks"


if __name__ == "__main__":
    main()
