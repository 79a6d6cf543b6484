"""What a project's line calls, and which of its files a traceback names."""

from __future__ import annotations

from collections.abc import Sequence

from backdate.advice import SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.testing.outcomes import Frame


def own_file(file: str, uses: ProjectUses) -> str:
    """The file of the tree that ``file`` is: itself, or what an installed copy was made from; "" for none."""
    installed = file.rpartition("/site-packages/")[2]
    if installed in uses.files:
        return installed
    alike = [known for known in uses.files if known.endswith(f"/{installed}")]
    return alike[0] if len(alike) == 1 else ""


def lines_around(place: SourcePlace, uses: ProjectUses) -> frozenset[SourcePlace]:
    """The lines of the project's statement at a place that a warning names, in an installed copy as well."""
    file = own_file(place.file, uses)
    return uses.lines_around(SourcePlace(file=file, line=place.line)) if file else frozenset()


def lines_about(failed_at: Frame | None, uses: ProjectUses, modules: Sequence[str]) -> frozenset[SourcePlace]:
    """The project's lines of which a warning is about ``modules``: those that use them, and the statement at
    which the error surfaced, which may use an object that shows none of their names."""
    used = uses.of_modules(modules)
    lines = frozenset(place for name, one in used.items() if "." in name for place in one.places)
    if failed_at is None:
        return lines
    return lines | lines_around(SourcePlace(file=failed_at.file, line=failed_at.line), uses)


def names_called_at(place: Frame | None, uses: ProjectUses, modules: Sequence[str]) -> tuple[str, ...]:
    """The names of ``modules`` that the statement uses at which an error surfaced, the longest first."""
    if place is None:
        return ()
    at = SourcePlace(file=own_file(place.file, uses), line=place.line)
    lines = uses.lines_around(at)
    used = uses.of_modules(modules)
    names = [name for name, one in used.items() if "." in name and not lines.isdisjoint(one.places)]
    return tuple(sorted(names, key=lambda name: (-name.count("."), name)))
