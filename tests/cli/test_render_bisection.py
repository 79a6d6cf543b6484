"""What a bisection prints of a culprit that is not alone."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "bisection"))
from test_result import bisect_result

from backdate.bisection.result import Culprit, Failing, Finding, FurtherTurn, Suspicion
from backdate.cli.render_bisection import bisection_lines


def culprit(name: str) -> Culprit:
    return Culprit(name=name, old="1", new="2", released=None)


def text_of(**changes: object) -> str:
    result = bisect_result()
    finding: Finding = replace(result.findings[0], tests=("t.py::a",), **changes)  # type: ignore[arg-type]
    return "\n".join(line for line, _ in bisection_lines(replace(result, findings=(finding,))))


def test_a_pile_is_its_likeliest_with_why_and_not_all_of_its_names() -> None:
    pile = tuple(
        Suspicion(culprit=culprit(f"p{number:02}"), likelihood="other" if number else "named")
        for number in range(34)
    )
    text = text_of(undistinguished=pile)
    assert "not told apart: p00 1 -> 2 (the error names it), or one of 33 others: E: no" in text
    assert "p01" not in text


def test_what_else_has_to_be_held_back_is_said() -> None:
    text = text_of(culprits=(culprit("jinja2"),), companions=("markupsafe<2.1.0",))
    assert "with its older release, markupsafe<2.1.0 is needed as well" in text


def test_a_later_turn_of_the_culprit_is_said() -> None:
    turn = FurtherTurn(culprit=replace(culprit("numpy"), new="2.0.0"), error=Failing(type="E", message="NaN"))
    assert "turned again with numpy 2.0.0: E: NaN" in text_of(
        culprits=(culprit("numpy"),), further_turns=(turn,)
    )


def test_several_errors_of_one_change_are_told_together() -> None:
    first, guilty = bisect_result().findings[0], (culprit("icalendar"),)
    of_one = replace(first, culprits=guilty, tests=("t.py::a", "t.py::b"), confirmed=("forward", "backward"))
    another = replace(of_one, error=Failing(type="TypeError", message="none"), tests=("t.py::b", "t.py::c"))
    apart = replace(of_one, culprits=(culprit("pytz"),), tests=("t.py::d",))
    result = replace(bisect_result(), findings=(of_one, apart, another))
    lines = [line for line, _ in bisection_lines(result)]
    text = "\n".join(lines)
    assert "  icalendar 1 -> 2: 3 tests by 2 errors, confirmed both ways: E: no" in lines
    assert "icalendar 1 -> 2: 3 tests by 2 errors; confirmed both ways" in lines
    assert text.count("icalendar 1 -> 2") == 2
    assert "  2 tests: TypeError: none" in text
    assert text.index("TypeError: none") < text.rindex("pytz 1 -> 2")
    assert text.count("versions searched on") + text.count("packages searched on") == 2
