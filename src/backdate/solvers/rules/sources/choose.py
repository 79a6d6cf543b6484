"""The one place that names the sources of proposals, in the order of their yield."""

from __future__ import annotations

from collections.abc import Sequence

from backdate.errors import UsageError
from backdate.knowledge.rules import RuleOrigin
from backdate.solvers.rules.proposals import ProposalOrigin, ProposalSource
from backdate.solvers.rules.sources.announcements import AnnouncementSource
from backdate.solvers.rules.sources.changed_defaults import ChangedDefaultSource
from backdate.solvers.rules.sources.changelogs import ChangelogSource
from backdate.solvers.rules.sources.fixers import FixerSource
from backdate.solvers.rules.sources.kept_definitions import KeptDefinitionSource
from backdate.solvers.rules.sources.messages import MessageSource
from backdate.solvers.rules.sources.new_home import NewHomeSource
from backdate.solvers.rules.sources.recorded_calls import RecordedCallSource
from backdate.solvers.rules.sources.restructuring import RestructuringSource
from backdate.solvers.rules.sources.rules import RuleSource
from backdate.solvers.rules.sources.signatures import SignatureSource
from backdate.solvers.rules.sources.unused_imports import UnusedImportSource
from backdate.solvers.rules.sources.warnings import WarningSource


def all_sources() -> tuple[ProposalSource, ...]:
    """Every source, the one that is right most often first."""
    return (
        RuleSource(RuleOrigin.WRITTEN),
        RuleSource(RuleOrigin.MINED),
        MessageSource(),
        WarningSource(),
        FixerSource(),
        UnusedImportSource(),
        AnnouncementSource(),
        ChangelogSource(),
        NewHomeSource(),
        SignatureSource(),
        RecordedCallSource(),
        RestructuringSource(),
        ChangedDefaultSource(),
        KeptDefinitionSource(),
    )


RULES = (ProposalOrigin.WRITTEN_RULE, ProposalOrigin.MINED_RULE, ProposalOrigin.FIXER)
"""What was written down or collected before the failure was seen; other tools bring rules of theirs."""
EVIDENCE = "evidence"
"""All sources but the rules, ours and other tools'."""


def choose_sources(text: str = "") -> tuple[ProposalSource, ...]:
    """The sources that ``text`` names, in the order of their yield; all of them for "".

    "message,warning" takes these alone, "-written-rule" all but that, and "evidence" all but rules.
    Raises UsageError for a name that is none.
    """
    named = {part.strip() for part in text.split(",") if part.strip()}
    known = {str(source.origin) for source in all_sources()}
    kept: set[str] = set()
    if not named or all(name.startswith("-") for name in named):
        kept |= known
    for name in named:
        plain = name.removeprefix("-")
        meant = known - set(RULES) if plain == EVIDENCE else {plain}
        if not meant <= known:
            raise UsageError(
                f"there is no source {plain!r}; there are {', '.join(sorted(known))}, {EVIDENCE}"
            )
        kept = kept - meant if name.startswith("-") else kept | meant
    return tuple(source for source in all_sources() if str(source.origin) in kept)


def source_names() -> Sequence[str]:
    """What ``choose_sources`` knows."""
    return [str(source.origin) for source in all_sources()]
