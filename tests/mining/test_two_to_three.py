"""The tables of 2to3 as candidates of rules."""

from __future__ import annotations

from packaging.version import Version

from backdate.mining.releases import ReleaseSources
from backdate.mining.two_to_three import two_to_three_candidates

FIXERS = {
    "fix_imports": 'MAPPING = {"Queue": "queue", "same": "same", "odd": "a b"}\n',
    "fix_urllib": (
        'MAPPING = {"urllib": [("urllib.parse", ["quote"]), ("urllib.request", ["_urlopener"])]}\n'
        'MAPPING["urllib2"].append(MAPPING["urllib"][1])\n'
    ),
    "fix_types": '_TYPE_MAPPING = {"ListType": "list", "NoneType": "type(None)"}\n',
    "fix_renames": 'MAPPING = {"sys": {"maxint": "maxsize"}}\n',
    "fix_asserts": 'NAMES = dict(assertEquals="assertEqual")\n',
    "fix_print": "MAPPING = call()\n",
    "main": 'MAPPING = {"not": "a fixer"}\n',
}


def test_every_table_is_read_and_what_is_no_name_left_out() -> None:
    release = ReleaseSources(
        version=Version("24.4"),
        sources={f"fissix.fixes.{name}": source for name, source in FIXERS.items()},
        packages=frozenset(),
        compiled=frozenset(),
    )
    found = {one.name: (one.replacement, one.owner, one.module) for one in two_to_three_candidates(release)}
    assert found == {
        "Queue": ("queue", "", True),
        "urllib.quote": ("urllib.parse.quote", "", False),
        "types.ListType": ("list", "", False),
        "sys.maxint": ("sys.maxsize", "", False),
        "unittest.TestCase.assertEquals": ("assertEqual", "TestCase", False),
    }
