"""The folder of a project's tests is a link to tests of this machine, which judging changes in secret.

Tests behind the link run and pass, for the sandbox shows the host's libraries. To judge an answer, changed
copies of them are laid into a copy of the tree: through the link that would be the host's own file. What the
edits of an answer touch is read for its figures: through a link that would be a secret of the host.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.errors import ConfigurationError
from backdate.evaluation.tree_files import bytes_in, text_of
from backdate.testing.changed_tests.changed_tree import SecretChange, candidates_in, write_changed

TEST = "def test_one():\n    assert 1 == 1\n"


@pytest.fixture
def host(tmp_path: Path) -> Path:
    folder = tmp_path / "host"
    folder.mkdir()
    (folder / "test_host.py").write_text(TEST, encoding="utf-8")
    return folder


@pytest.fixture
def tree(tmp_path: Path, host: Path) -> Path:
    tree = tmp_path / "tree"
    (tree / "real").mkdir(parents=True)
    (tree / "real" / "test_host.py").write_text(TEST, encoding="utf-8")
    (tree / "tests").symlink_to(host)
    (tree / "test_linked.py").symlink_to(host / "test_host.py")
    return tree


@pytest.mark.parametrize("file", ["tests/test_host.py", "test_linked.py"])
def test_no_test_of_this_machine_is_changed(file: str, tree: Path, host: Path, tmp_path: Path) -> None:
    (candidate, *_) = candidates_in(tree, "real/test_host.py") or ()
    assert candidates_in(tree, file) == ()
    change = SecretChange(file=file, candidate=candidate, secret="secret")
    with pytest.raises(ConfigurationError):
        write_changed(tree, tmp_path / "changed", [change])
    assert (host / "test_host.py").read_text(encoding="utf-8") == TEST
    write_changed(
        tree, tmp_path / "again", [SecretChange(file="real/test_host.py", candidate=candidate, secret="s")]
    )
    assert (tmp_path / "again" / "real" / "test_host.py").read_text(encoding="utf-8") != TEST


@pytest.mark.parametrize("file", ["tests/test_host.py", "test_linked.py"])
def test_nothing_of_this_machine_is_read_for_figures(file: str, tree: Path) -> None:
    assert bytes_in(tree, file) is None
    assert text_of(tree, file) == ""
    assert text_of(tree, "real/test_host.py") == TEST
