"""Several indexes as one."""

from __future__ import annotations

from typing import Any

import pytest
from fake_index import file_entry, json_page
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import UsageError
from backdate.index.page_store import SerialisedPage, serialise, to_page
from backdate.index.reading import read_json
from backdate.index.together import IndexStrategy, index_strategy, merge_pages

VERSIONS = st.sets(st.sampled_from(["1.0", "1.1", "2.0", "2.0rc1", "3"]))


def page(index: str, *versions: str, fetched: int = 0, exists: bool = True) -> SerialisedPage:
    entries: list[dict[str, Any]] = [
        file_entry(f"demo-{version}.tar.gz", "2020-01-01T00:00:00Z", url=f"https://{index}/demo-{version}")
        for version in versions
    ]
    reading = read_json(json_page("demo", *entries), base=f"https://{index}/", name="demo")
    return serialise(
        "demo", reading.files, upstream=f"https://{index}/", fetched=fetched, exists=exists, etag="x"
    )


@given(st.lists(VERSIONS, min_size=1, max_size=4))
def test_each_version_is_of_the_first_index_that_has_it(indexes: list[set[str]]) -> None:
    pages = [page(f"{at}.example", *sorted(has), exists=bool(has)) for at, has in enumerate(indexes)]
    merged = merge_pages(pages)
    first = {version: at for at, has in reversed(list(enumerate(indexes))) for version in has}
    shown = {file.filename: file.url for file in to_page(merged).files}
    assert shown == {
        f"demo-{version}.tar.gz": f"https://{at}.example/demo-{version}" for version, at in first.items()
    }
    assert set(merged.versions) == set(first)
    assert merged.exists == bool(first)


def test_a_merged_page_is_as_old_as_its_oldest_and_cannot_be_asked_for() -> None:
    merged = merge_pages(
        [page("a", "1.0", fetched=5), page("b", "2.0", fetched=3), page("c", fetched=4, exists=False)]
    )
    assert (merged.fetched, merged.etag, merged.last_modified) == (3, None, None)


def test_strategies_are_uvs_words() -> None:
    assert index_strategy("first-index") is IndexStrategy.FIRST_INDEX
    assert index_strategy("unsafe-best-match") is IndexStrategy.UNSAFE_BEST_MATCH
    with pytest.raises(UsageError, match="sees each index for itself"):
        index_strategy("unsafe-first-match")
    with pytest.raises(UsageError, match="'best' is no strategy"):
        index_strategy("best")
