import os
import py_compile
import subprocess
import sys
from pathlib import Path

from backdate.environments.compiled import (
    MOST_NEIGHBOURS,
    Holdings,
    compiling_arguments,
    nearest,
    sharing_arguments,
)


def share(root: Path, *neighbours: Path) -> None:
    _, *arguments = sharing_arguments(root, neighbours, Path(sys.executable))
    subprocess.run([sys.executable, *arguments], check=True)


def compiled(folder: Path) -> set[str]:
    return {path.name.partition(".")[0] for path in folder.rglob("*.pyc")}


def test_only_what_was_compiled_of_the_very_same_file_is_taken_over(tmp_path: Path) -> None:
    old, new = tmp_path / "old/lib/p", tmp_path / "new/lib/p"
    for folder in (old, new):
        folder.mkdir(parents=True)
    (old / "same.py").write_text("import os\nWHERE = (lambda: 0).__code__.co_filename\n")
    os.link(old / "same.py", new / "same.py")
    (old / "other.py").write_text("VERSION = '2.0.0'\n")
    (new / "other.py").write_text("VERSION = '2.0.1'\n")  # of the same size, and below of the same time
    for folder in (old, new):
        os.utime(folder / "other.py", (1580601600, 1580601600))
    (old / "gone.py").write_text("")
    (new / "added.py").write_text("")
    for path in old.glob("*.py"):
        py_compile.compile(str(path))
    share(tmp_path / "new", tmp_path / "old")
    assert compiled(new) == {"same"}
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import same, other; print(same.WHERE, other.VERSION)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-B", "-c", program, str(new)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(new / "same.py"), "2.0.1"]


def test_what_was_compiled_of_an_equal_file_is_taken_over_with_its_own_time(tmp_path: Path) -> None:
    old, new = tmp_path / "old/lib/p", tmp_path / "new/lib/p"
    for folder, moment in ((old, 1580601600), (new, 1680601600)):
        folder.mkdir(parents=True)
        for name in ("equal", "stale", "unchecked"):
            (folder / f"{name}.py").write_text(f"WHERE = (lambda: {name!r}).__code__.co_filename\n")
            os.utime(folder / f"{name}.py", (moment, moment))
        (folder / "link.py").symlink_to("equal.py")
    for name in ("equal", "stale"):
        py_compile.compile(str(old / f"{name}.py"))
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(old / "unchecked.py"), invalidation_mode=mode)
    os.utime(old / "stale.py", (1580601601, 1580601601))
    share(tmp_path / "new", tmp_path / "old")
    assert compiled(new) == {"equal"}
    (taken,), (theirs,) = new.rglob("equal.*.pyc"), old.rglob("equal.*.pyc")
    assert taken.read_bytes()[16:] == theirs.read_bytes()[16:]
    program = "import sys; sys.path.insert(0, sys.argv[1]); import equal; print(equal.WHERE)"
    done = subprocess.run(
        [sys.executable, "-I", "-B", "-v", "-c", program, str(new)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(new / "equal.py")
    assert f"# {taken} matches {new / 'equal.py'}" in done.stderr


def test_links_and_what_is_missing_do_no_harm(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new/lib"
    new.mkdir(parents=True)
    (new / "a.py").write_text("")
    share(tmp_path / "new", old)
    (old / "lib" / "__pycache__").mkdir(parents=True)
    (old / "lib" / "__pycache__" / "a.cpython-311.pyc").write_bytes(b"x")
    (old / "lib" / "a.py").symlink_to(new / "a.py")
    share(tmp_path / "new", old)
    assert compiled(new) == set()


def test_each_neighbour_gives_what_the_others_lack(tmp_path: Path) -> None:
    first, second, new = (tmp_path / name / "lib/p" for name in ("first", "second", "new"))
    for folder in (first, second, new):
        folder.mkdir(parents=True)
    for folder, name in ((first, "a.py"), (second, "b.py")):
        (folder / name).write_text("")
        os.link(folder / name, new / name)
        py_compile.compile(str(folder / name))
    share(tmp_path / "new", tmp_path / "first", tmp_path / "second")
    assert compiled(new) == {"a", "b"}


def test_what_hardly_anything_imports_is_left_uncompiled(tmp_path: Path) -> None:
    places = (
        *("good/a.py", "good/test/b.py", "pkg_resources/c.py", "pipette/d.py", "e.py", "broken.py"),
        *(
            "good/tests/f.py",
            "tests/g.py",
            "pip/h.py",
            "pip/deep/i.py",
            "setuptools/j.py",
            "pygments/lexers/k.py",
        ),
    )
    for place in places:
        path = tmp_path / "lib/python3.11/site-packages" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("def (" if place == "broken.py" else "")
    _, *arguments = compiling_arguments(tmp_path, Path(sys.executable))
    subprocess.run([sys.executable, *arguments], check=False, capture_output=True)
    assert compiled(tmp_path) == set("abcde")


def holds(**versions: str) -> Holdings:
    return frozenset(versions.items())


def test_the_nearest_are_few_that_together_hold_most() -> None:
    wanted = holds(a="1", b="1", c="1", d="1", e="1", f="1")
    known = {
        "nothing": holds(a="2", z="1"),
        "same as most": holds(a="1", b="1", c="1"),
        "most": holds(a="1", b="1", c="1"),
        "one": holds(f="1"),
        "two": holds(c="1", d="1", e="1"),
    }
    assert nearest(wanted, known) == ("two", "most", "one")
    assert nearest(wanted, {}) == ()
    assert nearest(holds(y="1"), known) == ()
    many = {name: holds(**{name: "1"}) for name in "abcdef"}
    assert len(nearest(wanted, many)) == MOST_NEIGHBOURS
