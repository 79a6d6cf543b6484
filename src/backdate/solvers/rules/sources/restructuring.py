"""Proposals from what an error says of the shape of code: a method that is a property now, and their like."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.rewriting.expressions import PlacedExpression, attributes_on, expressions_on
from backdate.rewriting.rewrite import (
    ChangeLiteralType,
    ChangeWith,
    ExpressionRole,
    ReplaceExpression,
    ReplaceUse,
    Rewrite,
)
from backdate.rewriting.template import placeholders_of
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.containers import CONTAINERS
from backdate.solvers.rules.sources.literals import LITERALS
from backdate.solvers.rules.sources.same_objects import with_same_objects
from backdate.solvers.rules.sources.subjects import library_behind
from backdate.solvers.rules.sources.whole_failures import SEVERAL, WHOLE
from backdate.solvers.rules.sources.zones import NO_PYTZ, by_zoneinfo

_LONGEST = 2_000
_MOST = 6
"""Proposals of one group."""
_SAMPLE = re.compile(r"(?:random\.)?sample\(")
_GEOMETRIES = "(?:Multi(?:Point|LineString|Polygon)|GeometryCollection)"
_METHOD = r"'(?:method|function|builtin_function_or_method|method-wrapper|cython_function_or_method)'"


@dataclass(frozen=True, slots=True, kw_only=True)
class _FailingCode:
    """The statements of a failure's line."""

    expressions: tuple[PlacedExpression, ...]
    attributes: tuple[str, ...]

    def of(self, role: ExpressionRole) -> Iterator[PlacedExpression]:
        return (expression for expression in self.expressions if expression.role is role)


class RestructuringSource:
    """Templates for what the error itself tells."""

    origin = ProposalOrigin.RESTRUCTURING

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``. Only lines of tracebacks change, as others may be about other objects, what
        the message names otherwise, and further lines of their functions that use the same object."""
        for ask in WHOLE:
            proposal = ask(group, evidence)
            if proposal is not None:
                return (proposal,)
        found = [proposal for ask in SEVERAL for proposal in ask(group, evidence)]
        return (*found, *self._by_message(group, evidence))

    def _by_message(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        place = next(iter(group.places), None)
        text = evidence.texts.get(place.file) if place is not None else None
        if place is None or text is None:
            return ()
        for message, (pattern, propose) in product(group.messages, _SHAPES):
            match = pattern.search(message[:_LONGEST])
            if match is not None:
                lines = frozenset({place.line})
                line = _FailingCode(
                    expressions=expressions_on(text, lines), attributes=attributes_on(text, lines)
                )
                rewrites = {repr(rewrite): rewrite for rewrite in propose(match, line)}
                why = AdviceEvidence(kind=EvidenceKind.MESSAGE, text=match[0][:240])
                return tuple(
                    Proposal(
                        origin=self.origin,
                        distribution=library_behind(group, evidence),
                        rewrite=rewrite,
                        places=with_same_objects(group.places, rewrite, evidence),
                        why=(why,),
                    )
                    for rewrite in tuple(rewrites.values())[:_MOST]
                )
        return ()


def _property(_: re.Match[str], line: _FailingCode) -> Iterator[Rewrite]:
    """``x.name()`` of what is no method any more."""
    for call in line.of(ExpressionRole.CALL):
        if call.name:
            yield ReplaceUse(target=f".{call.name}", template="{self}." + call.name)


def _method(_: re.Match[str], line: _FailingCode) -> Iterator[Rewrite]:
    """``x.name`` of what is a method now."""
    for name in line.attributes:
        yield ReplaceUse(target=f".{name}", template="{self}." + name + "()", called=False)


def _listed(_: re.Match[str], line: _FailingCode) -> Iterator[Rewrite]:
    """``x[0]`` of what is a view or an iterator now; ``x["name"]`` of what has attributes now."""
    for item in line.of(ExpressionRole.ITEM):
        yield ReplaceExpression(
            expression=item.code, role=ExpressionRole.ITEM, template="{self}." + item.name
        )
    for value in line.of(ExpressionRole.SUBSCRIPTED):
        yield ReplaceExpression(
            expression=value.code, role=ExpressionRole.SUBSCRIPTED, template="list({self})"
        )


def _parts(match: re.Match[str], line: _FailingCode) -> Iterator[Rewrite]:
    """The parts of a geometry, which is no sequence any more (Shapely 2.0)."""
    roles = (ExpressionRole.ITERATED, ExpressionRole.SUBSCRIPTED, ExpressionRole.ARGUMENT)
    said = {"subscriptable": ExpressionRole.SUBSCRIPTED, "len": ExpressionRole.ARGUMENT}
    meant = said.get(match[0].rpartition(" ")[2], ExpressionRole.ITERATED)
    for role in sorted(roles, key=lambda role: role is not meant):
        for value in line.of(role):
            if value.code[:1] not in "\"'[{(" and not value.code.isdigit():
                yield ReplaceExpression(expression=value.code, role=role, template="{self}.geoms")


def _counted(_: re.Match[str], line: _FailingCode) -> Iterator[Rewrite]:
    """``len(x)`` of what is an iterator now."""
    for call in line.of(ExpressionRole.CALL):
        inner = call.code.strip().removeprefix("len(").removesuffix(")")
        if call.code.startswith("len("):
            yield ReplaceExpression(expression=inner, role=ExpressionRole.ARGUMENT, template="list({self})")


def _any_item(_: re.Match[str], line: _FailingCode) -> Iterator[Rewrite]:
    """The truth of an array, which is no longer that it has items (NumPy 2.2)."""
    values = [value.code for value in line.of(ExpressionRole.CONDITION)]
    names = [code for code in values if code.replace(".", "").isidentifier()]
    for code in (*names, *(code for code in values if code not in names and code[-1:] in ")]")):
        if code[:1] not in "([{":
            yield ReplaceExpression(
                expression=code, role=ExpressionRole.CONDITION, template="{self}.size > 0"
            )


def _copied(_: re.Match[str], line: _FailingCode) -> Iterator[Rewrite]:
    """A loop over what changes meanwhile: over a copy."""
    for value in line.of(ExpressionRole.ITERATED):
        if not value.code.startswith(("list(", "tuple(", "sorted(")):
            yield ReplaceExpression(
                expression=value.code, role=ExpressionRole.ITERATED, template="list({self})"
            )


def _awaited(_: re.Match[str], line: _FailingCode) -> Iterator[Rewrite]:
    """The result of what is a coroutine now."""
    for call in line.of(ExpressionRole.CALL):
        if call.in_async:
            yield ReplaceExpression(expression=call.code, role=ExpressionRole.CALL, template="await {self}")


def _integer(_: re.Match[str], line: _FailingCode) -> Iterator[Rewrite]:
    """A number that has to be whole: quotients first."""
    roles = (ExpressionRole.INDEX, ExpressionRole.ARGUMENT)
    numbers = [e for e in line.expressions if e.role in roles and e.code[:1] not in "\"'[{"]
    numbers.sort(key=lambda e: "/" not in e.code)
    for number in numbers:
        if not number.code.startswith("int(") and not number.code.isdigit():
            yield ReplaceExpression(expression=number.code, role=number.role, template="int({self})")


def _indices(match: re.Match[str], line: _FailingCode) -> Iterator[Rewrite]:
    """A list with an index for each axis has to be a tuple (NumPy 1.23); else a number is whole."""
    listed = [index for index in line.of(ExpressionRole.INDEX) if index.code[:1] == "["]
    yield from (_as_tuple(index) for index in listed)
    yield from _integer(match, line)
    for index in line.of(ExpressionRole.INDEX):
        if index not in listed and index.code.isidentifier():
            yield _as_tuple(index)


def _integral(_: re.Match[str], line: _FailingCode) -> Iterator[Rewrite]:
    """An array that says which items are taken, of another type now: whole numbers again."""
    for index in line.of(ExpressionRole.INDEX):
        if index.code[:1] not in "\"'[{:" and not index.code.isdigit() and ".astype(" not in index.code:
            yield ReplaceExpression(
                expression=index.code, role=ExpressionRole.INDEX, template="{self}.astype(int)"
            )


def _as_tuple(index: PlacedExpression) -> Rewrite:
    return ReplaceExpression(expression=index.code, role=ExpressionRole.INDEX, template="tuple({self})")


def _sorted_first(_: re.Match[str], line: _FailingCode) -> Iterator[Rewrite]:
    """``random.sample`` of a set (Python 3.11)."""
    starts = [
        call.code[found.end() :]
        for call in line.of(ExpressionRole.CALL)
        if (found := _SAMPLE.match(call.code))
    ]
    for value in line.of(ExpressionRole.ARGUMENT):
        if any(start.startswith(value.code) for start in starts):
            yield ReplaceExpression(
                expression=value.code, role=ExpressionRole.ARGUMENT, template="sorted({self})"
            )


def _rows_of(_: re.Match[str], line: _FailingCode) -> Iterator[Rewrite]:
    """The rows of a day, a month or a year, which are no columns (pandas 2.0)."""
    for value in line.of(ExpressionRole.SUBSCRIPTED):
        if not value.code.endswith((".loc", ".iloc", ".at")):
            yield ReplaceExpression(
                expression=value.code, role=ExpressionRole.SUBSCRIPTED, template="{self}.loc"
            )


def _listed_keys(_: re.Match[str], line: _FailingCode) -> Iterator[Rewrite]:
    """Columns by a tuple or a set: by a list (pandas 2.0)."""
    for several in line.of(ExpressionRole.KEYS):
        template = "{self}[[" + several.name.rstrip(",") + "]]"
        if ":" not in several.name and placeholders_of(template) == ("self",):
            yield ReplaceExpression(expression=several.code, role=ExpressionRole.KEYS, template=template)
    for index in line.of(ExpressionRole.INDEX):
        keys = index.code[1:-1].strip().rstrip(",")
        if index.code[:1] in "({" and ":" not in keys and not placeholders_of(keys):
            yield ReplaceExpression(expression=index.code, role=ExpressionRole.INDEX, template=f"[{keys}]")
        elif index.code[:1] not in "\"'[:" and not index.code.isdigit():
            yield ReplaceExpression(expression=index.code, role=ExpressionRole.INDEX, template="list({self})")


def _by_message_alone(
    propose: Callable[[re.Match[str]], Iterator[Rewrite]],
) -> Callable[[re.Match[str], _FailingCode], Iterator[Rewrite]]:
    """What is proposed whatever the line is."""
    return lambda match, _: propose(match)


def _given(
    propose: Callable[[re.Match[str], PlacedExpression], Rewrite | None],
) -> Callable[[re.Match[str], _FailingCode], Iterator[Rewrite]]:
    """Literal texts that a call is given."""

    def rewrites(match: re.Match[str], line: _FailingCode) -> Iterator[Rewrite]:
        for given in line.of(ExpressionRole.ARGUMENT):
            rewrite = propose(match, given)
            if rewrite is not None:
                yield rewrite

    return rewrites


def _with(change: ChangeWith) -> Callable[[re.Match[str], _FailingCode], Iterator[Rewrite]]:
    def propose(_: re.Match[str], __: _FailingCode) -> Iterator[Rewrite]:
        yield change

    return propose


def _as_texts(_: re.Match[str], __: _FailingCode) -> Iterator[Rewrite]:
    """A literal of bytes beside a value that is a text now."""
    yield ChangeLiteralType(to="str")


def _as_bytes(_: re.Match[str], __: _FailingCode) -> Iterator[Rewrite]:
    """A literal text beside a value that is bytes now."""
    yield ChangeLiteralType(to="bytes")


_SHAPES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], _FailingCode], Iterator[Rewrite]]], ...] = (
    (
        re.compile(
            rf"'{_GEOMETRIES}' object is not (?:iterable|subscriptable)|of type '{_GEOMETRIES}' has no len"
        ),
        _parts,
    ),
    (re.compile(r"'(?!module'|NoneType')[\w.]{1,80}' object is not callable"), _property),
    (
        re.compile(
            r"expected a bytes-like object, str found|"
            r"\bmust be str(?: or (?:None|a tuple of str))?, not bytes|"
            r"can only concatenate str \(not \"bytes\"\) to str|requires string as left operand, not bytes|"
            r"cannot use a bytes pattern on a string-like object"
        ),
        _as_texts,
    ),
    (
        re.compile(
            r"expected str instance, bytes found|a bytes-like object is required, not 'str'|"
            r"can't concat str to bytes|must be bytes or a tuple of bytes, not str|"
            r"cannot use a string pattern on a bytes-like object"
        ),
        _as_bytes,
    ),
    (
        re.compile(
            rf"{_METHOD} object (?:is not (?:subscriptable|iterable)|has no attribute)|"
            rf"(?:unsupported operand|not supported between|of type|bad operand type)[^\n]{{0,80}}{_METHOD}"
        ),
        _method,
    ),
    (re.compile(r"'coroutine' object|coroutine '[\w.<>]{1,120}' was never awaited"), _awaited),
    (
        re.compile(r"'(?!type'|int'|float'|NoneType'|bool')[\w.]{1,80}' object is not subscriptable"),
        _listed,
    ),
    (
        re.compile(
            r"dictionary (?:changed size|keys changed) during iteration|"
            r"(?:Set changed size|OrderedDict mutated|deque mutated) during iteration"
        ),
        _copied,
    ),
    (re.compile(r"object of type '(?:map|filter|zip|generator|[\w.]{0,60}iterator)' has no len"), _counted),
    *((pattern, _by_message_alone(propose)) for pattern, propose in CONTAINERS),
    (
        re.compile(
            r"cannot be interpreted as an integer|integer argument expected, got float|"
            r"indices must be integers or slices, not float|slice indices must be integers"
        ),
        _integer,
    ),
    (re.compile(r"only integers, slices "), _indices),
    (re.compile(r"^'\d{4}(?:[-/]\d{1,2}){0,2}(?:[ T]\d{1,2}:\d\d(?::\d\d)?)?'$"), _rows_of),
    (re.compile(r"The truth value of an empty array is ambiguous"), _any_item),
    (re.compile(r"arrays used as indices must be of integer"), _integral),
    *((pattern, _given(propose)) for pattern, propose in LITERALS),
    (re.compile(r"Population must be a sequence"), _sorted_first),
    (NO_PYTZ, by_zoneinfo),
    (
        re.compile(
            r"Cannot subset columns with a tuple with more than one element|"
            r"Passing a (?:set|dict) as an indexer is not supported"
        ),
        _listed_keys,
    ),
    (
        re.compile(
            r"does not support the context manager protocol|Use async with instead|^__enter__$|^__exit__$"
        ),
        _with(ChangeWith(to_async=True)),
    ),
    (
        re.compile(r"object (?:Lock|Condition|(?:Bounded)?Semaphore) can't be used in 'await' expression"),
        _with(ChangeWith(to_async=True, awaited=True)),
    ),
    (
        re.compile(r"does not support the asynchronous context manager protocol|^__aenter__$|^__aexit__$"),
        _with(ChangeWith(to_async=False)),
    ),
)
"""What messages say of a shape, and what is proposed then. The first that fits counts."""
