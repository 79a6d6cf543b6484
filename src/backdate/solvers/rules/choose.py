"""The one place where the rules solver is put together: its sources, its evidence, its edits."""

from __future__ import annotations

from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.gather import gather_evidence, with_edits
from backdate.solvers.rules.solver import RulesSolver
from backdate.solvers.rules.sources.choose import choose_sources


def rules_solver(sources: str = "", *, thorough: bool = False) -> RulesSolver:
    """The solver with the sources that are named ("message,warning", "-written-rule"); all of them for "".

    Raises UsageError for a source that there is not.
    """
    return RulesSolver(
        name=f"rules:{sources}" if sources else "rules",
        sources=choose_sources(sources),
        gather=gather_evidence,
        follow=with_edits,
        rewrite=lambda text, rewrite, lines: rewrite_source(text, rewrite, lines=lines),
        thorough=thorough,
    )
