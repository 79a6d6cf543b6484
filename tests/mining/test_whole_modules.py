"""A module whose names are all to be taken from one other is one candidate; others stay name by name."""

from __future__ import annotations

from packaging.version import Version

from backdate.mining.candidates import mine_release
from backdate.mining.mine import candidates_and_moves
from backdate.mining.releases import ReleaseSources

LLMS = """
from other.llms import One, Two
DEPRECATED_LOOKUP = {"One": "other.llms", "Two": "other.llms"}
def __getattr__(name): ...
__all__ = ["One", "Two"]
"""
MIXED = """
from other.chat import Chat
from core.base import Base
DEPRECATED_LOOKUP = {"Chat": "other.chat", "Base": "core.base"}
__all__ = ["Chat", "Base"]
"""


def found(old: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    """Names and what takes their place, between two releases with these modules below ``lib``."""
    releases = [
        mine_release(
            ReleaseSources(
                version=Version(version),
                sources={"lib": "", **{f"lib.{name}": text for name, text in modules.items()}},
                packages=frozenset({"lib", "lib.llms"}),
                compiled=frozenset(),
            )
        )
        for version, modules in (("0.3", old), ("1.0", new))
    ]
    return {one.name: one.replacement for one in candidates_and_moves(releases)}


def test_a_module_stands_for_its_names_and_for_the_modules_below_it() -> None:
    inner = LLMS.replace('"other.llms"', '"other.llms.two"').replace("from other.llms", "from other.llms.two")
    assert found({"llms": LLMS, "llms.two": inner}, {}) == {"lib.llms": "other.llms"}


def test_names_of_several_modules_and_of_a_module_that_stays_are_kept() -> None:
    by_name = {"lib.chat.Chat": "other.chat.Chat", "lib.chat.Base": "core.base.Base"}
    assert found({"chat": MIXED}, {}) == by_name
    assert found({"llms": LLMS}, {"llms": ""}) == {
        "lib.llms.One": "other.llms.One",
        "lib.llms.Two": "other.llms.Two",
    }


def test_a_module_that_offers_more_than_what_is_told_of_is_no_whole() -> None:
    more = LLMS.replace('["One", "Two"]', '["One", "Two", "Own"]') + "class Own: ...\n"
    assert "lib.llms" not in found({"llms": more}, {})
