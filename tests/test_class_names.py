"""No two classes of the package share a name, and pytest would collect nothing of it."""

import ast
import fnmatch
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import pytest

SHARED_NAMES: dict[str, str] = {}
"""Names that may be defined in two or more modules, each with the reason. A good reason says why a reader who
searches for the name wants to find all of them."""


def _modules(package: Path, holding: bytes) -> Iterable[tuple[str, ast.Module]]:
    """The modules with what the pattern ``holding`` finds: parsing all of them takes long."""
    wanted = re.compile(holding, re.MULTILINE)
    for path in sorted(package.rglob("*.py")):
        data = path.read_bytes()
        yield str(path.relative_to(package)), ast.parse(data if wanted.search(data) else b"")


_CLASS = re.compile(rb"\bclass\s+_*(\w+)")


def shared_class_names(package: Path) -> dict[str, list[str]]:
    """Every class name that is defined in several modules, private and nested ones too, with these.

    A leading underscore does not make it another name: readers see the same word.
    """
    texts = {path: path.read_bytes() for path in sorted(package.rglob("*.py"))}
    words = {path: set(_CLASS.findall(data)) for path, data in texts.items()}
    # Parsing takes long: what has no word in common with another module is not.
    common = {word for word, number in Counter(chain(*words.values())).items() if number > 1}
    homes: dict[str, list[str]] = defaultdict(list)
    for path, data in texts.items():
        if words[path] & common:
            classes = (node for node in ast.walk(ast.parse(data)) if isinstance(node, ast.ClassDef))
            for name in {node.name.lstrip("_") for node in classes}:
                homes[name].append(str(path.relative_to(package)))
    return {name: modules for name, modules in homes.items() if len(modules) > 1}


def collectable_names(package: Path) -> list[str]:
    """Modules, classes and functions that pytest would take for tests by its own defaults."""
    names = []
    for module, tree in _modules(package, rb"^(?:class Test|(?:async )?def test)"):
        file = module.rpartition("/")[2]
        if fnmatch.fnmatch(file, "test_*.py") or fnmatch.fnmatch(file, "*_test.py"):
            names.append(module)
        names += [f"{module}: {node.name}" for node in tree.body if _is_collected(node)]
    return names


def _is_collected(node: ast.stmt) -> bool:
    match node:
        case ast.ClassDef(name=name):
            return name.startswith("Test")
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name.startswith("test")
        case _:
            return False


def test_no_class_name_is_defined_in_two_modules(repository_root: Path) -> None:
    shared = shared_class_names(repository_root / "src" / "backdate")
    new = {name: modules for name, modules in shared.items() if name not in SHARED_NAMES}
    assert not new, "rename one of each, or give the reason in SHARED_NAMES"
    assert not set(SHARED_NAMES) - set(shared), "no longer defined twice: take these out of SHARED_NAMES"


def test_nothing_in_the_package_is_collected_by_pytest(repository_root: Path) -> None:
    assert collectable_names(repository_root / "src" / "backdate") == []


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "room").mkdir()
    (tmp_path / "one.py").write_text("class Answer: ...\nclass TestRun: ...\nclass Alone: ...\n")
    (tmp_path / "room" / "two.py").write_text("def make():\n    class _Answer: ...\ndef test_it(): ...\n")
    (tmp_path / "room" / "test_plan.py").write_text("class _Private: ...\nclass _Private: ...\n")
    return tmp_path


def test_a_name_in_two_modules_is_seen_wherever_it_is_defined(package: Path) -> None:
    assert shared_class_names(package) == {"Answer": ["one.py", "room/two.py"]}


def test_what_pytest_collects_is_seen(package: Path) -> None:
    assert collectable_names(package) == ["one.py: TestRun", "room/test_plan.py", "room/two.py: test_it"]
