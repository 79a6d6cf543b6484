"""What a cache keeps, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from backdate.environments.cache_kinds import CacheKind
from backdate.environments.cache_upkeep import CacheReport, KindUse

Line = tuple[str, str]
_HOLDS = {
    CacheKind.ENVIRONMENTS: "of projects, made once and used again",
    CacheKind.PACKAGES: "as uv downloaded and unpacked them",
    CacheKind.WHEELS: "built from sdists",
    CacheKind.DOWNLOADS: "sources, and what requirements name by address",
    CacheKind.PAGES: "of package indexes",
    CacheKind.RESULTS: "runs of tests, probes, logs",
    CacheKind.RESOLUTIONS: "locks, and what was read of files once",
    CacheKind.BASES: "base systems with Debian packages",
}
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def cache_lines(report: CacheReport) -> Iterator[Line]:
    """What is kept, by kind; what was removed, and what is in use."""
    yield f"cache {report.folder}", "bold"
    width = max(len(size_text(one.bytes)) for one in report.kinds)
    for one in report.kinds:
        holds = f"{one.kind:<12}  {size_text(one.bytes):>{width}}  {one.count:>6}  {_HOLDS[one.kind]}"
        yield f"  {holds}", "" if one.bytes else "dim"
    bound = "no bound" if report.bound_bytes is None else f"bound {size_text(report.bound_bytes)}"
    over = report.bound_bytes is not None and report.bytes > report.bound_bytes
    yield f"  {'in all':<12}  {size_text(report.bytes):>{width}}          {bound}", "yellow" if over else ""
    if report.removed:
        verb = "would be removed" if report.dry_run else "removed"
        yield f"{verb}: {size_text(report.removed_bytes)} ({_counts(report.removed)})", "green"
    if report.in_use:
        yield f"kept, as it is in use: {_counts(report.in_use)}", ""


def size_text(size: int) -> str:
    """Bytes for people: "312 B", "4.2 GiB"."""
    value, unit = float(size), 0
    while value >= 1023.95 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{value:.0f} {_UNITS[0]}" if not unit else f"{value:.1f} {_UNITS[unit]}"


def _counts(uses: Sequence[KindUse]) -> str:
    return ", ".join(f"{one.kind} {one.count}" for one in uses)
