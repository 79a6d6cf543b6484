"""What mends an error by its own words: rules that recognise it, and what it asks to install."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backdate.advice import AdvisedChange, SourcePlace
from backdate.advising.advised_changes import MovedDistribution
from backdate.advising.project_uses import ProjectUses
from backdate.advising.rule_leads import LEFT_OUT
from backdate.advising.uses import read_uses
from backdate.bisection.advise import add_mended
from backdate.bisection.errors_of_run import Known
from backdate.bisection.errors_told import changes_behind, requirement_in_error
from backdate.bisection.explained import Explained, met_elsewhere
from backdate.bisection.result import Culprit, Failing, Finding
from backdate.diagnosis.messages import read_message
from backdate.diagnosis.result import Cause, FrameKind, PlacedFrame
from backdate.environments.environment import Environment
from backdate.testing.outcomes import Frame

SOURCE = """import jwt
from lxml.html.clean import Cleaner

token = jwt.encode({}, "k").decode("utf-8")
claims = jwt.decode(token, "k")
rows = ordered.load("a: 1")
"""
PYJWT = MovedDistribution(name="pyjwt", old="1.7.1", new="2.0.1")


def uses() -> ProjectUses:
    found = ProjectUses()
    read_uses(SOURCE.encode(), "src/p/a.py", found)
    found.files = ("src/p/a.py",)
    return found


def explained(type_: str, message: str, line: int, culprit: str, *, file: str = "src/p/a.py") -> Explained:
    said = read_message(type_, message)
    cause = Cause(
        kind=said.kind, type=type_, message=message, name=said.name, owner=said.owner, owner_is=said.owner_is
    )
    place = Frame(file=file, line=line, function="f", source=SOURCE.splitlines()[line - 1])
    finding = Finding(
        tests=("t",),
        error=Failing(type=type_, message=message, place=place),
        axis="packages",
        culprits=(Culprit(name=culprit, old="1", new="2.0.0", released=None),),
        python="3.8.18",
    )
    environment: Environment = None  # type: ignore[assignment]
    return Explained(finding=finding, cause=cause, good=environment)


def test_the_error_of_a_builtin_is_the_librarys_that_gives_another_type() -> None:
    (change,) = changes_behind(
        explained("AttributeError", "'str' object has no attribute 'decode'", 4, "pyjwt"), PYJWT, uses()
    )
    assert (change.distribution, change.name, change.rewrite) == ("pyjwt", "str.decode", LEFT_OUT)
    assert change.places == (SourcePlace(file="src/p/a.py", line=4),)
    assert change.evidence[0].since == "2.0.0"


def test_a_function_that_a_module_of_another_name_hands_on_is_told_at_its_line() -> None:
    message = "load() missing 1 required positional argument: 'Loader'"
    moved = MovedDistribution(name="pyyaml", old="5.4.1", new="6.0")
    one = explained("TypeError", message, 6, "pyyaml")
    (change,) = changes_behind(one, moved, uses())
    assert (change.name, change.places) == ("yaml.load", (SourcePlace(file="src/p/a.py", line=6),))
    assert "Loader" in change.rewrite
    assert not list(changes_behind(explained("TypeError", message, 5, "pyyaml"), moved, uses()))


def test_an_argument_that_a_call_has_to_give_now_is_told_at_every_call() -> None:
    message = 'It is required that you pass in a value for the "algorithms" argument when calling decode().'
    (change,) = changes_behind(explained("jwt.exceptions.DecodeError", message, 5, "pyjwt"), PYJWT, uses())
    assert (change.name, change.rewrite) == ("jwt.decode", "jwt.decode is given algorithms=['HS256']")
    assert change.places == (SourcePlace(file="src/p/a.py", line=5),)


@pytest.mark.parametrize(
    "moved",
    [
        MovedDistribution(name="pyjwt", old="2.0.0", new="2.1.0"),
        MovedDistribution(name="pyjwt", old="1.6", new="1.7"),
        MovedDistribution(name="requests", old="1", new="2.1.0"),
    ],
)
def test_rules_of_other_moves_say_nothing(moved: MovedDistribution) -> None:
    one = explained("AttributeError", "'str' object has no attribute 'decode'", 4, moved.name)
    assert not list(changes_behind(one, moved, uses()))


def test_the_first_line_of_a_statement_need_not_hold_the_attribute() -> None:
    """Up to Python 3.9 the traceback names that line, whichever one the attribute is on."""
    one = explained("AttributeError", "'str' object has no attribute 'decode'", 1, "pyjwt")
    assert [change.places for change in changes_behind(one, PYJWT, uses())] == [
        (SourcePlace(file="src/p/a.py", line=1),)
    ]


def test_each_line_at_which_a_test_met_the_error_is_told() -> None:
    """Two tests decode the token, each on a line of its own, and were told to mend the first."""
    message = "'str' object has no attribute 'decode'"
    one = explained("AttributeError", message, 4, "pyjwt")
    cause = one.cause
    assert cause is not None
    sources = {4: SOURCE.splitlines()[3], 5: "claims = jwt.decode(token)", 6: "rows = ordered.load(text)"}

    def known(line: int, *, key: str = "name decode") -> Known:
        place = Frame(file="src/p/a.py", line=line, function="f", source=sources[line])
        frames = (PlacedFrame(frame=place, kind=FrameKind.TEST),)
        return Known(failing=one.finding.error, key=key, cause=cause, frames=frames)

    errors = {"t": known(4), "u": known(5), "v": known(6), "w": known(5, key="name other")}
    also = met_elsewhere(("t", "u", "v", "w", "x"), "name decode", errors)
    assert [frame.line for frame in also] == [4, 5, 6]
    (change,) = changes_behind(replace(one, also_at=also), PYJWT, uses())
    assert [place.line for place in change.places] == [4, 5]


def test_nothing_is_said_of_lines_that_are_not_the_projects() -> None:
    one = explained(
        "AttributeError", "'str' object has no attribute 'decode'", 4, "pyjwt", file="site-packages/b/c.py"
    )
    assert not list(changes_behind(one, PYJWT, uses()))


CLEAN = (
    "lxml.html.clean module is now a separate project lxml_html_clean.\n"
    "Install lxml[html_clean] or lxml_html_clean directly."
)


def test_what_an_import_asks_to_install_is_a_requirement_of_the_project() -> None:
    missing = requirement_in_error(explained("ImportError", CLEAN, 2, "lxml"), uses())
    assert missing is not None
    assert (missing.requirement, missing.module) == ("lxml[html_clean]", "lxml.html.clean")
    assert (missing.brought_by, missing.version) == ("lxml", "2.0.0")
    assert missing.places == (SourcePlace(file="src/p/a.py", line=2),)


def test_the_lines_that_import_it_are_told_in_their_order() -> None:
    found = ProjectUses()
    source = b"import lxml.html.clean\nlxml.html.clean.b()\nlxml.html.clean.Cleaner()\nlxml.html.clean.b()\n"
    read_uses(source, "src/p/a.py", found)
    found.files = ("src/p/a.py",)
    missing = requirement_in_error(explained("ImportError", CLEAN, 1, "lxml"), found)
    assert missing is not None
    assert [place.line for place in missing.places] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("type_", "message"),
    [
        ("ValueError", CLEAN),
        ("ImportError", "lxml.other is now a separate project. Install lxml_other."),
        ("ImportError", "lxml.html.clean is gone."),
        (
            "ImportError",
            "lxml.html.clean is elsewhere. Please install it, or install the newest.",
        ),
        ("ImportError", "cannot import name 'Cleaner' from 'lxml.html.clean'"),
    ],
)
def test_nothing_is_required_that_no_import_of_the_project_asks_for(type_: str, message: str) -> None:
    assert requirement_in_error(explained(type_, message, 2, "lxml"), uses()) is None


@pytest.mark.parametrize(
    "words", ["pip install cleaner", "install `cleaner`.", "Please install the package 'cleaner'"]
)
def test_a_plain_word_is_a_distribution_where_it_is_marked_as_one(words: str) -> None:
    one = explained("ImportError", f"lxml.html.clean is elsewhere now: {words}", 2, "lxml")
    missing = requirement_in_error(one, uses())
    assert missing is not None
    assert missing.requirement == "cleaner"


def change_of(name: str, *lines: int, replacement: str = "assertEqual", argument: str = "") -> AdvisedChange:
    return AdvisedChange(
        distribution="python",
        name=name,
        argument=argument,
        replacement=replacement,
        places=tuple(SourcePlace(file="t.py", line=line) for line in lines),
    )


def test_a_method_is_told_once_by_its_dotted_name_or_its_class() -> None:
    whole = change_of("unittest.TestCase.assertEquals", 3, 9)
    for mended, added in (
        (change_of("TestCase.assertEquals", 3), False),
        (change_of("TestCase.assertEquals", 4), True),  # elsewhere
        (change_of("TestCase.assertEquals", 3, argument="msg"), True),
        (change_of("Case.assertEquals", 3), True),
        (change_of("assertEquals", 9), False),
    ):
        fixes = {(whole.name, ""): whole}
        add_mended(fixes, [mended])
        assert (len(fixes) == 2) is added
    open_one = change_of("unittest.TestCase.assertEquals", 3, replacement="")
    fixes = {(open_one.name, ""): open_one}
    add_mended(fixes, [change_of("TestCase.assertEquals", 3)])
    assert len(fixes) == 2
