"""How xdist shares tests among its workers."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling

ONE_BY_ONE = ("tests/knowledge/test_examples.py", "tests/mining/test_shipped.py")
"""Files of many tests that share nothing and mostly wait for the package index. One worker would take an hour
for all of them."""


class FileScheduling(LoadFileScheduling):
    """A file's tests stay together, so that what they share is made once; but for those of ``ONE_BY_ONE``."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return nodeid if file in ONE_BY_ONE else file
