"""A process beside backdate swaps folders of a project for links to closed ones while its tree is copied."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from backdate.errors import BackdateError
from backdate.sandboxes.copying import copy_tree


@pytest.mark.slow
def test_no_copy_holds_what_is_closed(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "file").write_text("of the host")
    tree = tmp_path / "tree"
    for number in range(40):
        (tree / f"folder-{number}").mkdir(parents=True)
        (tree / f"folder-{number}" / "file").write_text("of the project")
    (tmp_path / "link").symlink_to(closed)
    over = threading.Event()

    def swap() -> None:
        number = 0
        while not over.is_set():
            place = tree / f"folder-{number % 40}"
            place.rename(tmp_path / "aside")
            (tmp_path / "link").rename(place)
            place.rename(tmp_path / "link")
            (tmp_path / "aside").rename(place)
            number += 1

    swapping = threading.Thread(target=swap)
    swapping.start()
    links = refused = 0
    try:
        for number in range(60):
            copy = tmp_path / f"copy-{number}"
            try:
                copy_tree(tree, copy, owner=None, limit=None)
            except (OSError, BackdateError):
                refused += 1
            for folder, folders, files in os.walk(copy):
                links += sum(Path(folder, name).is_symlink() for name in folders)
                for name in files:
                    assert Path(folder, name).read_text() != "of the host"
    finally:
        over.set()
        swapping.join()
    assert refused < 60, "no copy was whole"
