"""How far the signatures of two versions tell which calls break, measured by the labels of PCBench.

    python tools/measure_pcbench.py CLONE --library tornado [--library flask …] [--cache DIR] [--most N]

CLONE is a user's own clone of PCART-tools/PCBench, which is under the AGPL: it is read in place, nothing of
it is copied or kept, and only counts are printed. Its cases are parsed, not run. Both versions of each
library are installed and asked for the signatures of the changed functions, as for the rules solver
(``diagnosis/api.py``); a version that cannot be installed is counted as not asked.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from backdate.advising.parameters import SignatureParameter, parameters_in
from backdate.checking.resources import Resources
from backdate.checking.settings import Settings
from backdate.diagnosis.api import Member
from backdate.environments.cache import default_cache
from backdate.environments.environment import Environment
from backdate.errors import SourceError
from backdate.mining.literals import parsed
from backdate.projects.sources.listing import fetch_listing
from backdate.snippets.asked_names import EnvironmentNames
from backdate.snippets.environments import SnippetEnvironments
from backdate.snippets.versions import side_of

_FOLDER = re.compile(r"(?P<api>[\w.]{1,200})@(?P<old>[\w.]{1,40})-(?P<new>[\w.]{1,40})")
_CASE = re.compile(r".{1,220}#\d{1,6}(?P<compatible>[YN])(?P<runs>[YN])")
_LARGEST = 200_000


class Effect(StrEnum):
    """What becomes of a call, as PCBench labels it and as signatures tell it."""

    SAME = "compatible"
    OTHERWISE = "incompatible, runs"
    BREAKS = "incompatible"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledCall:
    """One case: how a function is called, and what becomes of that."""

    library: str
    api: str
    old: str
    new: str
    positional: int
    keywords: frozenset[str]
    label: Effect


def calls_in(clone: Path, library: str) -> Iterator[LabelledCall]:
    """The cases of one library whose call can be read; those that unpack arguments are left out."""
    folder = clone / "Benchmark" / library
    for place in sorted(folder.iterdir()):
        match = _FOLDER.fullmatch(place.name)
        if match is None or place.is_symlink() or not place.is_dir():
            continue
        for case in sorted(place.iterdir()):
            label = _CASE.fullmatch(case.name)
            call = None if label is None or case.is_symlink() else _call(case, match["api"])
            if label is not None and call is not None:
                yield LabelledCall(
                    library=library,
                    api=match["api"],
                    old=match["old"],
                    new=match["new"],
                    positional=len(call.args),
                    keywords=frozenset(one.arg for one in call.keywords if one.arg),
                    label=_label(label["compatible"], label["runs"]),
                )


def _label(compatible: str, runs: str) -> Effect:
    if compatible == "Y":
        return Effect.SAME
    return Effect.OTHERWISE if runs == "Y" else Effect.BREAKS


def _call(case: Path, api: str) -> ast.Call | None:
    """The last call of ``api`` in the case's one program."""
    files = [file for file in sorted(case.glob("*.py")) if file.is_file() and not file.is_symlink()]
    if len(files) != 1 or files[0].stat().st_size > _LARGEST:
        return None
    tree = parsed(files[0].read_text(encoding="utf-8", errors="replace"))
    leaf = api.rpartition(".")[2]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    named = [one for one in calls if _leaf(one.func) == leaf]
    found = max(named, key=lambda one: one.lineno) if named else None
    if found is None or any(isinstance(one, ast.Starred) for one in found.args):
        return None
    return None if any(one.arg is None for one in found.keywords) else found


def _leaf(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def told(call: LabelledCall, old: Member, new: Member) -> Effect | None:
    """What both signatures say becomes of a call; None where one of them is not known."""
    if not new.present:
        return Effect.BREAKS
    if not old.present or not old.signature or not new.signature:
        return None
    if any(member.signature != "()" and not parameters_in(member.signature) for member in (old, new)):
        return None
    before, after = (_given(call.api, member) for member in (old, new))
    if not _binds(after, call, any_keyword="**" in new.signature):
        return Effect.BREAKS
    return Effect.SAME if _means_the_same(before, after, call) else Effect.OTHERWISE


def _given(api: str, member: Member) -> tuple[SignatureParameter, ...]:
    """The parameters that a call gives: of a method without its object."""
    parameters = parameters_in(member.signature)
    is_method = member.kind == "function" and api.rpartition(".")[0].rpartition(".")[2][:1].isupper()
    first = parameters[:1]
    return parameters[1:] if is_method and first and first[0].name in ("self", "cls") else parameters


def _by_position(parameters: Sequence[SignatureParameter]) -> list[SignatureParameter]:
    return [one for one in parameters if not one.keyword_only and not one.starred]


def _binds(parameters: Sequence[SignatureParameter], call: LabelledCall, *, any_keyword: bool) -> bool:
    by_position = _by_position(parameters)
    if call.positional > len(by_position) and not any(one.starred for one in parameters):
        return False
    taken = {one.name for one in by_position[: call.positional]}
    names = {one.name for one in parameters if not one.starred and not one.positional_only}
    if taken & call.keywords or (call.keywords - names and not any_keyword):
        return False
    needed = {one.name for one in parameters if one.default is None and not one.starred}
    return needed <= taken | (call.keywords & names)


def _means_the_same(
    before: Sequence[SignatureParameter], after: Sequence[SignatureParameter], call: LabelledCall
) -> bool:
    """Whether the positions are the same parameters, and those that are not given have the same defaults."""
    positions = [[one.name for one in _by_position(side)[: call.positional]] for side in (before, after)]
    if positions[0] != positions[1]:
        return False
    given = {*positions[0], *call.keywords}
    now = {one.name: one.default for one in after}
    return all(now.get(one.name, one.default) == one.default for one in before if one.name not in given)


def measure(resources: Resources, calls: Sequence[LabelledCall], *, most: int) -> Counter[tuple[Effect, str]]:
    """How often each label met what signatures tell, or "not asked"."""
    counts: Counter[tuple[Effect, str]] = Counter()
    by_pair: defaultdict[tuple[str, str, str], list[LabelledCall]] = defaultdict(list)
    for call in calls:
        by_pair[call.library, call.old, call.new].append(call)
    for (library, old, new), some in list(by_pair.items())[:most]:
        names = sorted({name for call in some for name in _names(call)})
        before, after = (_asked(resources, library, version, names) for version in (old, new))
        for call in some:
            found = next(
                (
                    effect
                    for name in _names(call)
                    if name in before and before[name].present and name in after
                    if (effect := told(call, before[name], after[name])) is not None
                ),
                None,
            )
            counts[call.label, "not asked" if found is None else found.value] += 1
        print(f"{library} {old} to {new}: {len(some)} calls", flush=True)
    return counts


def _names(call: LabelledCall) -> tuple[str, ...]:
    """Its dotted name as it may be meant: some are written without the library's own name."""
    whole = (call.api, f"{call.library}.{call.api}")
    return whole if call.api.partition(".")[0] == call.library else whole[::-1]


def _asked(resources: Resources, library: str, version: str, names: Sequence[str]) -> dict[str, Member]:
    try:
        side = side_of(library, version, lambda name: fetch_listing(resources.index, name))
    except SourceError as error:
        print(f"{library} {version}: {error}", flush=True)
        return {}
    environments = SnippetEnvironments(resources)
    made = environments.of(side)
    if not isinstance(made, Environment):
        print(f"{library} {version} cannot be had", flush=True)
        return {}
    return dict(EnvironmentNames(resources.sandbox, environments, resources.cache).ask(side, names))


def main() -> None:
    """Print a table of labels by what signatures tell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clone", type=Path)
    parser.add_argument("--library", action="append", required=True)
    parser.add_argument("--cache", type=Path, default=default_cache())
    parser.add_argument("--most", type=int, default=1000, help="Pairs of versions that are installed.")
    options = parser.parse_args()
    calls = [call for library in options.library for call in calls_in(options.clone, library)]
    with Resources(Settings(cache=options.cache)) as resources:
        counts = measure(resources, calls, most=options.most)
    columns = [*Effect, "not asked"]
    print(f"| label | {' | '.join(columns)} |\n|---|{'--:|' * len(columns)}")
    for label in Effect:
        print(f"| {label.value} | {' | '.join(str(counts[label, str(one)]) for one in columns)} |")


if __name__ == "__main__":
    main()
