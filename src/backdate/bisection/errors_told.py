"""What mends an error by its own words: the rules that recognise it, and what it asks to install."""

from __future__ import annotations

import re
from collections.abc import Iterator

from backdate.advice import AdvisedChange, MissingRequirement, SourcePlace
from backdate.advising.advised_changes import MovedDistribution
from backdate.advising.project_uses import ProjectUses
from backdate.advising.rule_leads import RuleAdvice, advice_behind
from backdate.bisection.explained import Explained, called_places, own_places
from backdate.diagnosis.result import Cause

_MOST_READ = 2_000
_INSTALL = re.compile(
    r"\b(?P<pip>pip )?install (?:the )?(?:package |module )?(?P<mark>[`'\"]?)"
    r"(?P<what>[A-Za-z0-9](?:[A-Za-z0-9._-]{0,80}[A-Za-z0-9])?(?:\[[A-Za-z0-9,._ -]{1,60}\])?)",
    re.IGNORECASE,
)
_NAMED_PLAINLY = re.compile(r"[\[_-]")
"""What a distribution's name has and a word of prose ("install it") has not."""
_MODULE = re.compile(
    r"[`'\"]?(?P<name>[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){1,8})[`'\"]?(?: module)? (?:is|are|was|has)\b"
)
_IMPORTS = ("ImportError", "ModuleNotFoundError")


def changes_behind(one: Explained, moved: MovedDistribution, uses: ProjectUses) -> Iterator[AdvisedChange]:
    """What the rules of a culprit say that recognise the error of a finding, on the project's lines.

    Nothing of a rule whose name the project does not use there.
    """
    cause = one.cause
    if cause is None or not cause.message:
        return
    line = f"{cause.type.rpartition('.')[2]}: {cause.message}"
    for rule in advice_behind(moved.name, line, old=moved.old, new=moved.new):
        places = _places(one, rule, uses)
        if places:
            yield AdvisedChange(
                distribution=moved.name,
                name=_shown_name(rule, cause),
                argument=rule.argument,
                replacement=rule.replacement.removeprefix("builtins."),
                rewrite=rule.rewrite,
                places=places,
                evidence=(rule.evidence,),
            )


def _shown_name(rule: RuleAdvice, cause: Cause) -> str:
    """Of an attribute of any object with the class that the error names."""
    owner = cause.owner.rpartition(".")[2]
    return f"{owner}{rule.target}" if rule.target.startswith(".") and owner else rule.target.lstrip(".")


def _places(one: Explained, rule: RuleAdvice, uses: ProjectUses) -> tuple[SourcePlace, ...]:
    """Where the project uses what a rule is about: of a dotted name everywhere, of an attribute of objects
    the line at which the error surfaced. So of a function that a module of another name hands on.
    """
    if rule.target.startswith("."):
        place, leaf = one.finding.error.place, rule.target.removeprefix(".")
        # of a statement of several lines an interpreter names the first, which may not hold the attribute
        about = one.cause is not None and one.cause.name == leaf
        return own_places(one, uses) if about or (place is not None and leaf in place.source) else ()
    used = uses.names.get(rule.target)
    if used is None:
        return called_places(one, uses) if _is_called(one, rule.target) else ()
    return tuple(used.keywords.get(rule.argument, ()) if rule.argument else used.places)


def _is_called(one: Explained, target: str) -> bool:
    """Whether an error is about calling the function ``target``, and its line calls one of that name."""
    cause, place, leaf = one.cause, one.finding.error.place, target.rpartition(".")[2]
    if cause is None or place is None or cause.owner_is != "function":
        return False
    return cause.owner == leaf and f".{leaf}(" in place.source


def requirement_in_error(one: Explained, uses: ProjectUses) -> MissingRequirement | None:
    """What an error of importing a culprit's module says has to be installed now; None where it does not."""
    cause = one.cause
    if cause is None or cause.type.rpartition(".")[2] not in _IMPORTS or len(one.finding.culprits) != 1:
        return None
    text = cause.message[:_MOST_READ]
    install, module = next(_installs(text), ""), _MODULE.match(text)
    culprit = one.finding.culprits[0]
    if not install or module is None or culprit.new is None:
        return None
    used = uses.of_modules([module["name"]]).values()
    found = {place for use in used for place in use.places}
    places = tuple(sorted(found, key=lambda place: (place.file, place.line)))
    if not places:
        return None
    return MissingRequirement(
        requirement=install,
        module=module["name"],
        places=places,
        brought_by=culprit.name,
        version=culprit.new,
    )


def _installs(text: str) -> Iterator[str]:
    """The distributions that a text says are to be installed: after pip, in marks, or with a name's signs."""
    for match in _INSTALL.finditer(text):
        if match["pip"] or match["mark"] or _NAMED_PLAINLY.search(match["what"]):
            yield match["what"]
