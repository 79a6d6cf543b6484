"""Loops and comprehensions that announce many names at once."""

from __future__ import annotations

from packaging.version import Version

from backdate.mining.about import AskedName, announcements_about
from backdate.mining.announcements import announcements_in
from backdate.mining.candidates import candidates_of, mine_release
from backdate.mining.offered import modules_meant, names_offered, with_each_name
from backdate.mining.releases import ReleaseSources

OFFERED = """
import numpy as np
_msg = "lib.{0} is deprecated, use numpy.{0} instead"
for _key in np.__all__:
    _fun = getattr(np, _key)
    globals()[_key] = _deprecated(_msg.format(_key))(_fun)
"""


def told(source: str) -> dict[str, str]:
    """Names that the module ``lib`` announces, with the words."""
    return {one.name: one.words for one in announcements_in(source, "lib")}


def release(version: str, source: str) -> ReleaseSources:
    """One module."""
    return ReleaseSources(
        version=Version(version), sources={"lib": source}, packages=frozenset(), compiled=frozenset()
    )


def test_a_loop_over_names_announces_each_in_its_own_words() -> None:
    assert told('for old in ("a", "b"):\n    globals()[old] = deprecated(f"{old} is old")(f)\n') == {
        "lib.a": "a is old",
        "lib.b": "b is old",
    }


def test_a_loop_over_pairs_tells_what_takes_the_place() -> None:
    source = (
        'for old, new in {"rows": "lines"}.items():\n'
        '    setattr(Table, old, deprecated("%s is old, use %s" % (old, new))(getattr(Table, new)))\n'
    )
    assert told(source) == {"lib.Table.rows": "rows is old, use lines"}


def test_a_table_that_a_comprehension_makes_announces_its_names() -> None:
    source = (
        'message = "`np.{n}` was a deprecated alias for the builtin `{n}`."\n'
        'kinds = [("int", ""), ("str", "")]\n'
        "__former_attrs__ = {n: message.format(n=n) for n, more in kinds}\n"
    )
    assert told(source)["lib.int"] == "`np.int` was a deprecated alias for the builtin `int`."


def test_a_loop_that_makes_no_names_announces_none() -> None:
    assert told("for name in ('a', 'b'):\n    deprecated_names.add(name)\n") == {}


def test_all_that_another_module_offers_is_announced_name_by_name() -> None:
    old, new = mine_release(release("1.0", OFFERED)), mine_release(release("2.0", ""))
    assert modules_meant([old, new]) == {"numpy"}
    each = with_each_name([old, new], {"numpy": frozenset({"add"})})
    (candidate,) = candidates_of(each)
    assert (candidate.name, candidate.replacement, str(candidate.since)) == ("lib.add", "numpy.add", "2.0")


def test_a_module_that_could_not_be_read_gives_no_names() -> None:
    assert with_each_name([mine_release(release("1.0", OFFERED))], {})[0].announcements == ()


def test_what_a_module_offers_is_in_the_lists_of_those_that_it_takes_names_from() -> None:
    sources = {
        "numpy": "from .core import *\n__all__ = ['fft']\n__all__.extend(core.__all__)\n",
        "numpy.core": "__all__ = ['add', '_private']\n__all__ += ['sin']\n",
        "numpy.other": "__all__ = ['unrelated']\n",
    }
    assert names_offered(sources, frozenset({"numpy", "numpy.core"}), "numpy") == {"fft", "add", "sin"}


def test_a_name_that_is_asked_for_is_found_in_what_is_said_of_all() -> None:
    (one,) = announcements_about(AskedName(name="lib.add"), announcements_in(OFFERED, "lib"))
    assert one.words == "lib.add is deprecated, use numpy.add instead"
    assert one.name == "lib.add"
