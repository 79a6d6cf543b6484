"""Reading a clone of PCBench's form, and what two signatures tell of a call; the cases are our own."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from backdate.diagnosis.api import Member


@pytest.fixture(scope="module")
def tool(repository_root: Path) -> ModuleType:
    specification = importlib.util.spec_from_file_location(
        "measure_pcbench", repository_root / "tools/measure_pcbench.py"
    )
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["measure_pcbench"] = module
    specification.loader.exec_module(module)
    return module


def member(signature: str, *, present: bool = True) -> Member:
    return Member(name="lib.f", present=present, kind="function", signature=signature)


@pytest.mark.parametrize(
    ("call", "old", "new", "effect"),
    [
        ("f(1, size=2)", "(x, size=1)", "(x, size=1, more=0)", "SAME"),
        ("f(1, size=2)", "(x, size=1)", "(x, *, size=1)", "SAME"),
        ("f(1, 2)", "(x, size=1)", "(x, *, size=1)", "BREAKS"),
        ("f(1, size=2)", "(x, size=1)", "(x, width=1)", "BREAKS"),
        ("f(1, size=2)", "(x, size=1)", "(x, **kwargs)", "SAME"),
        ("f(1, 2)", "(x, size=1)", "(x, *args)", "OTHERWISE"),
        ("f(1, 2)", "(x, size=1)", "(x, width=1)", "OTHERWISE"),
        ("f(1)", "(x, size=1)", "(x, size=2)", "OTHERWISE"),
        ("f(1)", "(x)", "(x, size)", "BREAKS"),
        ("f(x=1)", "(x)", "(x, /)", "BREAKS"),
    ],
)
def test_what_signatures_tell(
    tool: ModuleType, tmp_path: Path, call: str, old: str, new: str, effect: str
) -> None:
    case = tmp_path / "Benchmark/lib/lib.f@1.0-2.0/lib.f#1YY"
    case.mkdir(parents=True)
    (case / "fYY.py").write_text(f"import lib\nlib.{call}\n")
    [read] = tool.calls_in(tmp_path, "lib")
    assert tool.told(read, member(old), member(new)) is tool.Effect[effect]
    assert tool.told(read, member(old), member("", present=False)) is tool.Effect.BREAKS
    assert tool.told(read, member(old), member("")) is None


def test_cases_are_read_with_their_labels(tool: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "Benchmark/lib/lib.Box.put@1.0-2.0"
    texts = {
        "put#1YY": "import lib\nbox = lib.Box()\nbox.put(1, key=2)\n",
        "put#2NY": "import lib\nlib.Box().put(1)\n",
        "put#3NN": "import lib\nlib.Box().put(1, 2)\n",
        "put#4YY": "import lib\nlib.Box().put(*range(2))\n",
        "put#5YY": "not python (",
        "other": "import lib\nlib.Box().put()\n",
    }
    for name, text in texts.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "put.py").write_text(text)
    (folder / "lib1.0.yml").write_text("name: lib1.0\n")
    found = list(tool.calls_in(tmp_path, "lib"))
    assert [(one.positional, set(one.keywords), one.label.value) for one in found] == [
        (1, {"key"}, "compatible"),
        (1, set(), "incompatible, runs"),
        (2, set(), "incompatible"),
    ]
    taken = tool.told(found[0], member("(self, x, key=0)"), member("(self, x, *, key=1)"))
    assert taken is tool.Effect.SAME
