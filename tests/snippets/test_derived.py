"""Tests of solutions that are derived from what a row says."""

from __future__ import annotations

from dataclasses import replace

from backdate.snippets.derived import derived_reference
from tests.support.snippet_builders import ASFARRAY, CODE, make_java, make_snippet


def test_every_name_is_replaced_by_what_the_row_names() -> None:
    assert derived_reference(make_snippet()) == CODE.replace("np.asfarray", "np.asarray")
    builtin = replace(ASFARRAY, name="xrange", replacement="range")
    snippet = make_snippet(apis=(builtin,), code="def total(values):\n    return sum(xrange(3))\n")
    assert "sum(range(3))" in derived_reference(snippet)


def test_nothing_is_derived_where_the_row_does_not_say_all_of_it() -> None:
    unknown = replace(ASFARRAY, name="numpy.product", replacement="")
    assert derived_reference(make_snippet(apis=(ASFARRAY, unknown))) == ""
    assert derived_reference(make_snippet(apis=(replace(ASFARRAY, name="numpy.in1d"),))) == ""
    assert derived_reference(make_java()) == ""
