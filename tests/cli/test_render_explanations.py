"""What a culprit says for itself, in lines."""

from __future__ import annotations

from backdate.advice import SourcePlace
from backdate.bisection.result import ChangedName, Excerpt, Explanation, GivenWarning, NameChange
from backdate.cli import render_explanations

WARNING = GivenWarning(
    category="DeprecationWarning",
    message="a.f goes",
    places=tuple(SourcePlace(file=file, line=line) for file, line in (("p.py", 3), ("p.py", 5), ("q.py", 1))),
    names_it=True,
)


def excerpt(name: str, about: str) -> Excerpt:
    return Excerpt(
        distribution=name, version="2", archive=f"{name}-2.tar.gz", file="NEWS", lines=("words",), about=about
    )


def lines(explanations: Explanation) -> list[str]:
    return [text for text, _ in render_explanations.explanations_lines(explanations)]


def test_a_warning_is_told_once() -> None:
    both = ("DeprecationWarning: a.f goes", "DeprecationWarning: a.f is old")
    names = tuple(ChangedName(name="a.f", change=NameChange.GONE, warned=(one,)) for one in both)
    said = lines(Explanation(warnings=(WARNING,), names=names))
    assert [line for line in said if "a.f goes" in line] == [
        "  Warned before: DeprecationWarning: a.f goes (p.py:3, :5, q.py:1)"
    ]
    assert "      it warned: DeprecationWarning: a.f is old" in said


def test_a_name_that_did_not_change_is_not_told() -> None:
    assert lines(Explanation(names=(ChangedName(name="a.f", change=NameChange.SAME),))) == []


def test_a_quotation_says_what_it_is_about() -> None:
    assert lines(Explanation(changelog=(excerpt("a", "load"),))) == [
        "  Changelog of a 2, of load (NEWS):",
        "      | words",
    ]
