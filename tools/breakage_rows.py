"""The rows of tools/breakages.toml, and what came of them: see bisect_breakages.py."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
from kept_bisections import WantedBisection
from packaging.utils import canonicalize_name
from packaging.version import Version

from backdate.bisection.result import BisectResult, Culprit, Finding, read_bisect_result

LIST = Path(__file__).parent / "breakages.toml"
Answer = Literal["right", "wrong", "partly"]


class LaterList(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A list behind the first one."""

    name: str
    """"second", as rows name it."""
    heading: str
    introduction: str
    """What its part of the page says first; ``{tried}`` is how many rows were tried at which commits."""

    @property
    def start(self) -> str:
        """The line at which its part of the page begins."""
        return f"\n## {self.heading}\n"


class Breakage(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A row of the list."""

    project: str
    """"NAME==VERSION", of an sdist."""
    old: str
    new: str
    culprit: str
    release: str
    """The release that broke it, or whose series did."""
    said: str
    """The project's changelog: release and words."""
    instead: str = ""
    """What the library says is written instead of what went, and where; written before the row was tried."""
    hand: Literal["", "right", "wrong", "nothing breaks", "not visible", "no answer"] = ""
    """What a person found of the culprits. "nothing breaks": the suite passes with the expected release, as
    the answer says. "not visible": the suite cannot show it (no tests, no good old side, a network). "no
    answer": it was ended before it had one."""
    missed: str = ""
    """The breakages of the window that the answer does not tell, by a person; "" where it tells all."""
    read: Literal["", "right", "wrong", "nothing named"] = ""
    """What a person thinks of the advice; "nothing named" where the library names no replacement."""
    false: str = ""
    """A line of the advice that is not true."""
    why: str = ""
    """Of ``read``, and of an answer that is not the expected one."""
    again: str = ""
    """What a person says of the answer after mending."""
    commit: str = ""
    """Where the row was tried first; "" for the first list."""
    part: str = "first"
    """The list, and the part of the page, that it is in."""

    @property
    def wanted(self) -> WantedBisection:
        return WantedBisection(shown=self.project, source=f"pypi:{self.project}", old=self.old, new=self.new)

    def kept(self, results: Path) -> tuple[Path, Path]:
        """Where the result is, and why there is none."""
        name = self.project.replace("==", "-")
        return results / f"{name}.json", results / f"{name}.failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A row with its answer; None where there is none."""

    breakage: Breakage
    result: BisectResult | None
    failed: str = ""

    @property
    def answer(self) -> Answer:
        """``partly``: the library is named, at another release."""
        culprits = [one for finding in self.findings for one in finding.culprits]
        same = [one for one in culprits if one.name == canonicalize_name(self.breakage.culprit)]
        if any(_is_release(one, self.breakage.release) for one in same):
            return "right"
        return "partly" if same else "wrong"

    @property
    def findings(self) -> tuple[Finding, ...]:
        return () if self.result is None else self.result.findings


@functools.cache
def later_lists() -> tuple[LaterList, ...]:
    """The lists behind the first one, in the order of the page."""
    return msgspec.convert(tomllib.loads(LIST.read_text(encoding="utf-8"))["list"], tuple[LaterList, ...])


def read_breakages(path: Path) -> tuple[Breakage, ...]:
    """The list. Raises msgspec.ValidationError for what is no row."""
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8"))["breakage"], tuple[Breakage, ...])


def judged(breakages: Sequence[Breakage], results: Path) -> list[Judged]:
    """The rows that were tried, with their answers."""
    rows = []
    for breakage in breakages:
        kept, failed = breakage.kept(results)
        if kept.exists():
            rows.append(Judged(breakage=breakage, result=read_bisect_result(kept)))
        elif failed.exists():
            said = failed.read_text(encoding="utf-8").strip().splitlines()
            rows.append(Judged(breakage=breakage, result=None, failed=said[-1] if said else "no answer"))
    return rows


def _is_release(culprit: Culprit, release: str) -> bool:
    """Whether the culprit's first bad version is ``release`` or the first of its series that was had."""
    if culprit.new is None:
        return False
    wanted, found = Version(release), Version(culprit.new)
    return found.release[: len(wanted.release)] == wanted.release or found == wanted
