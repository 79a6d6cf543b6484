"""Changelogs in archives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from backdate.advising.changelog_archives import description_of


@given(st.binary(max_size=300))
def test_any_metadata_have_a_description_or_none(data: bytes) -> None:
    assert isinstance(description_of(data), bytes)
