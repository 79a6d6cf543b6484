"""What a project has to require besides by now: what its code, or the code in its place, imports."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

from backdate.advising.project_uses import ProjectUses
from backdate.advising.uses import uses_in
from backdate.checking.result import PackageChange
from backdate.diagnosis.result import Cause, CauseKind, Cluster
from backdate.errors import ConfigurationError
from backdate.fixing.held_back import missing_requirement
from backdate.index.names import normalise
from backdate.knowledge.changes import PYTHON
from backdate.knowledge.modules import distribution_of, in_standard_library
from backdate.knowledge.rules import Rule, rules_for
from backdate.projects.read import read_bytes
from backdate.rewriting.rewrite import ReplaceName, ReplaceUse
from backdate.text import UNREADABLE

_SAYS_TO_INSTALL = re.compile(
    r"\b(?:pip install|[Ii]nstall)(?: it)?(?: with)? ['\"`]?([A-Za-z0-9][\w.-]{0,80}\[[\w,. -]{1,80}\])"
    r"|\bpip install ['\"`]?([A-Za-z0-9][\w.-]{0,80})"
    r"|['\"`]([A-Za-z0-9][\w.-]{0,80})['\"`] (?:must|has to|needs to) be installed\b"
)
_SAYS_THAT_IT_LACKS = re.compile(r"\b(?:requires?|needs?|depends on|missing|installed)\b", re.IGNORECASE)
_OF_CALLS = frozenset(
    {CauseKind.ARGUMENT_COUNT, CauseKind.UNEXPECTED_ARGUMENT, CauseKind.ASSERTION, CauseKind.CHANGED_VALUE}
)
"""What is missing or required there is an argument, or a value."""
_DOTTED = re.compile(r"(?<![\w.}])([a-z_]\w*(?:\.\w+)+)")
_DECLARATIONS = ("setup.py", "setup.cfg", "pyproject.toml", "requirements.txt")
_LARGEST = 1024 * 1024
_GONE_WITH = {"pkg_resources": "setuptools", "distutils": PYTHON}
"""Modules whose names are replaced by those of other distributions, and what dropped them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FurtherRequirement:
    """One distribution that the new environment lacks."""

    requirement: str
    """"packaging", "lxml[html-clean]"."""
    module: str = ""
    """The module that a rule writes an import of; "" where the failing import itself asks for it."""

    def is_needed_by(self, patch: str) -> bool:
        """Whether a project with ``patch`` needs it."""
        added = (line for line in patch.split("\n") if line.startswith("+") and not line.startswith("+++"))
        return not self.module or any(
            re.search(rf"(?<![\w.]){re.escape(self.module)}(?!\w)", line) for line in added
        )


def further_requirements(
    clusters: Sequence[Cluster],
    tree: Path,
    changes: Sequence[PackageChange],
    pythons: tuple[str, str],
    declared: str,
    own: frozenset[str],
    *,
    may_edit: Callable[[str], bool] = lambda _: True,
) -> tuple[FurtherRequirement, ...]:
    """What a project lacks whose failures on the new side are ``clusters``.

    ``tree``: its code. ``changes`` and ``pythons``: how the environments differ. ``declared``: the
    text of the files in which it declares requirements: what they name is not missing, but a module that only
    something else has installed is. ``own``: top-level names of the project's modules. ``may_edit``: whether
    a file may be edited: in another one no rule replaces anything.
    """
    moves = {**{change.name: (change.old or "", change.new or "") for change in changes}, PYTHON: pythons}
    found: dict[str, FurtherRequirement] = {}
    replaced: set[str] = set()
    moved = {top: distribution for top, distribution in _GONE_WITH.items() if distribution in moves}
    uses = uses_in(tree, mentioning=moved) if moved else ProjectUses()
    for top, distribution in moved.items():
        rules = _rules_of_uses(top, distribution, uses, moves)
        files = {place.file for name in rules for place in uses.names[name].places}
        if rules and all(rules.values()) and all(map(may_edit, files)):
            replaced.add(top)
        for rule in (rule for several in rules.values() for rule in several):
            for module in _modules_written(rule):
                name = normalise(distribution_of(module))
                if (
                    not in_standard_library(module)
                    and module not in _GONE_WITH
                    and not _names(declared, name)
                ):
                    found.setdefault(name, FurtherRequirement(requirement=name, module=module))
    left = frozenset(change.name for change in changes if change.old and not change.new)
    for cluster in clusters:
        asked = _said(cluster.cause.message) or _said_of(left, cluster.cause)
        top = cluster.cause.name.partition(".")[0]
        if not asked and (top not in replaced or _is_imported_by_another(cluster, top)):
            asked = missing_requirement(cluster.cause, own) or _left_with(cluster.cause, left, own)
        if asked:
            found.setdefault(asked, FurtherRequirement(requirement=asked))
    return tuple(found.values())


def declarations(tree: Path) -> str:
    """The text of the files in which the project at ``tree`` declares what it requires."""
    texts = []
    for name in _DECLARATIONS:
        try:
            data = read_bytes(tree, name, limit=_LARGEST)
        except ConfigurationError:
            continue  # a link, or too large: said elsewhere, when the project is read
        texts.append((data or b"").decode("utf-8", "replace"))
    return "\n".join(texts)


def _is_imported_by_another(cluster: Cluster, top: str) -> bool:
    """Whether the project's lines import something else, which imports ``top``: no rule edits that."""
    sources = [place.frame.source for place in cluster.places]
    return all(sources) and bool(sources) and not any(re.search(rf"\b{top}\b", line) for line in sources)


def _names(declared: str, distribution: str) -> bool:
    name = r"[-_.]".join(map(re.escape, distribution.split("-")))
    return re.search(rf"(?<![\w.-]){name}(?![\w.-]*\w)", declared, re.IGNORECASE) is not None


def _rules_of_uses(
    top: str, distribution: str, uses: ProjectUses, moves: Mapping[str, tuple[str, str]]
) -> dict[str, tuple[Rule, ...]]:
    """The rules for everything that is used of a module, by name."""
    names = [name for name in uses.names if name.startswith(f"{top}.")]
    outer = {name.rpartition(".")[0] for name in names}
    old, new = moves[distribution]
    return {name: rules_for(distribution, name, old=old, new=new) for name in names if name not in outer}


def _said(message: str) -> str:
    """What an error says to install; "" where it says nothing of the kind."""
    match = _SAYS_TO_INSTALL.search(message[:2_000])
    if match is None:
        return ""
    text = (match[1] or match[2] or match[3]).rstrip(".,-_")
    try:
        Requirement(text)
    except UNREADABLE:
        return ""
    return text


def _left_with(cause: Cause, left: frozenset[str], own: frozenset[str]) -> str:
    """Which distribution that ``left`` the environment has the module that is missing; "" for none.

    A module of the same name may be there: pytest has a `py` of its own that lacks `py.builtin`.
    """
    top = cause.name.partition(".")[0]
    name = normalise(distribution_of(top)) if top and top not in own else ""
    return name if cause.kind is CauseKind.MISSING_MODULE and name in left else ""


def _said_of(left: frozenset[str], cause: Cause) -> str:
    """Which distribution that ``left`` the environment an error says it lacks; "" where it names none.

    It came with another one before, as in "The '.style' accessor requires jinja2".
    """
    first = cause.message[:2_000].partition("\n")[0]
    if cause.kind in _OF_CALLS or not _SAYS_THAT_IT_LACKS.search(first):
        return ""
    words = (normalise(word.rstrip(".-_")) for word in re.findall(r"[A-Za-z0-9][\w.-]*", first))
    return next((word for word in words if word in left), "")


def _modules_written(rule: Rule) -> Iterator[str]:
    match rule.rewrite:
        case ReplaceName(new=new):
            yield new.partition(".")[0]
        case ReplaceUse(template=template):
            yield from (found.partition(".")[0] for found in _DOTTED.findall(template))
        case _:
            return
