"""What came of a fix: the check's comparison beside that of the last run."""

from __future__ import annotations

from collections.abc import Sequence

from backdate.checking.result import Comparison
from backdate.fixing.result import FixOutcome
from backdate.text import counted


def outcome_of(
    first: Comparison, left: Comparison, *, changed: bool, added: Sequence[str] = ()
) -> tuple[FixOutcome, str]:
    """The outcome, and one sentence for it; ``left``: with the patch, where it ``changed`` something.

    ``added``: requirements that the new side was given besides. A test that is skipped with the patch, or not
    there any more, does not pass.
    """
    gained, worse = gained_and_lost(first, left)
    mended = len(gained)
    if not changed and not (added and mended):
        return FixOutcome.NOT_FIXED, f"nothing that is known mends {_tests(len(first.broke))}"
    broke = len(first.broke)
    means = " and ".join([*(["the patch"] if changed else []), *([", ".join(added)] if added else [])])
    if mended == broke and not worse:
        return FixOutcome.FIXED, f"{_tests(broke)} {'passes' if broke == 1 else 'pass'} again with {means}"
    also = f"; without it {counted(len(worse), 'more test')} passed" if worse else ""
    if not mended:
        further = "with the patch tests get further, to another error"
        return FixOutcome.NOT_FIXED, f"{further}: {_none_of(broke)} yet{also}"
    return FixOutcome.PARTLY, f"{mended} of {_tests(broke)} pass again with {means}{also}"


def gained_and_lost(first: Comparison, left: Comparison) -> tuple[set[str], set[str]]:
    """The tests that broke and pass with a patch, and those that are good without it alone."""
    return set(first.broke) - _not_good(left), _not_good(left) - _not_good(first)


def _not_good(comparison: Comparison) -> set[str]:
    """The tests of the old side that were good there and are not now."""
    return {*comparison.broke, *comparison.vanished, *comparison.skipped_now}


def _none_of(count: int) -> str:
    return (
        "the test that broke does not pass" if count == 1 else f"none of the {count} tests that broke passes"
    )


def _tests(count: int) -> str:
    return "the test that broke" if count == 1 else f"the {count} tests that broke"
