"""What each part of a set-up is worth: every project again with parts switched off.

SetupAgent (arXiv 2503.07701) counts the repositories that it sets up with all its sources, with CI files
alone, with texts alone and without its repair loop. Here are those, each kind of source left out in turn, the
first candidate alone, and the adviser left out where there is one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from backdate.checking.resources import Resources
from backdate.checking.set_up import set_up_project
from backdate.checking.settings import Settings, SetupOptions
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.recipes.sources.kinds import ALL_SOURCES, SourceKind
from backdate.timeline.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class AblationRow:
    """One way to set up, over all projects."""

    parts: str
    proven: int
    outcomes: tuple[str, ...]
    """For each project: "proven", or the class of its error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """The whole table."""

    projects: tuple[str, ...]
    rows: tuple[AblationRow, ...]


def variants(options: SetupOptions) -> tuple[tuple[str, SetupOptions], ...]:
    """The ways to set up, from all parts of ``options`` to few, each with its name."""

    def only(*kinds: SourceKind) -> Collection[SourceKind]:
        return frozenset(kinds) & frozenset(options.sources)

    left_out = tuple(
        (f"without {kind}", replace(options, sources=frozenset(options.sources) - {kind}))
        for kind in sorted(ALL_SOURCES)
        if kind in options.sources
    )
    alone = replace(options, adviser_at=None)
    unadvised = (("without the adviser", alone),) if options.adviser_at is not None else ()
    return (
        ("everything", options),
        *unadvised,
        ("CI files alone", replace(options, sources=only("ci"))),
        ("texts alone", replace(options, sources=only("texts"))),
        ("without repair", replace(options, rounds=0)),
        ("the first candidate alone, without repair", replace(options, rounds=0, attempts=1)),
        *left_out,
    )


def ablate(
    sources: Sequence[str],
    *,
    instant: Instant | None = None,
    python: str | None = None,
    options: SetupOptions | None = None,
    settings: Settings | None = None,
    progress: Reporter = NO_PROGRESS,
) -> Ablation:
    """Set every one of ``sources`` up in every way; proven recipes of other commits are never used.

    Environments are shared through the cache, so that most ways cost no more than their tests. Raises as
    ``set_up`` does.
    """
    settings = replace(settings or Settings(), store=False, keep=None)
    rows = []
    with Resources(settings) as resources:
        for parts, chosen in variants(options or SetupOptions()):
            outcomes = []
            for source in sources:
                progress.report(Activity(text=f"{parts}: {source}"))
                result = set_up_project(
                    resources, source, instant=instant, python=python, options=chosen, progress=progress
                )
                outcomes.append("proven" if result.proven else str(result.error or result.setup_class))
            rows.append(AblationRow(parts=parts, proven=outcomes.count("proven"), outcomes=tuple(outcomes)))
    return Ablation(projects=tuple(sources), rows=tuple(rows))
