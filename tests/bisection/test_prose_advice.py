"""What libraries say to do in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backdate.advice import EvidenceKind, SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.bisection.explained import Explained
from backdate.bisection.prose_advice import MOST_SAID, noted_advice, said_advice, warned_advice
from backdate.bisection.result import Culprit, Excerpt, Explanation, Failing, Finding, GivenWarning
from backdate.diagnosis.result import Cause, CauseKind
from backdate.testing.outcomes import Frame

USES = ProjectUses(files=("src/p/a.py",))
RAISE = GivenWarning(
    category="ChangedInLib4Warning",
    message="Returning `False` from a validator is deprecated. Raise a `ValidationError` instead.",
    places=(SourcePlace(file="lib/fields.py", line=276), SourcePlace(file="p/a.py", line=3)),
    names_it=False,
)
OTHER = replace(RAISE, message="`old` is deprecated. Use something else instead.")
SILENT = replace(RAISE, message="`older` is deprecated.")


def finding(*warnings: GivenWarning, changelog: tuple[Excerpt, ...] = (), culprits: int = 1) -> Finding:
    return Finding(
        tests=("t",),
        error=Failing(type="AssertionError", message="200 != 422"),
        axis="packages",
        culprits=tuple(
            Culprit(name=f"lib{n or ''}", old="3", new="4", released=None) for n in range(culprits)
        ),
        python="3.12.1",
        explanations=Explanation(warnings=warnings, changelog=changelog),
    )


def test_the_only_warning_that_says_what_to_do_is_quoted_with_the_projects_lines() -> None:
    (said,) = said_advice([finding(SILENT, RAISE)], USES)
    assert (said.distribution, said.kind, said.text) == ("lib", EvidenceKind.WARNING, RAISE.message)
    assert said.places == (SourcePlace(file="src/p/a.py", line=3),)
    assert said_advice([finding(RAISE), finding(RAISE)], USES) == (said,)


def test_of_several_only_the_one_that_names_what_is_missing_is() -> None:
    assert said_advice([finding(RAISE, OTHER)], USES) == ()
    named = replace(OTHER, names_it=True)
    (said,) = said_advice([finding(RAISE, named)], USES)
    assert said.text == OTHER.message


def test_a_warning_that_names_a_line_of_the_project_comes_before_others() -> None:
    text = "'@lib.old' is applied to <f, file=/work/12/top/src/p/a.py, line=194>, please replace it with '@n'"
    (said,) = said_advice([finding(RAISE, replace(OTHER, message=text, places=()))], USES)
    assert said.text == text.replace("/work/12/top/", "")
    assert said.places == (SourcePlace(file="src/p/a.py", line=194),)
    elsewhere = text.replace("src/p/a.py", "src/p/b.py")
    assert said_advice([finding(RAISE, replace(OTHER, message=elsewhere))], USES) == ()


def test_the_changelog_is_asked_last_and_nothing_is_guessed() -> None:
    entry = Excerpt(
        distribution="lib",
        version="4.0",
        archive="lib-4.tar.gz",
        file="CHANGES",
        lines=("- Remove `context`. Passing one should be", "done in favor of a variable."),
        about="context",
    )
    (said,) = said_advice([finding(SILENT, changelog=(entry,))], USES)
    assert (said.kind, said.since) == (EvidenceKind.CHANGELOG, "4.0")
    assert "in favor of a variable" in said.text
    assert said_advice([finding(SILENT)], USES) == ()
    assert said_advice([finding(RAISE, culprits=2)], USES) == ()
    many = [finding(replace(RAISE, message=f"Use `x{number}` instead.")) for number in range(9)]
    assert len(said_advice(many, USES)) == MOST_SAID


def test_the_error_itself_comes_first_and_an_assertion_is_none() -> None:
    hint = "Unable to avoid copy. If using `np.array(obj, copy=False)` replace it with `np.asarray(obj)`."
    place = Frame(file="src/p/a.py", line=7, function="f", source="x = np.array(y, copy=False)")
    one = replace(finding(RAISE), error=Failing(type="ValueError", message=hint, place=place))
    (said,) = said_advice([one], USES)
    assert said.kind is EvidenceKind.MESSAGE
    assert "replace it with `np.asarray(obj)`" in said.text
    assert said.places == (SourcePlace(file="src/p/a.py", line=7),)
    asserted = replace(one, error=replace(one.error, type="AssertionError"))
    assert [other.kind for other in said_advice([asserted], USES)] == [EvidenceKind.WARNING]


def test_what_names_nothing_to_write_is_followed_by_what_does() -> None:
    entry = Excerpt(
        distribution="lib",
        version="4.0",
        archive="lib-4.tar.gz",
        file="CHANGES",
        lines=("- Deprecated `lib.Request`. Instead, `new.Request` should be used.",),
        about="Request",
    )
    error = Failing(type="DeprecationWarning", message="It is deprecated. You should use the APIs in new.")
    one = replace(finding(SILENT, changelog=(entry,)), error=error)
    of_error, of_changelog = said_advice([one], USES)
    assert (of_error.kind, of_changelog.kind) == (EvidenceKind.MESSAGE, EvidenceKind.CHANGELOG)
    assert "`new.Request` should be used" in of_changelog.text
    plain = replace(error, message="It is deprecated. You should use new.Request instead.")
    assert [said.kind for said in said_advice([replace(one, error=plain)], USES)] == [EvidenceKind.MESSAGE]


@pytest.mark.parametrize(
    ("kind", "message", "said"),
    [
        ("lib.errors.SyntaxError", "the alias v km is not valid (must not contain spaces)", 1),
        ("ValueError", "the alias v km is not valid (must not contain spaces)", 0),  # anybody's
        ("lib.errors.SyntaxError", "the alias v km is not valid", 0),
    ],
)
def test_what_an_error_of_the_library_wants_is_said(kind: str, message: str, said: int) -> None:
    one = replace(finding(), error=Failing(type=kind, message=message))
    assert [words.text for words in said_advice([one], USES)] == [message] * said


def test_warnings_of_the_new_side_are_said_at_lines_of_the_project() -> None:
    (said,) = warned_advice(finding(), [RAISE, SILENT, replace(RAISE, places=RAISE.places[:1])], USES)
    assert (said.distribution, said.kind, said.text) == ("lib", EvidenceKind.WARNING, RAISE.message)
    assert said.places == (SourcePlace(file="src/p/a.py", line=3),)


def test_an_entry_about_a_member_of_what_is_called_or_about_what_it_does_is_no_advice() -> None:
    called = Excerpt(
        distribution="lib",
        version="4.0",
        archive="lib-4.tar.gz",
        file="CHANGES",
        lines=("Removal of prior deprecations", "- Removed `Series.append`, use `concat` instead."),
        about="Series",
    )
    does = replace(
        called,
        lines=(
            "Removals",
            "- Changed arithmetic of `Series`, which is no longer typed, use `infer()` instead.",
        ),
    )
    assert said_advice([finding(changelog=(called, does))], USES) == ()
    goes = replace(called, lines=("Changes", "- Removed `Series`, use `Column` instead."))
    (said,) = said_advice([finding(changelog=(called, does, goes))], USES)
    assert "Column" in said.text
    listed = replace(called, lines=("Pending:", "- ``lib.Series``; use ``lib.columns[name]`` instead"))
    assert "columns[name]" in said_advice([finding(changelog=(listed,))], USES)[0].text
    failing = replace(finding(changelog=(does,)), error=Failing(type="TypeError", message="bad Series"))
    assert "infer()" in said_advice([failing], USES)[0].text


def test_an_entry_on_both_types_is_about_a_value_that_has_the_other_one_now() -> None:
    read = Excerpt(
        distribution="lib",
        version="4.0",
        archive="lib-4.tar.gz",
        file="whatsnew/4.0.rst",
        lines=("* Strings are now read as ``bytes`` objects", "instead of ``str`` by default."),
        about="bytes",
    )
    told = Failing(type="AssertionError", message="assert b'foo' == 'foo'")
    (said,) = said_advice([replace(finding(changelog=(read,)), error=told)], USES)
    assert (said.kind, said.since) == (EvidenceKind.CHANGELOG, "4.0")
    assert "instead of ``str``" in said.text
    assert said_advice([finding(changelog=(read,))], USES) == ()


@pytest.mark.parametrize(
    ("culprit", "message", "text"),
    [
        ("shapely", "'MultiPolygon' object is not iterable", "the attribute geoms has the parts"),
        ("numpy", "'MultiPolygon' object is not iterable", ""),  # of another library
        ("shapely", "'Polygon' object has no attribute 'x'", ""),
    ],
)
def test_what_the_tables_note_of_an_error_is_said(culprit: str, message: str, text: str) -> None:
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="TypeError", message=message)
    failing = Failing(type="TypeError", message=message, place=Frame(file="src/p/a.py", line=4, function="f"))
    named = Culprit(name=culprit, old="1", new="2", released=None)
    one = Explained(
        finding=replace(finding(), error=failing, culprits=(named,)),
        cause=cause,
        good=None,  # type: ignore[arg-type]
    )
    said = noted_advice(one, USES)
    assert [each.text for each in said] == ([text] if text else [])
    assert all(each.places == (SourcePlace(file="src/p/a.py", line=4),) for each in said)
    assert all(each.source.startswith("https://shapely") and each.since == "2.0" for each in said)
    assert noted_advice(replace(one, cause=None), USES) == ()


@pytest.mark.parametrize(("release", "said"), [("5.0", 0), ("4.0", 1), ("3.9", 1)])
def test_what_a_later_release_will_do_broke_no_test(release: str, said: int) -> None:
    text = f"The default of ZONES will change from False to True in Lib {release}. Use ZONES = False instead."
    assert len(said_advice([finding(replace(RAISE, message=text))], USES)) == said


def test_a_warning_at_the_very_line_that_fails_is_said_whatever_its_words_are() -> None:
    """cryptography: "Curve argument must be an instance of an EllipticCurve class."."""
    place = Frame(file="src/p/a.py", line=3, function="f", source="generate(ec.SECP256R1)")
    refused = Failing(type="TypeError", message="curve must be an EllipticCurve instance", place=place)
    one = replace(finding(replace(SILENT, message="The curve is no class of them.")), error=refused)
    (said,) = said_advice([one], USES)
    assert (said.kind, said.text) == (EvidenceKind.WARNING, "The curve is no class of them.")
    assert said.places == (SourcePlace(file="src/p/a.py", line=3),)
    elsewhere = replace(one, error=replace(refused, place=replace(place, line=4)))
    assert said_advice([elsewhere], USES) == ()


def test_it_comes_before_one_of_another_line_that_says_what_to_do() -> None:
    """Twisted: "passing <class 'str'> has never worked", and a class of the tests that was moved."""
    place = Frame(file="src/p/a.py", line=7, function="f", source="root.putChild('', data)")
    refused = Failing(type="TypeError", message="Path segment must be bytes", place=place)
    there = replace(SILENT, message="Text never worked.", places=(SourcePlace(file="p/a.py", line=7),))
    (said,) = said_advice([replace(finding(RAISE, there), error=refused)], USES)
    assert said.text == "Text never worked."
