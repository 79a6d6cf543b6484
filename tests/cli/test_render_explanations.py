"""What a culprit says for itself, in lines."""

from __future__ import annotations

from backdate.bisection.result import ChangedName, Excerpt, Explanation, GivenWarning, NameChange
from backdate.cli import render_explanations

WARNING = GivenWarning(category="DeprecationWarning", message="a.f goes", file="p.py", line=3, names_it=True)


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
        "  Warned before: DeprecationWarning: a.f goes (p.py:3)"
    ]
    assert "      it warned: DeprecationWarning: a.f is old" in said


def test_of_many_suspects_only_what_is_about_the_matter_is_quoted() -> None:
    few = (excerpt("a", "beginning"), excerpt("b", "removals"))
    assert sum("Changelog of" in line for line in lines(Explanation(changelog=few))) == 2
    many = (*few, excerpt("c", "beginning"), excerpt("d", "beginning"))
    assert [line for line in lines(Explanation(changelog=many)) if "Changelog of" in line] == [
        "  Changelog of b 2, of removals (NEWS):"
    ]
