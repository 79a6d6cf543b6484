"""The block "Do this", in lines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backdate.advice import (
    NO_ADVICE,
    Advice,
    AdviceEvidence,
    AdvisedChange,
    ChangedCode,
    EvidenceKind,
    MissingRequirement,
    PythonChange,
    SaidAdvice,
    SeenEdit,
    SourcePlace,
    WorkingLimits,
)
from backdate.output.advice_text import advice_lines, as_calls, places_in_line

PLACES = tuple(SourcePlace(file="src/app/stats.py", line=line) for line in (20, 126))


def change(
    kind: EvidenceKind, *, since: str = "", replacement: str = "numpy.isin", argument: str = ""
) -> AdvisedChange:
    evidence = AdviceEvidence(
        kind=kind, text="numpy 2.4.1 lacks it", since=since, source="https://n.org/notes"
    )
    return AdvisedChange(
        distribution="numpy",
        name="numpy.in1d",
        argument=argument,
        replacement=replacement,
        places=PLACES,
        evidence=(evidence,),
    )


def lines(advice: Advice) -> list[str]:
    return [text for text, _ in advice_lines(advice)]


def test_the_block() -> None:
    advice = Advice(
        now=(WorkingLimits(requirements=("numpy<2.0.0",), passing=9, tests=9, on_python="3.12.1"),),
        fixes=(change(EvidenceKind.WARNING, since="1.25"),),
        later=(change(EvidenceKind.ASKED, replacement=""),),
        requirements=(
            MissingRequirement(
                requirement="six", module="six", places=PLACES[:1], brought_by="isodate", version="0.7.2"
            ),
        ),
        python=(PythonChange(since="3.13", what="it changed", source="https://p.org", places=PLACES[:1]),),
    )
    assert lines(advice) == [
        "",
        "Do this:",
        "  Now: numpy<2.0.0 (seen: the 9 tests pass on Python 3.12.1)",
        "  Fix: src/app/stats.py:20, :126 numpy.in1d → numpy.isin (its warning since 1.25 says so)",
        (
            "  Later: src/app/stats.py:20, :126 numpy.in1d is gone: numpy 2.4.1 lacks it; "
            "nothing says what takes its place"
        ),
        (
            "  Add: six to your requirements: isodate 0.7.2 no longer brings it, and you import six "
            "(src/app/stats.py:20)"
        ),
        "  Python 3.13: src/app/stats.py:20 it changed (https://p.org)",
    ]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("np.isin(a, b)", "the edit below does without"),
        ("np.in1d(a, b, kind=None)", "nothing says what takes its place"),
    ],
)
def test_what_nothing_says_an_edit_may_show(written: str, said: str) -> None:
    patch = (
        "--- src/app/stats.py\n+++ src/app/stats.py\n"
        f"@@ -20,1 +20,1 @@\n-    return np.in1d(a, b)\n+    return {written}\n"
    )
    edit = SeenEdit(patch=patch, passing=9, tests=9, on_python="3.12.1")
    advice = Advice(fixes=(change(EvidenceKind.ASKED, replacement=""),), edit=edit)
    assert lines(advice)[2].endswith(f"numpy 2.4.1 lacks it; {said}")


def test_a_module_that_goes_on_under_nearly_the_same_name_is_done_without() -> None:
    patch = (
        "--- a.py\n+++ a.py\n@@ -1,1 +1,1 @@\n"
        "-from cattr._compat import is_tuple\n+from cattrs._compat import is_tuple\n"
    )
    edit = SeenEdit(patch=patch, passing=9, tests=9, on_python="3.12.1")
    lacks = AdviceEvidence(kind=EvidenceKind.ASKED, text="cattrs 22.1.0 lacks it")
    gone = AdvisedChange(distribution="cattrs", name="cattr._compat", evidence=(lacks,))
    assert lines(Advice(fixes=(gone,), edit=edit))[2].endswith("lacks it; the edit below does without")


def test_what_a_table_says_of_a_name_that_none_takes_the_place_of() -> None:
    known = AdviceEvidence(kind=EvidenceKind.KNOWN, text="the project legacy-cgi", source="https://p.org")
    one = AdvisedChange(distribution="python", name="cgi", places=PLACES[:1], evidence=(known,))
    assert lines(Advice(fixes=(one,)))[-1] == (
        "  Fix: src/app/stats.py:20 cgi is gone: the project legacy-cgi (https://p.org)"
    )


def test_what_a_library_says_of_a_name_that_none_takes_the_place_of() -> None:
    told = replace(
        change(EvidenceKind.WARNING, replacement=""),
        evidence=(AdviceEvidence(kind=EvidenceKind.CHANGELOG, text="It may be replaced by the new APIs."),),
    )
    said = '"It may be replaced by the new APIs." (numpy\'s changelog)'
    assert lines(Advice(fixes=(told, replace(told, argument="axis"))))[2:] == [
        f"  Fix: src/app/stats.py:20, :126 numpy.in1d is gone: {said}",
        f"  Fix: src/app/stats.py:20, :126 numpy.in1d(axis=) is taken no more: {said}",
    ]


def test_what_is_said_in_words() -> None:
    words = SaidAdvice(
        distribution="lib",
        kind=EvidenceKind.WARNING,
        text="Raise an error instead.",
        since="3.1",
        places=PLACES,
    )
    assert lines(Advice(said=(words,))) == [
        "",
        "Do this:",
        '  Said: src/app/stats.py:20, :126 lib: "Raise an error instead." (its warning of 3.1)',
    ]
    assert lines(Advice(warned=(words,)))[-1] == (
        '  Later: src/app/stats.py:20, :126 lib: "Raise an error instead." (its warning of 3.1)'
    )


def test_limits() -> None:
    def said(requirements: tuple[str, ...], python: str, passing: int, tests: int) -> str:
        limits = WorkingLimits(
            requirements=requirements, python=python, passing=passing, tests=tests, on_python="3.11.7"
        )
        return lines(Advice(now=(limits,)))[-1]

    assert said(("a<2",), "", 1, 1) == "  Now: a<2 (seen: the test passes on Python 3.11.7)"
    assert said(("a<2", "b<3"), "", 1, 4) == "  Now: a<2, b<3 (seen: 1 of the 4 tests pass on Python 3.11.7)"
    assert said((), "<3.12", 4, 4) == "  Now: Python <3.12 (seen: the 4 tests pass on Python 3.11.7)"
    assert said(("a<2",), "", 0, 0) == "  Now: a<2 (seen: it builds on Python 3.11.7)"


def test_who_says_so() -> None:
    def said(kind: EvidenceKind, **rest: str) -> str:
        return lines(Advice(fixes=(change(kind, **rest),)))[-1].partition("numpy.in1d")[2]

    assert said(EvidenceKind.MESSAGE) == " → numpy.isin (its error says so)"
    assert said(EvidenceKind.WARNING) == " → numpy.isin (its warning says so)"
    assert said(EvidenceKind.CHANGELOG) == " → numpy.isin (its changelog says so)"
    assert said(EvidenceKind.KNOWN, since="2.4") == (
        " → numpy.isin (since 2.4, numpy 2.4.1 lacks it: https://n.org/notes)"
    )
    another = said(EvidenceKind.WARNING, argument="a", replacement="lib.b")
    assert another == "(a=) → lib.b (its warning says so)"
    assert said(EvidenceKind.CHANGELOG, argument="a", replacement="b") == "(a=) → b= (its changelog says so)"


def test_of_many_places_the_first_are_named() -> None:
    places = [SourcePlace(file="a.py", line=line) for line in range(1, 10)]
    assert places_in_line(places) == "a.py:1, :2, :3, :4, :5, :6 and 3 more"


def test_no_advice_is_no_block() -> None:
    assert lines(NO_ADVICE) == []


@pytest.mark.parametrize(
    ("name", "template", "shown"),
    [
        ("np.asscalar", "{0}.item()", ("np.asscalar(a)", "a.item()")),
        ("f", "g({1}, {0})", ("f(a, b)", "g(b, a)")),
        (
            "Series.append",
            "pd.concat([{self}, {0}], axis={axis})",
            ("x.append(a, axis=axis)", "pd.concat([x, a], axis=axis)"),
        ),
        ("Tree.size", "len({self})", ("x.size", "len(x)")),
        ("f", "g({args})", ("f(…)", "g(…)")),
        ("f", "left out", ("f", "left out")),
        ("f", "{99}", ("f", "{99}")),
    ],
)
def test_a_template_is_shown_with_letters(name: str, template: str, shown: tuple[str, str]) -> None:
    assert as_calls(name, template) == shown


def test_changed_lines_stand_below_and_in_one_line_where_there_is_no_room() -> None:
    changed = ChangedCode(
        distribution="lib",
        release="2.0",
        name="lib.core.ended",
        file="lib/core.py",
        line=7,
        removed=("return 0",),
        added=("return 2",),
        alone=False,
        quoted="The exit code is 2 now.",
    )
    where = 'lib.core.ended of lib 2.0 (lib/core.py:7), run by these tests: "The exit code is 2 now."'
    shown = [text for text, _ in advice_lines(Advice(changed=(changed,)))]
    assert shown[2:] == [f"  Changed: {where} (its changelog)", "      - return 0", "      + return 2"]
    (one,) = [text for text, _ in advice_lines(Advice(changed=(changed,)), with_edit=False)][2:]
    assert one == f"  Changed: {where} (its changelog); without `return 0`, with `return 2`"
