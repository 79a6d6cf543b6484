"""What else a library warned of on lines of the project, that no error has met."""

from __future__ import annotations

import pytest

from backdate.advice import AdvisedChange, SourcePlace
from backdate.advising.advised_changes import MovedDistribution
from backdate.advising.project_uses import ProjectUses
from backdate.advising.uses import read_uses
from backdate.bisection.result import GivenWarning
from backdate.bisection.warned_later import MOST_QUOTED, warned_later

USES = ProjectUses(files=("p/views.py",))
IS_AJAX = (
    "request.is_ajax() is deprecated. See Django 3.1 release notes for more details about this deprecation."
)
DJANGO = MovedDistribution(name="django", old="3.2.25", new="4.0")
MISSING = "The 'missing' argument to fields is deprecated. Use 'load_default' instead."
MARSHMALLOW = MovedDistribution(name="marshmallow", old="3.26.1", new="4.0.0")
PLACE = SourcePlace(file="p/views.py", line=37)


def given(
    message: str, *, category: str = "RemovedInDjango40Warning", file: str = "p/views.py", line: int = 37
) -> GivenWarning:
    place = SourcePlace(file=file, line=line)
    return GivenWarning(category=category, message=message, places=(place,), names_it=False)


def test_an_attribute_of_any_object_is_known_by_the_line_that_its_warning_names() -> None:
    """The error is about an import in front of it, and no syntax tree tells what ``request`` is."""
    (change,) = warned_later([given(IS_AJAX)], DJANGO, ("django",), (), USES).changes
    assert (change.name, change.places) == ("is_ajax", (PLACE,))
    assert "x-requested-with" in change.rewrite


def test_what_no_rule_knows_is_quoted_with_its_lines() -> None:
    """An argument that is handed on, behind an import that fails."""
    warning = given(MISSING, category="RemovedInMarshmallow4Warning")
    found = warned_later([warning, warning], MARSHMALLOW, ("marshmallow",), (), USES)
    assert found.changes == ()
    assert [(one.distribution, one.text, one.places) for one in found.quoted] == [
        ("marshmallow", MISSING, (PLACE,))
    ]
    many = [given(f"Use marshmallow.x{number} instead.", line=number) for number in range(1, 20)]
    assert len(warned_later(many, MARSHMALLOW, ("marshmallow",), (), USES).quoted) == MOST_QUOTED


METADATA = (
    "Passing field metadata as keyword arguments is deprecated. Use the explicit `metadata=...` argument "
    "instead. Additional metadata: {}"
)


def test_what_is_said_of_many_values_in_the_same_words_is_quoted_once() -> None:
    """Each filled one of six places, and hid what else was warned of."""
    many = [
        given(METADATA.format({f"key{number}": f"it's {number}"}), category="MarshmallowWarning", line=number)
        for number in range(1, 9)
    ]
    found = warned_later([*many, given(MISSING)], MARSHMALLOW, ("marshmallow",), (), USES).quoted
    assert [(one.text, [place.line for place in one.places]) for one in found] == [
        (METADATA.format("…"), list(range(1, 9)))
    ]
    warnings = [*many, given(MISSING, category="RemovedInMarshmallow4Warning")]
    both = warned_later(warnings, MARSHMALLOW, ("marshmallow",), (), USES).quoted
    assert [one.text for one in both] == [METADATA.format("…"), MISSING]


def test_what_says_to_do_something_else_is_quoted_for_itself() -> None:
    """The same words, and another name to write."""
    other = MISSING.replace("missing", "default").replace("load_default", "dump_default")
    one_name = "The 'context' of marshmallow's `{}` is deprecated. Use a ContextVar instead."
    warnings = [
        given(text, category="RemovedInMarshmallow4Warning", line=line)
        for line, text in enumerate((MISSING, other, one_name.format("A"), one_name.format("B")), 1)
    ]
    found = warned_later(warnings, MARSHMALLOW, ("marshmallow",), (), USES).quoted
    assert [one.text for one in found] == [MISSING, other, one_name.replace("`{}`", "…")]


def test_a_line_that_only_asks_whether_a_name_is_there_is_no_use_of_it() -> None:
    """``hasattr(numpy, "fv")`` warns of what is gone from NumPy for long."""
    uses = ProjectUses(files=("p/views.py",))
    read_uses(
        b"import lib\nfor name in NAMES:\n    if hasattr(lib, name):\n        getattr(lib, name)\n",
        "p/views.py",
        uses,
    )
    asked = [
        given("The function fv is gone from Django. Use finance.fv instead.", line=line) for line in (3, 4)
    ]
    assert warned_later(asked, DJANGO, ("django",), (), uses).quoted == ()
    used = given("The function fv is gone from Django. Use finance.fv instead.", line=2)
    (quoted,) = warned_later([used], DJANGO, ("django",), (), uses).quoted
    assert quoted.places == (SourcePlace(file="p/views.py", line=2),)


def change(name: str, argument: str = "", line: int = 1) -> AdvisedChange:
    place = SourcePlace(file="p/views.py", line=line)
    return AdvisedChange(distribution="django", name=name, argument=argument, places=(place,))


@pytest.mark.parametrize(
    ("warning", "moved", "known"),
    [
        (given(IS_AJAX, file="django/views.py"), DJANGO, ()),
        (given(IS_AJAX), MovedDistribution(name="django", old="3.1", new="3.2.25"), ()),
        (given(f"{IS_AJAX} It will be removed in Django 5.0."), DJANGO, ()),
        (given("the ajax view of Django is deprecated"), DJANGO, ()),
        (given("`old` is deprecated. Use `new` instead.", category="DeprecationWarning"), DJANGO, ()),
        (given(IS_AJAX), DJANGO, (change("django.http.HttpRequest.is_ajax"),)),
        (given(MISSING), DJANGO, (change("django.forms.Field", "missing"),)),
        (given(MISSING), DJANGO, (change("django.forms.Field", "default", line=37),)),
    ],
    ids=[
        "not its line",
        "another move",
        "a later release",
        "nothing to do",
        "of another library",
        "said already",
        "an argument that is said",
        "its line is said",
    ],
)
def test_what_is_not_of_this_move_or_said_already_is_not_said(
    warning: GivenWarning, moved: MovedDistribution, known: tuple[AdvisedChange, ...]
) -> None:
    assert not any(
        getattr(warned_later([warning], moved, ("django",), known, USES), of) for of in ("changes", "quoted")
    )


CALLS = """
from p.app import ma

class Schema:
    count = ma.Integer(default=1)
    page = ma.Integer(missing=1)
    size = other.Integer(missing=1)
"""


def test_a_call_that_is_handed_on_is_known_by_what_fails_beside_it() -> None:
    """The library warned at a line of its own, as the project calls its fields by an extension's object."""
    uses = ProjectUses(files=("p/a.py",))
    read_uses(CALLS.encode(), "p/a.py", uses)
    warning = given(MISSING, category="RemovedInMarshmallow4Warning", file="marshmallow/fields.py", line=986)
    met = (SourcePlace(file="p/a.py", line=5),)
    (told,) = warned_later([warning], MARSHMALLOW, ("marshmallow",), (), uses, met).quoted
    assert (told.text, told.places) == (MISSING, (SourcePlace(file="p/a.py", line=6),))
    assert warned_later([warning], MARSHMALLOW, ("marshmallow",), (), uses).quoted == ()


def test_a_rule_of_assignments_says_nothing_of_a_line_that_may_only_read_it() -> None:
    """``json.dumps(data, cls=current_app.json_encoder)``: flask-api's renderers.py:60."""
    text = "'app.json_encoder' is deprecated and will be removed in Flask 2.3. Customize 'app.json' instead."
    moved = MovedDistribution(name="flask", old="2.2.5", new="2.3.0")
    found = warned_later([given(text, category="DeprecationWarning")], moved, ("flask",), (), USES)
    assert found.changes == ()
    assert [one.text for one in found.quoted] == [text]
