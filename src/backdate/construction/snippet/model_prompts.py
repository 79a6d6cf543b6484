"""How a model is asked for a function that uses a changed name, and what its reply is read as.

What a library says of the name is text of a stranger, and so is the reply: neither is more than data here.
The three rounds of repair are those of CodeMEnv's paper (arXiv 2506.00894).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from backdate.construction.snippet.changed_apis import ChangedApi, replacement_of
from backdate.construction.snippet.chosen_cases import CASES
from backdate.construction.snippet.module_code import NotSelfContained, assembled, needs_of, read_module
from backdate.construction.snippet.plan import SnippetBuildPlan
from backdate.construction.snippet.reasons import WORDS, SnippetReason
from backdate.construction.snippet.usages import ChangedApis, DrawnSnippet, UsageKind, UsageOrigin
from backdate.models.interface import Message
from backdate.snippets.questions.read_text import LONGEST_REPLY, json_in

LICENCE = "none: written by a model"
_MOST_CASES = 6
_LONGEST_CODE = 8_000
_LONGEST_CASE = 2_000
_LONGEST_WORDS = 600
_FILE = "snippet.py"
_SYSTEM = (
    "You write small Python functions that show how a library changed. Reply with JSON alone: "
    '{"function": NAME, "code": MODULE, "cases": [TUPLE, TUPLE, TUPLE], "migrated": MODULE}. MODULE is '
    "source text with its imports and one function at the top level. Each TUPLE is a text with a tuple of "
    "literal arguments. Use no files, network, clock or random numbers, and return plain values."
)
_TASK = """\
Library: {library}, from {old} to {new}.
Changed: {key}
{told}
Write "code": a function that uses {key}, works with {library} {old} and does not work with {new} because of
that alone. "cases": at least {cases} calls with different results. "migrated": the same module so that it
gives the same with {library} {new}."""
_AGAIN = "That does not do: {why}. Reply with the whole JSON again."


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusableReply:
    """Why a reply is no function with cases."""

    reason: SnippetReason
    detail: str


def first_messages(changed: ChangedApi, plan: SnippetBuildPlan) -> tuple[Message, ...]:
    """The conversation that asks for a function."""
    told = [changed.words[:_LONGEST_WORDS]] if changed.words else []
    instead = [written for one in changed.rewrites if (written := replacement_of(one))]
    told += [f"In its place: {', '.join(instead[:3])}"] if instead else []
    task = _TASK.format(
        library=plan.library,
        old=plan.origin.version,
        new=plan.target.version,
        key=changed.key,
        told="\n".join(told),
        cases=CASES,
    )
    return Message(role="system", text=_SYSTEM), Message(role="user", text=task)


def repair_message(reason: SnippetReason, detail: str) -> Message:
    """What is said about a function that is no task."""
    why = f"{WORDS[reason]}: {detail}" if detail else WORDS[reason]
    return Message(role="user", text=_AGAIN.format(why=why[:1000]))


def read_function(
    reply: str, changed: ChangedApi, *, library: str, model: str
) -> DrawnSnippet | UnusableReply:
    """The function of a reply. ``library``: the package that is imported."""
    try:
        value = json_in(reply[:LONGEST_REPLY])
    except ValueError as error:
        return _unreadable(str(error))
    if not isinstance(value, dict):
        return _unreadable("no JSON object")
    entry = value.get("function")
    if not isinstance(entry, str):
        return _unreadable("function has to be its name")
    code = _module(value.get("code"), entry, library)
    if isinstance(code, UnusableReply):
        return code
    migrated = _module(value.get("migrated"), entry, library)
    module = read_module(_FILE, code)
    assert module is not None
    used = ChangedApis([changed])
    if not any(True for node in ast.walk(module.tree) for _ in used.at(node, module.imports)):
        return UnusableReply(reason=SnippetReason.NAME_NOT_USED, detail=changed.key)
    cases = _cases(value.get("cases"))
    if len(cases) < CASES:
        return UnusableReply(reason=SnippetReason.FEW_CASES, detail="each is a text with a tuple of literals")
    return DrawnSnippet(
        code=code,
        entry=entry,
        before="",
        cases=cases,
        names=(changed.key,),
        kind=UsageKind.MODEL,
        origin=UsageOrigin(distribution=model, version="", file="", line=0, licence=LICENCE),
        migrated=migrated if isinstance(migrated, str) else "",
    )


def _module(value: Any, entry: str, library: str) -> str | UnusableReply:
    """The function ``entry`` of a reply's source with what it needs of it, and nothing else."""
    if not isinstance(value, str) or len(value) > _LONGEST_CODE:
        return _unreadable("code has to be a text, and a short one")
    module = read_module(_FILE, value)
    if module is None:
        return _unreadable("code is no Python")
    if entry not in module.functions:
        return _unreadable(f"code does not define {entry!r}"[:200])
    needs = needs_of([entry], module, library=library, own=frozenset())
    if isinstance(needs, NotSelfContained):
        return UnusableReply(reason=needs.reason, detail=needs.detail)
    return assembled(*needs)


def _unreadable(detail: str) -> UnusableReply:
    return UnusableReply(reason=SnippetReason.NOT_READABLE, detail=detail)


def _cases(value: Any) -> tuple[str, ...]:
    """The cases that are tuples of literals, as source."""
    found = (_tuple_of(one) for one in (value if isinstance(value, list) else ()))
    return tuple(dict.fromkeys(repr(one) for one in found if one is not None))[:_MOST_CASES]


def _tuple_of(value: Any) -> tuple[Any, ...] | None:
    if not isinstance(value, str) or len(value) > _LONGEST_CASE:
        return None
    try:
        given = ast.literal_eval(value.strip())
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return given if isinstance(given, tuple) else None
