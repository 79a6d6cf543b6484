"""Which lost name an error is about, and in whose file it surfaced."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import pytest
from world import START, choice, environment

from backdate.advice import AdvisedChange, EvidenceKind, SourcePlace
from backdate.advising.lost_names import LostName
from backdate.advising.project_uses import ProjectUses
from backdate.advising.uses import read_uses
from backdate.bisection.advise import in_full, with_own_files, without_doubles
from backdate.bisection.explained import Explained, by_culprit, is_about, met_alone, words_of
from backdate.bisection.explanations.called_names import names_called_at, own_file
from backdate.bisection.prose_advice import said_advice
from backdate.bisection.result import (
    ChangedName,
    Culprit,
    Excerpt,
    Explanation,
    Failing,
    Finding,
    GivenWarning,
)
from backdate.diagnosis.api import Member, NameChange
from backdate.diagnosis.messages import read_message
from backdate.diagnosis.result import Cause
from backdate.environments.environment import Environment, Lock, LockedDistribution
from backdate.testing.outcomes import Frame

SOURCE = "import lib\n\nx = lib.parse(lib.read(1), size=2)\nlib.load(missing=1)\nframe.append(1)\n"


def uses() -> ProjectUses:
    found = ProjectUses()
    read_uses(SOURCE.encode(), "src/p/a.py", found)
    found.files = ("src/p/a.py", "tests/test_a.py")
    return found


def explained(
    type_: str, message: str, line: int, *names: ChangedName, file: str = "src/p/a.py", **rest: object
) -> Explained:
    said = read_message(type_, message)
    cause = Cause(
        kind=said.kind, type=type_, message=message, name=said.name, owner=said.owner, owner_is=said.owner_is
    )
    source = SOURCE.splitlines()[line - 1]
    finding = Finding(
        tests=("t",),
        error=Failing(
            type=type_, message=message, place=Frame(file=file, line=line, function="f", source=source)
        ),
        axis="packages",
        culprits=(Culprit(name="lib", old="1", new="2", released=None),),
        python="3.12.1",
        explanations=Explanation(names=names, **rest),  # type: ignore[arg-type]
    )
    environment: Environment = None  # type: ignore[assignment]
    return Explained(finding=finding, cause=cause, good=environment)


def lost(name: str, argument: str = "", line: int = 3) -> LostName:
    place = SourcePlace(file="src/p/a.py", line=line)
    return LostName(name=name, argument=argument, old=Member(name=name, present=True), places=(place,))


GONE = ChangedName(name="lib.parse", change=NameChange.GONE)


@pytest.mark.parametrize(
    ("one", "name", "about"),
    [
        (explained("AttributeError", "module 'lib' has no attribute 'parse'", 3), lost("lib.parse"), True),
        (explained("AttributeError", "module 'lib' has no attribute 'parse'", 3), lost("lib.read"), False),
        (
            explained("AttributeError", "module 'b' has no attribute 'parse'", 3, GONE),
            lost("lib.parse"),
            True,
        ),
        (
            explained("TypeError", "load() got an unexpected keyword argument 'missing'", 4),
            lost("lib.load", "missing", 4),
            True,
        ),
        (
            explained("TypeError", "load() got an unexpected keyword argument 'other'", 4),
            lost("lib.load", "missing", 4),
            False,
        ),
        (
            explained("TypeError", "dump() got an unexpected keyword argument 'missing'", 4),
            lost("lib.load", "missing", 4),
            False,
        ),
    ],
)
def test_what_an_error_is_about(one: Explained, name: LostName, about: bool) -> None:
    assert is_about(one, name, uses()) is about


def test_a_method_of_an_object_is_known_by_its_error_alone() -> None:
    gone = ChangedName(name="pandas.DataFrame.append", change=NameChange.GONE)
    one = explained("AttributeError", "'DataFrame' object has no attribute 'append'", 5, gone)
    found = met_alone(one, uses())
    assert found is not None
    assert (found.name, found.argument) == ("pandas.DataFrame.append", "")
    assert found.places == (SourcePlace(file="src/p/a.py", line=5),)
    elsewhere = explained(
        "AttributeError", "'DataFrame' object has no attribute 'append'", 5, gone, file="/e/other.py"
    )
    assert met_alone(elsewhere, uses()) is None
    unnamed = explained("AttributeError", "'DataFrame' object has no attribute 'append'", 4, gone)
    assert met_alone(unnamed, uses()) is None
    unknown = explained("AttributeError", "'DataFrame' object has no attribute 'append'", 5)
    assert met_alone(unknown, uses()) is None


def test_a_fixture_is_met_where_a_function_takes_it_whatever_its_first_line_says() -> None:
    gone = ChangedName(name="plugin.event_loop", change=NameChange.GONE)
    one = explained("_pytest.fixtures.FixtureLookupError", "fixture 'event_loop' not found", 3, gone)
    found = met_alone(one, uses())
    assert found is not None
    assert (found.name, found.places) == ("plugin.event_loop", (SourcePlace(file="src/p/a.py", line=3),))


def test_an_argument_that_only_the_error_tells() -> None:
    one = explained("TypeError", "load() got an unexpected keyword argument 'missing'", 4)
    found = met_alone(one, uses())
    assert found is not None
    assert (found.name, found.argument) == ("load", "missing")


def test_an_argument_may_be_handed_on() -> None:
    one = explained("TypeError", "load() got an unexpected keyword argument 'missing'", 3)
    assert met_alone(one, uses()) is None
    place = replace(one.finding.error.place, source="x = lib.load(1, **options)")
    handed_on = replace(one, finding=replace(one.finding, error=replace(one.finding.error, place=place)))
    found = met_alone(handed_on, uses())
    assert found is not None
    assert (found.argument, found.places) == ("missing", (SourcePlace(file="src/p/a.py", line=3),))


def test_an_argument_is_where_the_warning_before_named_it_if_the_error_only_surfaced() -> None:
    warning = GivenWarning(
        category="D",
        message="`missing` is deprecated, use `contextvars.ContextVar` instead",
        places=(SourcePlace(file="src/p/a.py", line=4), SourcePlace(file="lib/x.py", line=1)),
        names_it=True,
    )
    one = explained(
        "TypeError", "load() got an unexpected keyword argument 'missing'", 3, warnings=(warning,)
    )
    found = met_alone(one, uses())
    assert found is not None
    assert (found.argument, found.places) == ("missing", (SourcePlace(file="src/p/a.py", line=4),))
    other = explained(
        "TypeError",
        "load() got an unexpected keyword argument 'missing'",
        3,
        warnings=(replace(warning, names_it=False),),
    )
    assert met_alone(other, uses()) is None


def test_whose_file_a_traceback_names() -> None:
    known = uses()
    assert own_file("src/p/a.py", known) == "src/p/a.py"
    assert own_file("/e/lib/python3.12/site-packages/p/a.py", known) == "src/p/a.py"
    assert own_file("p/a.py", known) == "src/p/a.py"
    assert own_file("/usr/lib/python3.12/json/decoder.py", known) == ""
    change = AdvisedChange(
        distribution="lib",
        name="lib.f",
        places=tuple(SourcePlace(file=file, line=3) for file in ("p/a.py", "src/p/a.py", "lib/x.py")),
    )
    assert with_own_files(change, known).places == (SourcePlace(file="src/p/a.py", line=3),)


def test_what_the_line_calls_at_which_a_value_is_another_one() -> None:
    place = Frame(file="p/a.py", line=3, function="f", source="")
    assert names_called_at(place, uses(), ["lib"]) == ("lib.parse", "lib.read")
    assert names_called_at(place, uses(), ["other"]) == ()
    assert names_called_at(None, uses(), ["lib"]) == ()


def test_what_a_statement_of_several_lines_calls() -> None:
    known = ProjectUses(files=("p/a.py",))
    source = b"import lib\nx = lib.encode(1,\n               key=2).decode('utf-8')\nlib.other()\n"
    read_uses(source, "p/a.py", known)
    place = Frame(file="p/a.py", line=3, function="f", source="")
    assert names_called_at(place, known, ["lib"]) == ("lib.encode.decode", "lib.encode")
    assert names_called_at(replace(place, line=1), known, ["lib"]) == ()


def test_what_the_library_said() -> None:
    warned = ChangedName(name="lib.parse", change=NameChange.GONE, warned=("W: parse is old",))
    one = explained(
        "AttributeError",
        "module 'lib' has no attribute 'parse'",
        3,
        warned,
        warnings=(GivenWarning(category="D", message="use read", places=(), names_it=True),),
        changelog=(
            Excerpt(
                distribution="lib",
                version="2",
                archive="lib-2.tar.gz",
                file="NEWS",
                lines=("a", "b"),
                about="parse",
            ),
        ),
    )
    assert [(said.kind, said.text) for said in words_of(one)] == [
        (EvidenceKind.MESSAGE, "module 'lib' has no attribute 'parse'"),
        (EvidenceKind.WARNING, "use read"),
        (EvidenceKind.WARNING, "W: parse is old"),
        (EvidenceKind.CHANGELOG, "a b"),
    ]


def test_what_an_error_says_below_its_first_line_is_advice() -> None:
    message = (
        '"parse()" has been removed, use\n\n  x = Parser()\n  x.parse(...)\n\ninstead of file "a", line 3'
    )
    one = explained("AttributeError", message, 3)
    first_line = replace(one.finding, error=replace(one.finding.error, message=message.splitlines()[0]))
    one = replace(one, finding=first_line)
    assert said_advice([one.finding], uses()) == ()
    (said,) = said_advice([in_full(one)], uses())
    assert said.text == '"parse()" has been removed, use: x = Parser(); x.parse(...)'
    assert said.kind is EvidenceKind.MESSAGE
    assert in_full(replace(one, cause=None)) is one.finding


def said_of(name: str, *lines: int, **changes: str) -> AdvisedChange:
    places = tuple(SourcePlace(file="a.py", line=line) for line in lines)
    values = {"argument": "missing", "replacement": "load_default"} | changes
    return AdvisedChange(distribution="lib", name=name, places=places, **values)


def test_one_call_is_advised_once() -> None:
    """An error names the base class that takes the argument no more, the rules what the project calls."""
    base, called = said_of("lib.Field", 9), said_of("lib.Integer", 9)
    assert without_doubles([base, called], {"lib.Integer"}) == (called,)
    assert without_doubles([base, called], {"lib.Field"}) == (base,)
    at_more_lines = said_of("lib.Field", 9, 12)
    assert without_doubles([at_more_lines, called], {"lib.Integer"}) == (at_more_lines,)


def test_the_same_method_of_two_of_its_names_is_said_once() -> None:
    asked = said_of("lib.Frame.append", 9, argument="", replacement="lib.concat")
    ruled = said_of("Frame.append", 9, 12, argument="", replacement="lib.concat")
    assert without_doubles([asked, ruled], set()) == (ruled,)
    other = said_of("lib.Frame.add", 9, argument="", replacement="lib.concat")
    assert without_doubles([other, ruled], set()) == (other, ruled)


@pytest.mark.parametrize(
    "other",
    [
        said_of("lib.Integer", 10),
        said_of("lib.Integer", 9, replacement="dump_default"),
        said_of("lib.Integer", 9, argument="default"),
        said_of("lib.Integer", 9, argument=""),
        said_of("lib.Integer"),
    ],
)
def test_what_another_edit_mends_stays(other: AdvisedChange) -> None:
    both = (said_of("lib.Field", 9), other)
    assert without_doubles(both, {"lib.Integer"}) == both


def test_a_name_of_a_module_of_the_project_itself_is_not_the_librarys() -> None:
    gone = ChangedName(name="p.a.defaults", change=NameChange.GONE)
    message = "module 'p.a' has no attribute 'defaults'"
    one = explained("AttributeError", message, 5, gone)
    place = one.finding.error.place
    assert place is not None
    error = replace(one.finding.error, place=replace(place, source="x = p.a.defaults"))
    assert met_alone(replace(one, finding=replace(one.finding, error=error)), uses()) is None
    for name, own in (("p.a.b", True), ("p.a.B.c", True), ("q.a.b", False), ("p", False), ("a.b.c", False)):
        assert uses().defines_module_of(name) is own


def test_a_module_that_is_called_by_one_word_lies_at_the_top() -> None:
    known = ProjectUses(files=("p/__init__.py", "p/app.py", "src/q.py"))
    for name, own in (("p.x", True), ("q.x", True), ("app.debug", False), ("p.app.x", True)):
        assert known.defines_module_of(name) is own


def test_of_two_turns_of_a_culprit_the_older_one_is_asked_what_went() -> None:
    """What 8.2.0 dropped is in no environment with 8.2.0, the last good one of what 8.2.1 broke."""

    def turn(old: str, new: str) -> Explained:
        one = explained("TypeError", "load() got an unexpected keyword argument 'missing'", 4)
        lock = Lock(
            instant=START, python="3.12.1", distributions=(LockedDistribution(name="lib", version=old),)
        )
        culprit = Culprit(name="lib", old=old, new=new, released=None)
        return replace(
            one, finding=replace(one.finding, culprits=(culprit,)), good=environment(choice("3.12.1"), lock)
        )

    later, earlier = turn("8.2.0", "8.2.1"), turn("8.1.8", "8.2.0")
    assert by_culprit([later, earlier]) == {"lib": [earlier, later]}
