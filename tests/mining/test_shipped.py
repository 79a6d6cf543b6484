"""What is shipped of mined rows is proven again: a small file always, a seventh a day with ``--all``."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from backdate.checking.settings import Settings
from backdate.knowledge import load
from backdate.knowledge.change_rows import ChangesFile
from backdate.knowledge.changes import PYTHON
from backdate.mining.prove_rows import prove_rows
from backdate.mining.prove_standard_library import prove_standard_library
from backdate.mining.write_rows import UNPROVEN
from backdate.session import Session

MINED = {
    distribution: file
    for distribution in load.distributions_with_rules()
    for file in load.changes_of(distribution)
    if file.origin == "mined"
}
ALWAYS = "attrs"
"""One of few rows and no requirements."""


def proven_again(file: ChangesFile, session_cache: Path, index_url: str) -> list[tuple[str, str]]:
    """Names of ``file`` that two environments do not prove, each with the reason."""
    off = tuple(msgspec.structs.replace(row, unproven=UNPROVEN) for row in file.change)
    with Session(Settings(cache=session_cache, index_url=index_url, store=False)) as session:
        prove = prove_standard_library if file.distribution == PYTHON else prove_rows
        proven = prove(session, msgspec.structs.replace(file, change=off))
    assert {name for row in proven.change for name in row.names} == {
        name for row in file.change for name in row.names
    }
    return [(name, row.unproven) for row in proven.change if row.unproven for name in row.names]


def test_nothing_is_shipped_that_is_left_out() -> None:
    shipped = {
        (distribution, name if row.kind == "module" else f"{row.module}.{name}")
        for distribution, file in MINED.items()
        for row in file.change
        for name in row.names
    } | {
        (distribution, f"{row.module}({name})")
        for distribution, file in MINED.items()
        for row in file.change
        if row.kind == "argument"
        for name in row.names
    }
    assert shipped & set(load.left_out_of_mining()) == set()


@pytest.mark.network
def test_a_small_mined_file_is_proven_again(session_cache: Path, index_url: str) -> None:
    assert proven_again(MINED[ALWAYS], session_cache, index_url) == []


@pytest.mark.slow
@pytest.mark.proof
@pytest.mark.network
@pytest.mark.parametrize("distribution", sorted(set(MINED) - {ALWAYS}))
def test_every_mined_file_is_proven_again(distribution: str, session_cache: Path, index_url: str) -> None:
    assert proven_again(MINED[distribution], session_cache, index_url) == []


@pytest.mark.slow
@pytest.mark.network
def test_a_planted_rule_that_is_wrong_is_not_proven(session_cache: Path, index_url: str) -> None:
    (row, *_) = MINED[ALWAYS].change
    wrong = dict.fromkeys(row.names, "no_such_argument")
    planted = msgspec.structs.replace(MINED[ALWAYS], change=(msgspec.structs.replace(row, names=wrong),))
    reasons = proven_again(planted, session_cache, index_url)
    assert {reason for _, reason in reasons} == {"the release does not take the new one"}
