from __future__ import annotations

import pytest

from backdate.editing.foreign_patch import split_foreign_patch
from backdate.editing.patch import changed_paths

HUNK = "@@ -1 +1 @@\n-a\n+b\n"
PREFIXED = f"--- a/one.py\n+++ b/one.py\n{HUNK}"
BARE = f"--- two.py\n+++ two.py\n{HUNK}"
CREATED = "--- /dev/null\n+++ b/three.py\n@@ -0,0 +1 @@\n+b\n"
IN_A = f"--- a/four.py\n+++ a/four.py\n{HUNK}"


@pytest.mark.parametrize(
    ("patch", "paths"),
    [
        (PREFIXED, ["one.py"]),
        (BARE + IN_A, ["two.py", "a/four.py"]),
        (PREFIXED + BARE, ["one.py", "two.py"]),
        (BARE + PREFIXED + CREATED, ["two.py", "one.py", "three.py"]),
        (CREATED, ["b/three.py"]),
        (BARE + CREATED, ["two.py", "b/three.py"]),
    ],
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_bare_and_prefixed_paths_and_a_byte_order_mark(patch: str, paths: list[str], mark: str) -> None:
    parts = list(split_foreign_patch((mark + patch).encode()))
    assert [path for part in parts for path in changed_paths(part.text)] == paths


def test_a_byte_order_mark_before_a_patch_with_bare_paths() -> None:
    assert changed_paths("\ufeff" + BARE) == ("two.py",)
