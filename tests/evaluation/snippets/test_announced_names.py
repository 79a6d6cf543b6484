"""Names that environments show nothing of: a release between the two versions says what becomes of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from small_world import running_index

from backdate.evaluation.snippets.announced_names import with_announced
from backdate.evaluation.snippets.known_names import KnownName
from backdate.index.upstream import IndexClient
from backdate.mining.between import ReleasesBetween
from backdate.snippets.snippet import ApiChangeKind, SnippetSide
from tests.support.snippet_builders import make_snippet

FIRST = """\
import warnings
def early(x):
    warnings.warn("early is deprecated, use `soon` instead", DeprecationWarning, stacklevel=2)
"""
MIDDLE = (
    FIRST
    + """\
def product(x):
    warnings.warn("product is deprecated, use `lib.reckon` instead", DeprecationWarning, stacklevel=2)
def going(x):
    warnings.warn("going is deprecated and will be removed", DeprecationWarning, stacklevel=2)
"""
)
SNIPPET = make_snippet(
    library="lib",
    origin=SnippetSide(version="1.0", python="3.10", requirements=("lib==1.0",)),
    target=SnippetSide(version="2.0", python="3.10", requirements=("lib==2.0",)),
)
HOMES = {"lib.early": "", "lib.product": "lib.product", "lib.going": "", "lib.silent": ""}


@pytest.fixture
def releases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReleasesBetween]:
    folder = tmp_path_factory.mktemp("announced")
    published = [
        ("lib", "1.0", "2020-01-01T00:00:00Z", FIRST),
        ("lib", "1.5", "2020-06-01T00:00:00Z", MIDDLE),
        ("lib", "1.6", "2020-08-01T00:00:00Z", MIDDLE),
        ("lib", "2.0", "2021-01-01T00:00:00Z", "def reckon(x): return x\n"),
    ]
    with running_index(published) as address, IndexClient(upstreams=(address,)) as client:
        yield ReleasesBetween(index=lambda: client, folder=folder, until=datetime(2022, 1, 1, tzinfo=UTC))


def test_a_name_that_both_have_is_told_since_when_it_is_to_go(releases: ReleasesBetween) -> None:
    found = {one.name: one for one in with_announced(SNIPPET, (), HOMES, releases)}
    assert found == {
        "lib.product": KnownName(
            name="lib.product", change=ApiChangeKind.MOVED, version="1.5", replacement="lib.reckon"
        ),
        "lib.going": KnownName(name="lib.going", change=ApiChangeKind.REMOVED, version="1.5"),
    }


def test_a_name_that_is_gone_gets_its_replacement_alone(releases: ReleasesBetween) -> None:
    gone = KnownName(name="lib.product", change=ApiChangeKind.REMOVED, version="2.0")
    early = KnownName(name="lib.early", change=ApiChangeKind.REMOVED, version="2.0")
    known = KnownName(name="lib.going", change=ApiChangeKind.MOVED, version="1.9", replacement="lib.gone")
    found = {one.name: one for one in with_announced(SNIPPET, (gone, early, known), HOMES, releases)}
    assert (found["lib.product"].version, found["lib.product"].replacement) == ("2.0", "lib.reckon")
    assert (found["lib.early"].change, found["lib.early"].replacement) == (ApiChangeKind.MOVED, "soon")
    assert found["lib.going"] == known
