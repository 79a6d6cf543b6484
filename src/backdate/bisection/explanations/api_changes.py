"""The dotted names that an error is about, as far as they are known, and how they changed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from backdate.advising.project_uses import ProjectUses
from backdate.bisection.result import ChangedName
from backdate.diagnosis.api import ApiDifference, NameChange, ask_both, probe
from backdate.diagnosis.owners import in_builtins
from backdate.diagnosis.result import Cause, CauseKind, PlacedFrame
from backdate.environments.environment import Environment
from backdate.index.names import normalise
from backdate.knowledge.modules import aliases, in_standard_library
from backdate.sandboxes.interface import Sandbox

MOST_NAMES = 6
_CONSTRUCTORS = ("__init__", "__new__", "__call__")
_SPECIAL = re.compile(r"__[a-z]{1,30}__\Z")


def of_a_library(cause: Cause | None, uses: ProjectUses) -> Cause | None:
    """``cause``; None where what is missing is of a module of the project itself, of which no library speaks:
    it is there only half, as what it imports failed."""
    own = cause is not None and cause.owner_is == "module" and uses.defines_module_of(cause.dotted)
    return None if own else cause


def search_terms_of(cause: Cause | None) -> tuple[str, ...]:
    """What text about the change may call it: the missing name, of a class with it, then the function.

    Of an error that a group holds also the group: a library may have begun to raise groups.
    """
    if cause is None or _lacked_by_value(cause):
        return ()
    owner = [part for part in cause.owner.split(".") if part not in _CONSTRUCTORS]
    of_function = owner[-1:] if cause.owner_is == "function" else []
    of_type = [f"{owner[-1]}.{cause.name}"] if cause.owner_is == "type" and owner and cause.name else []
    terms = [
        *of_type,
        cause.name,
        cause.name.rpartition(".")[2],
        *of_function,
        cause.group.rpartition(".")[2],
    ]
    return tuple(dict.fromkeys(term for term in terms if len(term) > 1))


def operator_terms(frames: Sequence[PlacedFrame], culprits: Collection[str]) -> tuple[str, ...]:
    """The method of a culprit that an operator on the project's line ran, and that raised: no line names it.

    ``frames``: the innermost first. ``culprits``: normalised.
    """
    innermost = frames[0] if frames else None
    if innermost is None or normalise(innermost.distribution or "") not in culprits:
        return ()
    name = innermost.frame.function.rpartition(".")[2]
    return (name,) if _SPECIAL.match(name) and name not in _CONSTRUCTORS else ()


def _lacked_by_value(cause: Cause) -> bool:
    """Whether a value of a built-in type lacks something: it should be of another type, and lacks nothing."""
    return cause.owner_is == "type" and in_builtins(cause.owner)


def names_of(cause: Cause | None, modules: Sequence[str]) -> tuple[str, ...]:
    """Dotted names to ask for, the likeliest first; ``modules``: top-level modules of the culprit."""
    if cause is None or not (cause.owner or cause.name) or _lacked_by_value(cause):
        return ()
    if cause.kind is CauseKind.MISSING_MODULE:
        return (cause.name,)
    parts = [
        part for part in cause.owner.split(".") if part and part not in _CONSTRUCTORS and part != "<locals>"
    ]
    if parts and parts[0] in aliases():
        parts[:1] = aliases()[parts[0]].split(".")
    if cause.owner_is != "function" and cause.name:
        parts.append(cause.name)
    if not parts or (not cause.owner and cause.owner_is != "module" and not cause.name):
        return ()
    whole = ".".join(parts)
    if (
        cause.owner_is == "module"
        or parts[0] in modules
        or (len(parts) > 1 and in_standard_library(parts[0]))
    ):
        return (whole,)
    guesses = [f"{module}.{whole}" for module in modules]
    if cause.owner_is == "type":  # PIL.ImageDraw.ImageDraw: a module is often called as its class
        guesses += [f"{module}.{parts[0]}.{whole}" for module in modules]
    return tuple(dict.fromkeys(guesses))[:MOST_NAMES]


def changed_names(
    sandbox: Sandbox, old: Environment, new: Environment, names: Sequence[str]
) -> tuple[ChangedName, ...]:
    """What became of ``names`` between two environments; unless nothing did, or neither has them.

    A name that the old environment does not know may be a guess at the wrong module of the right
    distribution: what is called so there is asked for instead. Raises SandboxUnavailable.
    """
    if not names:
        return ()
    before = probe(sandbox, old, names)
    asked = dict.fromkeys(member.name for member in before.members if member.present)
    if not asked:
        for member in before.members:
            asked.update(dict.fromkeys(_alike(member.name, member.candidates)))
    if not asked:  # of a method: its class may be found
        classes = probe(sandbox, old, [name.rpartition(".")[0] for name in names if name.count(".") > 1])
        for member in classes.members:
            last = next(name for name in names if name.startswith(f"{member.name}.")).rpartition(".")[2]
            asked.update(
                dict.fromkeys(f"{candidate}.{last}" for candidate in _alike(member.name, member.candidates))
            )
    known = {member.name: member for member in before.members}
    differences = ask_both(sandbox, old, new, list(asked)[:MOST_NAMES], known=known)
    changed = [
        difference
        for difference in differences
        if difference.change not in (NameChange.SAME, NameChange.NEVER, NameChange.UNKNOWN)
    ]
    return tuple(_changed(difference) for difference in changed)


def _alike(name: str, candidates: Sequence[str]) -> Sequence[str]:
    """Of ``candidates`` the two that share the most of the end of ``name``, the shorter first."""
    wanted = name.split(".")

    def shared(candidate: str) -> int:
        parts = candidate.split(".")
        count = 0
        while count < min(len(parts), len(wanted)) and parts[-1 - count] == wanted[-1 - count]:
            count += 1
        return count

    return sorted(candidates, key=lambda candidate: (-shared(candidate), candidate.count("."), candidate))[:2]


def _changed(difference: ApiDifference) -> ChangedName:
    # a value tells no more of its home than the module that holds it, and `__path__` is Python's own
    moved = tuple(
        name
        for name in difference.moved_to
        if not difference.name.startswith(f"{name}.") and not name.rpartition(".")[2].startswith("__")
    )
    return ChangedName(
        name=difference.name,
        change=NameChange.GONE if difference.change is NameChange.MOVED and not moved else difference.change,
        old_signature=difference.old.signature if difference.old else "",
        new_signature=difference.new.signature if difference.new else "",
        moved_to=moved[:3],
        removed_parameters=difference.removed_parameters,
        added_parameters=difference.added_parameters,
        warned=tuple(
            f"{warning.category}: {warning.message[:300]}" for warning in difference.old.warnings[:2]
        )
        if difference.old
        else (),
    )
