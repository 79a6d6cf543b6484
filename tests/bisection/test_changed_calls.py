"""What a call has to give otherwise, read from an error about arguments and both signatures."""

from __future__ import annotations

import pytest

from backdate.advice import SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.bisection.changed_calls import changed_calls
from backdate.bisection.explained import Explained
from backdate.bisection.result import ChangedName, Culprit, Explanation, Failing, Finding
from backdate.diagnosis.api import NameChange
from backdate.diagnosis.messages import read_message
from backdate.diagnosis.result import Cause
from backdate.environments.environment import Environment
from backdate.output.advice_text import change_in_words
from backdate.testing.outcomes import Frame

USES = ProjectUses(files=("src/p/a.py",))


def explained(message: str, name: str, old: str, new: str, *, file: str = "src/p/a.py") -> Explained:
    said = read_message("TypeError", message)
    cause = Cause(
        kind=said.kind,
        type="TypeError",
        message=message,
        name=said.name,
        owner=said.owner,
        owner_is=said.owner_is,
    )
    changed = ChangedName(name=name, change=NameChange.SIGNATURE, old_signature=old, new_signature=new)
    finding = Finding(
        tests=("t",),
        error=Failing(
            type="TypeError", message=message, place=Frame(file=file, line=3, function="f", source="f()")
        ),
        axis="packages",
        culprits=(Culprit(name="lib", old="1", new="2", released=None),),
        python="3.12.1",
        explanations=Explanation(names=(changed,)),
    )
    environment: Environment = None  # type: ignore[assignment]
    return Explained(finding=finding, cause=cause, good=environment)


@pytest.mark.parametrize(
    ("message", "name", "old", "new", "argument", "what"),
    [
        (
            "Table.create() missing 1 required positional argument: 'bind'",
            "sqlalchemy.Table.create",
            "(self, bind=None, checkfirst=False)",
            "(self, bind, checkfirst=False)",
            "bind",
            "has to be given",
        ),
        (
            "check_type() takes 2 positional arguments but 3 were given",
            "typeguard.check_type",
            "(argname: str, value: Any, expected_type: Any, memo=None) -> None",
            "(value: Any, expected_type: Any) -> Any",
            "argname",
            "left out",
        ),
        (
            "Frame.drop() takes from 1 to 2 positional arguments but 3 were given",
            "lib.Frame.drop",
            "(self, labels=None, axis=0)",
            "(self, labels=None, *, axis=0)",
            "axis",
            "given by its name",
        ),
        (
            "__init__() takes 2 positional arguments but 3 were given",
            "lib.__init__",
            "(a, b)",
            "(a)",
            "",
            "",
        ),
        (
            "Item.__init__() takes 2 positional arguments but 3 were given",
            "lib.Item",
            "(name, parent=None)",
            "(name, *, parent=None)",
            "parent",
            "given by its name",
        ),
        # what was required before says nothing of the release, nor does a function that takes any number
        ("f() missing 1 required positional argument: 'a'", "lib.f", "(a, b)", "(a)", "", ""),
        ("f() takes 1 positional argument but 2 were given", "lib.f", "(a, b)", "(a, *rest)", "", ""),
        ("f() takes 1 positional argument but 2 were given", "lib.g", "(a, b)", "(a)", "", ""),
        ("f() takes 1 positional argument but 2 were given", "lib.f", "(a, b", "(a)", "", ""),
    ],
)
def test_which_argument_of_a_call_is_given_otherwise(
    message: str, name: str, old: str, new: str, argument: str, what: str
) -> None:
    found = list(changed_calls(explained(message, name, old, new), "lib", USES))
    assert [(one.argument, one.rewrite) for one in found] == ([(argument, what)] if argument else [])


def test_it_is_told_with_the_line_and_what_was_asked() -> None:
    message = "create() missing 1 required positional argument: 'bind'"
    one = explained(message, "lib.create", "(bind=None)", "(bind)")
    (found,) = changed_calls(one, "lib", USES)
    assert found.places == (SourcePlace(file="src/p/a.py", line=3),)
    assert change_in_words(found) == (
        "src/p/a.py:3 lib.create(bind=) → has to be given (its signature is (bind) now)"
    )
    elsewhere = explained(message, "lib.create", "(bind=None)", "(bind)", file="lib/a.py")
    assert list(changed_calls(elsewhere, "lib", USES)) == []


def test_all_that_has_to_be_given_is_told() -> None:
    message = "info() missing 2 required keyword-only arguments: 'short' and 'mode'"
    found = list(changed_calls(explained(message, "lib.info", "(a)", "(a, *, short, mode)"), "lib", USES))
    assert [(one.argument, one.rewrite) for one in found] == [
        ("short", "has to be given"),
        ("mode", "has to be given"),
    ]


def test_an_argument_that_another_method_takes_now_is_given_to_that() -> None:
    message = "Document.__init__() takes 1 positional argument but 2 were given"
    one = explained(message, "lib.Document", "(version=None)", "()")
    (found,) = changed_calls(one, "lib", USES, lambda name, argument: f"{name}.write")
    assert change_in_words(found) == (
        "src/p/a.py:3 lib.Document(version=) → lib.Document.write "
        "(which takes version= now; its signature is () now)"
    )
