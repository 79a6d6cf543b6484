"""What handles folders that foreign code wrote opens nothing in them by a path, but through ``Folder``."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

import backdate
from backdate.errors import ConfigurationError
from backdate.projects.hostile import Folder, read_beneath

SOURCE = Path(backdate.__file__).parent

MODULES = tuple(
    f"environments/{name}.py"
    for name in (
        *("build", "cache", "layered", "layers", "project_layer", "steps", "step_files", "step_run"),
        *("pip_installer", "script_installer"),
        *("references/archives", "references/repositories", "references/supply"),
        *("built_wheels", "finished", "lock_check", "private_view", "seal", "wheel_store"),
    )
)

FORBIDDEN = frozenset(
    (
        *("open", "read_text", "read_bytes", "write_text", "write_bytes", "touch", "mkfifo"),
        *("chmod", "lchmod", "chown", "lchown", "symlink_to", "hardlink_to", "link", "symlink"),
        *(
            "rename",
            "renames",
            "move",
            "rmtree",
            "copy",
            "copy2",
            "copyfile",
            "copymode",
            "copystat",
            "copytree",
        ),
    )
)

ALLOWED = {
    ("environments/cache.py", "read", "read_bytes"): "a record, which no build can write",
    ("environments/cache.py", "guard", "open"): "a lock file, which no build can write",
    ("environments/private_view.py", "mounts", "chown"): "a folder of uv's cache, just made",
    ("environments/seal.py", "_boot", "read_text"): "a file of the kernel's",
    ("environments/project_layer.py", "_read", "read_bytes"): "of the tree, by ``projects/read.py``",
    ("environments/step_run.py", "note_refusals", "open"): "a log, which no build can write",
    ("environments/step_files.py", "input_file", "chmod"): "a new temporary folder of ours",
    ("environments/step_files.py", "input_file", "write_text"): "a new temporary folder of ours",
    ("environments/step_files.py", "build_files", "write_text"): "a new temporary folder of ours",
    ("environments/pip_installer.py", "install_with_pip", "chmod"): "a new temporary folder of ours",
    ("environments/pip_installer.py", "install_with_pip", "write_text"): "a new temporary folder of ours",
    ("environments/pip_installer.py", "_script", "write_text"): "a new temporary folder of ours",
    ("environments/pip_installer.py", "_pip_errors", "read_bytes"): "a log, which no build can write",
    ("environments/script_installer.py", "_run", "chmod"): "a new temporary folder of ours",
}
"""Where a file of ours is opened by its path, and why no foreign code can have led that path elsewhere."""

OWN = frozenset({"link"})
"""Names of ``FORBIDDEN`` that ``Folder`` has too: they are forbidden on ``os`` and ``shutil`` only."""


def opened_by_path(text: str) -> set[tuple[str, str]]:
    """Each forbidden call in a module: the function that it stands in, and its name."""
    found = set()
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        for call in (one.func for one in ast.walk(function) if isinstance(one, ast.Call)):
            if isinstance(call, ast.Name) and call.id in FORBIDDEN:
                found.add((function.name, call.id))
            elif isinstance(call, ast.Attribute) and call.attr in FORBIDDEN:
                receiver = call.value.id if isinstance(call.value, ast.Name) else ""
                if call.attr not in OWN or receiver in ("os", "shutil"):
                    found.add((function.name, call.attr))
    return found


@pytest.mark.parametrize("module", MODULES)
def test_nothing_is_opened_by_a_path(module: str) -> None:
    calls = {(module, *one) for one in opened_by_path((SOURCE / module).read_text(encoding="utf-8"))}
    assert calls == {one for one in ALLOWED if one[0] == module}


def test_the_search_sees_what_was_done_before() -> None:
    text = 'def build_at(root):\n    (root / "pylock.toml").write_text("")\n    shutil.copymode(root, root)\n'
    assert opened_by_path(text) == {("build_at", "write_text"), ("build_at", "copymode")}


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    root = tmp_path / "hostile"
    (root / "real").mkdir(parents=True)
    (root / "real" / "file").write_text("inside", encoding="utf-8")
    (root / "file").symlink_to("../secret")
    (root / "folder").symlink_to("real")
    return root


@pytest.mark.parametrize("name", ["file", "folder/file", "real/../file", "/etc/passwd", "real//file", "real"])
def test_what_is_reached_through_a_link_is_not_read(name: str, hostile: Path) -> None:
    assert read_beneath(hostile, "real/file", limit=10) == b"inside"
    assert read_beneath(hostile, "real/none", limit=10) is None
    with pytest.raises(ConfigurationError):
        read_beneath(hostile, name, limit=100)


def test_a_folder_that_is_a_link_is_not_entered(hostile: Path) -> None:
    with pytest.raises(ConfigurationError):
        Folder.at(hostile / "folder")
    with Folder.at(hostile) as top, pytest.raises(ConfigurationError):
        top.folder("folder")


def test_a_link_is_replaced_and_not_written_through(hostile: Path, tmp_path: Path) -> None:
    with Folder.at(hostile) as top:
        with pytest.raises(ConfigurationError):
            top.write_new("file", b"new")
        top.replace("file", b"new")
    assert (tmp_path / "secret").read_text(encoding="utf-8") == "secret"
    assert (hostile / "file").read_bytes() == b"new"


def test_a_named_pipe_is_refused_at_once(hostile: Path) -> None:
    os.mkfifo(hostile / "pipe")
    with pytest.raises(ConfigurationError, match="regular"):
        read_beneath(hostile, "pipe", limit=10)
