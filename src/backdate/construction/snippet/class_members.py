"""What a library's classes have in two environments: the methods and attributes that only the origin has.

Each environment runs a small program, in the sandbox like every snippet: it looks up the classes and says
which of the wanted attributes they have and which keyword arguments those take. What it says is a stranger's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from backdate.construction.snippet.changed_apis import ASKED, ChangedApi
from backdate.rewriting.rewrite import ChangeArgument, RenameAttribute, ReplaceUse, Rewrite
from backdate.serial import from_builtins
from backdate.snippets.runs import ProgramEnd, ProgramLimits, ProgramRunner, SnippetProgram
from backdate.snippets.snippet import ApiChangeKind, Harness, SnippetSide

T = TypeVar("T")
_LIMITS = ProgramLimits(wall_s=60.0)
_MOST_NAMES = 2_000
_MOST_ATTRIBUTES = 800
_MOST_OWNERS = 12

_PROGRAM = '''
import difflib
import importlib
import inspect
import json

def _found(dotted):
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except Exception:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found

def _classes(names):
    classes = {}
    wanted = list(names)
    for top in sorted(set(name.split(".")[0] for name in names)):
        wanted += ["%s.%s" % (top, name) for name in sorted(dir(_found(top))) if name[:1] != "_"]
    for name in sorted(set(wanted), key=lambda name: (name.count("."), name)):
        try:
            found = _found(name)
        except Exception:
            continue
        if isinstance(found, type) and not issubclass(found, BaseException):
            classes.setdefault(found, name)
    return classes

def _keywords(owner, leaf):
    try:
        given = list(inspect.signature(getattr(owner, leaf)).parameters.values())
        if inspect.isfunction(inspect.getattr_static(owner, leaf)):
            given = given[1:]  # the object, whatever it is called
    except Exception:
        return None
    if any(one.kind is one.VAR_KEYWORD for one in given):
        return None
    return [one.name for one in given if one.kind not in (one.VAR_POSITIONAL, one.POSITIONAL_ONLY)]

def members(names, wanted):
    """Of each class the wanted attributes that it has, with the keywords that they take."""
    told = {}
    for found, name in _classes(names).items():
        has = set(dir(found))
        told[name] = {leaf: _keywords(found, leaf) for leaf in wanted if leaf in has}
    return json.dumps(told, sort_keys=True)

def instead(pairs):
    """Of each class and a name that it lacks: names like it, and whether a function has its name."""
    told = []
    for name, leaf in pairs:
        try:
            public = [one for one in dir(_found(name)) if one[:1] != "_"]
            top = _found(name.split(".")[0])
        except Exception:
            public, top = [], None
        near = [one for one in (leaf + "s", leaf[:-1], leaf[4:]) if one in public]
        near += [one for one in difflib.get_close_matches(leaf, public, 3, 0.6) if one not in near]
        told.append([near, callable(getattr(top, leaf, None))])
    return json.dumps(told)
'''

_Members = dict[str, dict[str, list[str] | None]]
_Instead = list[tuple[list[str], bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gone:
    """An attribute, or an argument of one, that classes of the target lack."""

    leaf: str
    argument: str
    owners: tuple[str, ...]
    added: tuple[str, ...] = ()
    """Keyword arguments that it takes now."""


def changed_members(
    runner: ProgramRunner,
    origin: SnippetSide,
    target: SnippetSide,
    *,
    names: Sequence[str],
    attributes: Sequence[str],
) -> tuple[ChangedApi, ...]:
    """The attributes that classes of both environments have in the origin alone, or with other arguments.

    ``names``: dotted names of the library, those of classes and of modules with classes among them;
    ``attributes``: names of attributes to look for. What might take their place is a guess: a name like it,
    or the library's function of that name. () where one of the environments does not answer. Raises what the
    runner raises.
    """
    asked = repr((list(names[:_MOST_NAMES]), list(attributes[:_MOST_ATTRIBUTES])))
    before, after = (_told(runner, side, "members", asked, _Members) for side in (origin, target))
    if before is None or after is None:
        return ()
    found = [*_gone(before, after), *_arguments(before, after)]
    pairs = [(one.owners[0], one.leaf) for one in found]
    instead = _told(runner, target, "instead", repr((pairs,)), _Instead) if pairs else []
    if instead is None or len(instead) != len(found):
        return ()
    return tuple(
        _changed(one, near, is_function) for one, (near, is_function) in zip(found, instead, strict=True)
    )


def _told(runner: ProgramRunner, side: SnippetSide, entry: str, case: str, kind: type[T]) -> T | None:
    """What the program says; None where it did not end, or says something else."""
    program = SnippetProgram(id=entry, code=_PROGRAM, entry=entry, harness=Harness(cases=(case,)))
    for run in runner.run(side, [program], _LIMITS):
        if run.end is ProgramEnd.FINISHED and len(run.cases) == 1 and not run.cases[0].error:
            try:
                told = from_builtins(kind, json.loads(run.cases[0].value))
            except (ValueError, RecursionError, msgspec.ValidationError):
                return None
            return told
    return None


def _gone(before: _Members, after: _Members) -> Iterator[_Gone]:
    owners: dict[str, list[str]] = {}
    for name, has in before.items():
        for leaf in has:
            if name in after and leaf not in after[name]:
                owners.setdefault(leaf, []).append(name)
    for leaf, those in sorted(owners.items()):
        yield _Gone(leaf=leaf, argument="", owners=tuple(those[:_MOST_OWNERS]))


def _arguments(before: _Members, after: _Members) -> Iterator[_Gone]:
    owners: dict[tuple[str, str], list[str]] = {}
    added: dict[tuple[str, str], tuple[str, ...]] = {}
    for name, has in before.items():
        for leaf, taken in has.items():
            now = after.get(name, {}).get(leaf)
            for argument in (*taken,) if taken is not None and now is not None else ():
                if now is not None and taken is not None and argument not in now:
                    owners.setdefault((leaf, argument), []).append(name)
                    added[leaf, argument] = tuple(one for one in now if one not in taken)
    for (leaf, argument), those in sorted(owners.items()):
        yield _Gone(
            leaf=leaf,
            argument=argument,
            owners=tuple(those[:_MOST_OWNERS]),
            added=added[leaf, argument],
        )


def _changed(one: _Gone, near: Sequence[str], is_function: bool) -> ChangedApi:
    name = f".{one.leaf}"
    rewrites: tuple[Rewrite, ...]
    if one.argument:
        renamed = [
            ChangeArgument(function=name, argument=one.argument, new=new) for new in sorted(one.added)[:3]
        ]
        rewrites = (*renamed, ChangeArgument(function=name, argument=one.argument))
        kind = ApiChangeKind.SIGNATURE
    else:
        top = one.owners[0].partition(".")[0]
        function = (ReplaceUse(target=name, template=f"{top}.{one.leaf}({{self}}, {{args}})"),)
        rewrites = (
            *(function if is_function else ()),
            *(RenameAttribute(old=one.leaf, new=new) for new in near),
        )
        kind = ApiChangeKind.REMOVED
    return ChangedApi(
        name=name, argument=one.argument, kind=kind, rewrites=rewrites, known_by=ASKED, owners=one.owners
    )
