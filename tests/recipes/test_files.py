"""What recipes' sources may ask of a project's tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.recipes.files import Files


@pytest.mark.parametrize(
    ("depth", "most", "expected"),
    [
        (1, 9, ["a", "b"]),
        (3, 9, ["a", "b", "a/c", "b/c", "b/c/d"]),
        (3, 3, ["a", "b", "a/c"]),
        (3, 0, []),
        (0, 9, []),
    ],
)
def test_the_upper_folders_come_first(tmp_path: Path, depth: int, most: int, expected: list[str]) -> None:
    for folder in ("b/c/d/e", "a/c", ".git/x", "a/.hidden"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "linked").symlink_to(tmp_path / "b")
    assert list(Files(tmp_path).folders_below(depth=depth, most=most)) == expected
