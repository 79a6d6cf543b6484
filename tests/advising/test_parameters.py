"""Which keyword argument may be another one by a new name: by place, default and name."""

import pytest

from backdate.advising.parameters import parameters_in, successors
from backdate.diagnosis.api import Member


def member(signature: str) -> Member:
    names = tuple(one.name for one in parameters_in(signature))
    return Member(
        name="lib.f", present=True, kind="function", signature=signature, keywords=names, takes_any=False
    )


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("(image, indices=True, num=1)", "(image, p_norm=True, num=1)", ["p_norm"]),
        ("(image, indices=True, num=1)", "(image, p_norm=inf, num=1)", []),
        ("(image, indices=True, num=1)", "(image, p_norm=None, num=1)", ["p_norm"]),
        ("(image, indices='all', num=1)", "(image, p_norm=3, num=1)", []),
        ("(image, indices=1, num=1)", "(image, p_norm=2.5, num=1)", ["p_norm"]),
        ("(image, indices=True, num=1)", "(image, all_indices=0, num=1)", ["all_indices"]),
    ],
)
def test_what_has_another_sort_of_default_took_no_ones_place(old: str, new: str, found: list[str]) -> None:
    assert successors("indices", member(old), member(new)) == found
