"""Two folders that behave as one environment, and an upper one that is made from another."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from backdate.environments.layers import LayersCollide, add_links
from backdate.environments.project_layer import ProjectLayer, derive, read_copies
from backdate.errors import ConfigurationError

SITE = "lib/python3.11/site-packages"


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def lower(tmp_path: Path) -> Path:
    root = tmp_path / "lower"
    write(
        root,
        {
            "pyvenv.cfg": "home = /usr/bin\n",
            "bin/activate": f"VIRTUAL_ENV={root}\n",
            "bin/pytest": f"#!{root}/bin/python\nrun()\n",
            f"{SITE}/six.py": "",
            f"{SITE}/ns/one/__init__.py": "",
            f"{SITE}/six-1.dist-info/METADATA": "Name: six\nVersion: 1\n",
            "share/man/six.1": "",
        },
    )
    (root / "bin/native").write_bytes(b"\x7fELF\0" + os.fsencode(root))
    (root / "bin/pytest").chmod(0o755)
    (root / "bin/python").symlink_to("/usr/bin/python3")
    (root / "lib64").symlink_to("lib")
    return root


@pytest.fixture
def upper(tmp_path: Path) -> Path:
    root = tmp_path / "upper"
    write(
        root,
        {
            "pyvenv.cfg": "home = /usr/bin\n",
            "bin/activate": f"VIRTUAL_ENV={root}\n",
            "bin/thing": f"#!{root}/bin/python\nmain()\n",
            f"{SITE}/thing/__init__.py": "__version__ = '1'\n",
            f"{SITE}/thing/core.py": "x = 1\n",
            f"{SITE}/thing/__pycache__/core.cpython-311.pyc": "compiled",
            f"{SITE}/thing/__pycache__/__init__.cpython-311.pyc": "compiled",
            f"{SITE}/thing-1.dist-info/METADATA": "Name: thing\nVersion: 1\n",
            f"{SITE}/thing-1.dist-info/WHEEL": "Root-Is-Purelib: true\n",
            f"{SITE}/thing-1.dist-info/direct_url.json": json.dumps({"url": "file:///work/old/thing"}),
            f"{SITE}/thing-1.dist-info/RECORD": "thing/core.py,sha256=old,6\n"
            "thing/__init__.py,sha256=kept,18\n../../../bin/thing,sha256=old,1\n"
            "thing-1.dist-info/direct_url.json,sha256=old,1\nthing-1.dist-info/RECORD,,\n",
        },
    )
    (root / "bin/python").symlink_to("/usr/bin/python3")
    (root / "lib64").symlink_to("lib")
    return root


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write(
        tmp_path / "tree",
        {"src/thing/__init__.py": "__version__ = '1'\n", "src/thing/core.py": "x = 1\n", "setup.cfg": ""},
    )


FREE = frozenset({"src/thing/__init__.py", "src/thing/core.py"})


def test_everything_below_is_found_above_and_nothing_below_is_written(lower: Path, upper: Path) -> None:
    before = {path: path.lstat().st_mtime_ns for path in lower.rglob("*")}
    write(upper, {f"{SITE}/ns/two/__init__.py": ""})
    add_links(lower, upper)
    site = upper / SITE
    assert (site / "six.py").readlink() == lower / SITE / "six.py"
    assert (site / "six-1.dist-info").is_symlink()
    assert sorted(path.name for path in (site / "ns").iterdir()) == ["one", "two"]
    assert not (site / "ns").is_symlink()
    assert (upper / "share").is_symlink()
    assert (upper / "bin/native").is_symlink()
    assert {path: path.lstat().st_mtime_ns for path in lower.rglob("*")} == before


def test_programs_of_the_lower_layer_run_the_upper_interpreter(lower: Path, upper: Path) -> None:
    add_links(lower, upper)
    assert (upper / "bin/pytest").read_text() == f"#!{upper}/bin/python\nrun()\n"
    assert os.access(upper / "bin/pytest", os.X_OK)
    assert not (upper / "bin/pytest").is_symlink()


def test_two_equal_files_do_not_collide(lower: Path, upper: Path) -> None:
    write(upper, {f"{SITE}/six.py": ""})
    add_links(lower, upper)


def test_what_was_compiled_twice_of_equal_files_does_not_collide(lower: Path, upper: Path) -> None:
    compiled = f"{SITE}/__pycache__/_virtualenv.cpython-311.pyc"
    write(lower, {f"{SITE}/_virtualenv.py": "", compiled: "compiled then"})
    write(upper, {f"{SITE}/_virtualenv.py": "", compiled: "compiled now"})
    add_links(lower, upper)
    assert (upper / compiled).read_text() == "compiled now"


def test_two_files_that_differ_collide(lower: Path, upper: Path) -> None:
    write(upper, {f"{SITE}/six.py": "other"})
    with pytest.raises(LayersCollide, match="six"):
        add_links(lower, upper)


def test_a_folder_that_is_a_link_is_not_entered(lower: Path, upper: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (upper / SITE / "ns").symlink_to(outside)
    with pytest.raises(LayersCollide, match="ns"):
        add_links(lower, upper)
    assert not list(outside.iterdir())


def test_copies_are_told_from_generated_files(upper: Path, tree: Path) -> None:
    copies = read_copies(upper, tree, FREE)
    assert copies == {f"{SITE}/thing/{name}": f"src/thing/{name}" for name in ("__init__.py", "core.py")}


@pytest.mark.parametrize(
    "files",
    [
        {f"{SITE}/thing/_version.py": "version = '1'\n"},
        {f"{SITE}/thing/_speedups.cpython-311.so": "\x7fELF"},
        {f"{SITE}/thing-1.dist-info/WHEEL": "Root-Is-Purelib: false\n"},
        {"share/thing/data.txt": "data"},
        {"etc/thing.conf": ""},
        {"include/thing.h": ""},
    ],
    ids=["generated", "compiled", "not pure", "data", "configuration", "header"],
)
def test_a_layer_with_anything_but_copies_is_built_for_every_tree(
    upper: Path, tree: Path, files: dict[str, str]
) -> None:
    assert read_copies(write(upper, files), tree, FREE) is None


def test_a_file_that_may_be_a_copy_of_two_is_none_of_either(upper: Path, tree: Path) -> None:
    write(tree, {"build/lib/thing/core.py": "x = 1\n"})
    assert read_copies(upper, tree, FREE) is None


def test_an_edited_tree_gets_the_layer_with_its_files(
    lower: Path, upper: Path, tree: Path, tmp_path: Path
) -> None:
    copies = read_copies(upper, tree, FREE)
    assert copies is not None
    add_links(lower, upper)
    write(tree, {"src/thing/core.py": "x = 22\n"})
    root = tmp_path / "other"
    layer = ProjectLayer(root=upper, at="/work/old/thing", copies=copies)
    assert derive(layer, copies, tree, "/work/new/thing", root) == (f"{SITE}/thing/core.py",)
    site = root / SITE
    assert (site / "thing/core.py").read_text() == "x = 22\n"
    assert not (site / "thing/__pycache__/core.cpython-311.pyc").exists()
    assert (site / "thing/__pycache__/__init__.cpython-311.pyc").exists()
    assert (site / "six.py").readlink() == lower / SITE / "six.py"
    assert (root / "bin/thing").read_text().startswith(f"#!{root}/bin/python\n")
    assert (root / "bin/activate").read_text() == f"VIRTUAL_ENV={root}\n"
    assert "/work/new/thing" in (site / "thing-1.dist-info/direct_url.json").read_text()
    assert (upper / SITE / "thing/core.py").read_text() == "x = 1\n"
    lines = (site / "thing-1.dist-info/RECORD").read_text().splitlines()
    assert lines[0] == "thing/core.py,sha256=fcfIkqEBMAh2wls3iukRQSS-E-cWubW5-sbM8Ld_yuY,7"
    assert "sha256=old" not in "".join(lines)
    assert lines[1] == "thing/__init__.py,sha256=kept,18"


def test_new_modules_are_added_and_others_removed(
    lower: Path, upper: Path, tree: Path, tmp_path: Path
) -> None:
    copies = read_copies(upper, tree, FREE)
    assert copies is not None
    add_links(lower, upper)
    (tree / "src/thing/core.py").unlink()
    write(tree, {"src/thing/again.py": "y = 2\n", "src/thing/empty.py": ""})
    root = tmp_path / "other"
    layer = ProjectLayer(root=upper, at="/work/old/thing", copies=copies, modules=FREE)
    added = {f"{SITE}/thing/{name}.py": f"src/thing/{name}.py" for name in ("again", "empty")}
    now = {relative: origin for relative, origin in copies.items() if "core" not in relative} | added
    assert derive(layer, now, tree, "/work/new/thing", root) == tuple(added)
    site = root / SITE
    assert sorted(path.name for path in (site / "thing").glob("*.py")) == [
        "__init__.py",
        "again.py",
        "empty.py",
    ]
    assert (site / "thing/again.py").read_text() == "y = 2\n"
    assert [path.name for path in (site / "thing/__pycache__").iterdir()] == ["__init__.cpython-311.pyc"]
    lines = (site / "thing-1.dist-info/RECORD").read_text().splitlines()
    assert [line for line in lines if line.startswith("thing/")] == [
        "thing/__init__.py,sha256=kept,18",
        "thing/again.py,sha256=9GmEJ2PbOYEHB2T5aLvHecsHefMm44a5m740MfjzDEk,6",
        "thing/empty.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0",
    ]


@pytest.mark.parametrize("path", ["six.py", "ns/one/more.py", "nowhere/more.py"])
def test_a_new_module_where_the_lower_layer_is_makes_no_layer(
    lower: Path, upper: Path, tree: Path, tmp_path: Path, path: str
) -> None:
    copies = read_copies(upper, tree, FREE)
    assert copies is not None
    write(upper, {f"{SITE}/ns/two/__init__.py": ""})
    add_links(lower, upper)
    write(tree, {"src/thing/more.py": ""})
    layer = ProjectLayer(root=upper, at="/work/old/thing", copies=copies)
    with pytest.raises(ConfigurationError):
        derive(
            layer, {**copies, f"{SITE}/{path}": "src/thing/more.py"}, tree, "/work/new/thing", tmp_path / "o"
        )
    assert not (lower / SITE / "ns/one/more.py").exists()


def test_a_file_that_is_gone_from_the_tree_makes_no_layer(upper: Path, tree: Path, tmp_path: Path) -> None:
    copies = read_copies(upper, tree, FREE)
    assert copies is not None
    (tree / "src/thing/core.py").unlink()
    layer = ProjectLayer(root=upper, at="/work/old/thing", copies=copies)
    assert derive(layer, copies, tree, "/work/new/thing", tmp_path / "other") is None
    assert not (tmp_path / "other").exists()
