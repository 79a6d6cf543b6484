"""Which modules tests were skipped for want of: what they would show is not known."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from packaging.utils import canonicalize_name

from backdate.environments.environment import Environment
from backdate.knowledge.changes import library_changes_of
from backdate.knowledge.modules import distribution_of, in_standard_library, row_of
from backdate.testing.outcomes import Outcome, SuiteRun
from backdate.text import counted, plural

_MOST_NAMED = 3
_LONGEST = 200
"""Characters of a reason that are read."""
_NOT_IMPORTED = re.compile(r"could not import '(?P<name>[A-Za-z_][\w.]{0,60})'")
"""What ``pytest.importorskip`` says."""
_WANTED = (
    re.compile(
        r"\b(?:requires?|needs?|wants?|without|missing|install) (?:the )?[`'\"]?"
        r"(?P<name>[A-Za-z][\w-]{1,40})",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?P<name>[A-Za-z][\w-]{1,40})[`'\"]? (?:is |are |was )?(?:not (?:available|found|installed)|missing"
        r"|unavailable)\b",
        re.IGNORECASE,
    ),
)
"""In projects' own words, which count for well-known modules alone."""


def optional_notes(run: SuiteRun, environment: Environment | None) -> Iterator[str]:
    """One sentence on the tests of ``run`` that were skipped as a distribution is not installed."""
    there = {one.name for one in environment.lock.distributions} if environment is not None else set()
    wanted = Counter(
        name
        for result in run.results
        if result.outcome is Outcome.SKIPPED
        if (name := _wanted_in(result.reason[:_LONGEST])) and name not in there
    )
    if not wanted:
        return
    named = sorted(wanted, key=lambda name: (-wanted[name], name))
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    skipped = f"{counted(wanted.total(), 'test')} {plural(wanted.total(), 'was', 'were')} skipped"
    missing = f"{', '.join(named[:_MOST_NAMED])}{more} {plural(len(named), 'is', 'are')} not installed"
    yield f"{skipped}, as {missing}: what they would show is not known (--extra installs an extra)"


def _wanted_in(reason: str) -> str:
    """The distribution that a reason to skip names; "" where it names none that is known."""
    match = _NOT_IMPORTED.search(reason)
    if match is not None:
        top = match["name"].partition(".")[0]
        return "" if in_standard_library(top) else canonicalize_name(distribution_of(top))
    for pattern in _WANTED:
        for match in pattern.finditer(reason):
            name = match["name"].casefold().replace("-", "_")
            if _is_well_known(name):
                return canonicalize_name(distribution_of(name))
    return ""


def _is_well_known(module: str) -> bool:
    """Whether a word is a module of which the tables know something: others may be any word of prose."""
    if in_standard_library(module):
        return False
    return row_of(module) is not None or any(True for _ in library_changes_of(module))
