"""Releases that do not work together, and interpreters that lack what the code wants."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from backdate.index.names import requirement_name
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.incompatible_table import DROPPED
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import (
    RepairContext,
    all_matches,
    failure_text,
    nearest_python,
    with_interpreter,
    with_packages,
)
from backdate.recipes.repair.setup_failure import SetupFailure

_LANGUAGE: tuple[tuple[str, str], ...] = (
    # what code wants or what Python dropped: allowed minors, sign
    ("<7", r"SyntaxError: invalid syntax.{0,80}\basync\b|def \w+\(.{0,200}\basync\b[=,)]|import async\b"),
    # C sources, as compilers say it: what CPython's headers do not hold any more
    ("<7", r"no member named \W{0,3}exc_(?:type|value|traceback)"),
    (
        "<11",
        (
            r"fatal error: '?longintrepr\.h|"
            r"no member named \W{0,3}(?:recursion_depth|use_tracing|co_varnames)\b|"
            r"incomplete (?:typedef|type|definition of type) \W{1,3}(?:PyFrameObject|struct _frame)"
        ),
    ),
    ("<12", r"no member named \W{0,3}(?:ob_digit|curexc_\w{1,20}|wstr(?:_length)?)\b"),
    ("<13", r"too few arguments to function \W{0,3}_PyLong_AsByteArray"),
    ("<8", r"module 'time' has no attribute 'clock'|module 'cgi' has no attribute 'escape'"),
    ("<8", r"module 'platform' has no attribute '(?:linux_distribution|dist)'"),
    (
        "<9",
        (
            r"'xml\.etree\.ElementTree\.Element' object has no attribute '(?:getchildren|getiterator)'|"
            r"module 'base64' has no attribute '(?:encodestring|decodestring)'|"
            r"module 'fractions' has no attribute 'gcd'|cannot import name '?gcd'? from 'fractions'|"
            r"'HTMLParser' object has no attribute 'unescape'|'Thread' object has no attribute 'isAlive'|"
            r"'array\.array' object has no attribute '(?:tostring|fromstring)'|"
            r"'typing\._?\w+' has no attribute '_field_types'"
        ),
    ),
    (
        "<10",
        (
            r"module 'collections' has no attribute '\w+'|"
            r"cannot import name '?(?:Mapping|MutableMapping|Iterable|Callable|Sequence|MutableSequence|Set|"
            r"Hashable|MutableSet|Sized|Container|Iterator|Generator|OrderedDict)'? from '?collections'?|"
            r"No module named '?(?:parser|symbol|formatter)'?$|got an unexpected keyword argument 'loop'|"
            r"There is no current event loop in thread|required field \"lineno\" missing from alias"
        ),
    ),
    (
        "<11",
        (
            r"module 'inspect' has no attribute '(?:getargspec|formatargspec)'|"
            r"module 'asyncio' has no attribute 'coroutine'|cannot import name '?(?:getargspec|"
            r"formatargspec)|"
            r"cannot import name '?coroutine'? from '?asyncio|"
            r"global flags not at the start of the expression|"
            r"mutable default <class .{1,200}> for field \w+ is not allowed|"
            r"No module named '?binhex'?"
        ),
    ),
    (
        "<12",
        (
            r"No module named '?(?:imp|asyncore|asynchat|smtpd)'?\b|"
            r"module 'configparser' has no attribute 'SafeConfigParser'|"
            r"cannot import name '?SafeConfigParser|"
            r"has no attribute 'assert(?:Equals|NotEquals|_|RegexpMatches|RaisesRegexp|Items?Equal|"
            r"DictContainsSubset)'|"
            r"module 'pkgutil' has no attribute 'ImpImporter'|module 'unittest' has no attribute 'makeSuite'|"
            r"module 'ssl' has no attribute '(?:wrap_socket|match_hostname)'|"
            r"module 'importlib' has no attribute 'find_loader'|"
            r"cannot import name '?CertificateError'? from 'ssl"
        ),
    ),
    (
        "<13",
        (
            r"No module named '?(?:cgi|cgitb|telnetlib|pipes|crypt|imghdr|sndhdr|nntplib|uu|xdrlib|chunk|"
            r"aifc|audioop)'?\b"
        ),
    ),
    (
        ">=7",
        (
            r"future feature annotations is not defined|No module named '?dataclasses'?\b|"
            r"'asyncio' has no attribute 'run'"
        ),
    ),
    (
        ">=7",
        (
            r"No module named '?importlib\.resources|module 'time' has no attribute 'time_ns'|"
            r"cannot import name '?asynccontextmanager"
        ),
    ),
    (
        ">=8",
        (
            r"cannot import name '?(?:Literal|TypedDict|Protocol|Final|final|runtime_checkable|get_origin|"
            r"get_args)'? from '?typing'|"
            r"No module named '?importlib\.metadata|cannot import name '?(?:cached_property|"
            r"singledispatchmethod)'? from '?functools|"
            r"module 'functools' has no attribute 'cached_property'|cannot import name '?(?:AsyncMock|"
            r"IsolatedAsyncioTestCase)|"
            r"module 'math' has no attribute '(?:prod|dist|comb|perm)'|"
            r"module 'unittest' has no attribute 'IsolatedAsyncioTestCase'"
        ),
    ),
    (
        ">=9",
        (
            r"'(?:type|ABCMeta|_GenericAlias|function)' object is not subscriptable|"
            r"cannot import name '?Annotated'? from '?typing'|No module named '?(?:zoneinfo|graphlib)'?\b|"
            r"'str' object has no attribute 'remove(?:prefix|suffix)'|"
            r"module 'asyncio' has no attribute 'to_thread'|"
            r"module 'math' has no attribute 'lcm'|module 'ast' has no attribute 'unparse'|"
            r"unsupported operand type\(s\) for \|: 'dict' and 'dict'"
        ),
    ),
    (
        ">=10",
        (
            r"unsupported operand type\(s\) for \|: '(?:type|_GenericAlias|NoneType|ABCMeta)' and|"
            r"unsupported operand type\(s\) for \|: '\w+' and '(?:type|NoneType)'|"
            r"cannot import name '?(?:ParamSpec|TypeAlias|TypeGuard|Concatenate)'? from '?typing'|"
            r"dataclass\(\) got an unexpected keyword argument '(?:slots|kw_only)'|"
            r"zip\(\) takes no keyword arguments|cannot import name '?pairwise'? from 'itertools"
        ),
    ),
    (
        ">=11",
        (
            r"No module named '?tomllib'?\b|cannot import name '?StrEnum'? from '?enum|"
            r"cannot import name '?(?:Self|assert_never|Never|LiteralString|NotRequired|Required|"
            r"TypeVarTuple|Unpack|reveal_type)'? from '?typing'|"
            r"cannot import name '?UTC'? from '?datetime|module 'datetime' has no attribute 'UTC'|"
            r"module 'asyncio' has no attribute '(?:timeout|TaskGroup|Runner)'|"
            r"name 'ExceptionGroup' is not defined"
        ),
    ),
    (
        ">=12",
        r"cannot import name '?override'? from '?typing'|cannot import name '?batched'? from 'itertools",
    ),
)
_SIGNS = tuple((SpecifierSet(limit), re.compile(sign)) for limit, sign in _LANGUAGE)
_SYNTAX = re.compile(r"SyntaxError: ")
_NEWER_SYNTAX = (
    (SpecifierSet(">=8"), re.compile(r"^.{0,400}\(\s*\w+ := |:= |\bf['\"].{0,200}\{\w+=\}")),
    (SpecifierSet(">=10"), re.compile(r"^\s{0,60}(?:match|case) .{1,200}:\s*$")),
    (SpecifierSet(">=11"), re.compile(r"^\s{0,60}except\s?\*")),
    (SpecifierSet(">=12"), re.compile(r"^\s{0,60}(?:type \w+ = |def \w+\[|class \w+\[)")),
    (SpecifierSet(">=7"), re.compile(r"from __future__ import annotations")),
)
_RANGE = re.compile(
    r"(?:requires a different Python: \S+ not in|does not satisfy Python|Requires-Python|"
    r"requires Python|python_requires|Python requirement|requires-python:?)\s{0,3}['\"(]?"
    r"((?:[<>=!~]=?=?\s?\d[\d.*]{0,12},?\s?){1,6})"
)
_UV_RANGE = re.compile(r"\(\d[\d.]{1,12}\) does not satisfy Python([<>=!~]{1,2}[\d.,<>=!*]{1,60})")


def dropped_features(situation: RepairContext) -> Iterator[Repair]:
    """Limits for distributions whose newest release dropped what is used, all at once."""
    text = failure_text(situation.trouble)
    found: dict[str, str] = {}
    for row in DROPPED:
        matches = all_matches(row.sign, text, 1)
        name = requirement_name(row.limit)
        if (
            matches
            and name
            and _stricter(row.limit, next((o for o in found if requirement_name(o) == name), None))
        ):
            found = {limit: sign for limit, sign in found.items() if requirement_name(limit) != name}
            found[row.limit] = matches[0][0]
    changed = with_packages(situation.recipe, found, "release that dropped what is used", text_of(found))
    if changed != situation.recipe:
        yield situation.repaired(
            ErrorClass.INCOMPATIBLE_RELEASE, "release that dropped what is used", text_of(found), changed
        )


def text_of(found: dict[str, str]) -> str:
    """``{limit: sign}`` as one line."""
    return ", ".join(f"{limit} as it says: {sign[:120]}" for limit, sign in found.items())


def _stricter(limit: str, known: str | None) -> bool:
    if known is None:
        return True
    numbers = [
        [
            int(part) if part.isdigit() else 0
            for part in next(iter(Requirement(one).specifier)).version.split(".")
        ]
        for one in (limit, known)
    ]
    return numbers[0] < numbers[1]


def another_interpreter(situation: RepairContext) -> Iterator[Repair]:
    """The nearest interpreter that installers accept, or that has what the code wants."""
    wanted = wanted_minor(situation.trouble)
    if wanted is None:
        return
    allowed, sign = wanted
    minor = nearest_python(situation.trouble, allowed)
    if minor is not None:
        changed = with_interpreter(situation.recipe, minor, "wrong interpreter", sign)
        words = f"Python {minor} instead of {situation.trouble.python}, as it says: {sign}"
        yield situation.repaired(ErrorClass.WRONG_INTERPRETER, "wrong interpreter", words, changed, minor)


def wanted_minor(trouble: SetupFailure) -> tuple[Callable[[tuple[int, int]], bool], str] | None:
    """Which interpreters would do, and the line that says so; None when nothing does."""
    text = failure_text(trouble)
    for pattern in (_UV_RANGE, _RANGE):
        for match in all_matches(pattern, text):
            specifier = _specifier(match[1])
            if specifier is not None and not specifier.contains(trouble.python):
                return _installable(specifier), match[0]
    for limit, sign in _SIGNS:
        matches = all_matches(sign, text, 1)
        if matches and not limit.contains(str(trouble.minor[1])):
            return _minor_in(limit), matches[0][0]
    if all_matches(_SYNTAX, text, 1):
        for limit, sign in _NEWER_SYNTAX:
            matches = all_matches(sign, text, 1)
            if matches and not limit.contains(str(trouble.minor[1])):
                return _minor_in(limit), f"SyntaxError at {matches[0][0]}"
    return None


def _installable(specifier: SpecifierSet) -> Callable[[tuple[int, int]], bool]:
    return lambda minor: specifier.contains(f"{minor[0]}.{minor[1]}.99")


def _minor_in(limit: SpecifierSet) -> Callable[[tuple[int, int]], bool]:
    return lambda minor: limit.contains(str(minor[1]))


def _specifier(text: str) -> SpecifierSet | None:
    try:
        return SpecifierSet(text.strip().strip(",").replace(" ", ""))
    except ValueError:
        return None
