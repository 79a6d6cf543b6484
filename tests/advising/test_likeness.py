"""How like names are."""

from __future__ import annotations

import pytest

from backdate.advising.likeness import names_alike


@pytest.mark.parametrize(
    ("old", "new", "alike"),
    [
        ("from_iso_datetime", "from_timestamp", False),  # they share nothing but where from
        ("get_name", "set_value", False),
        ("to_json", "as_json", True),
        ("trapz", "trapezoid", True),
    ],
)
def test_particles_make_no_names_alike(old: str, new: str, alike: bool) -> None:
    assert (names_alike(old, new) > 0) is alike
