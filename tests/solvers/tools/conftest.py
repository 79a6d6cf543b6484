"""A small tree with a toolbox over it."""

import os
from pathlib import Path

import pytest

from backdate.solvers.conversation import Observation, ToolRequest
from backdate.solvers.tools.logs import SuiteReport
from backdate.solvers.tools.toolbox import Toolbox
from backdate.tasks.edit_policy import EditPolicy


class Bench:
    """A tree, its toolbox, and short ways to call it."""

    def __init__(self, root: Path, *, allow_test_edits: bool = False) -> None:
        self.root = root
        self.report = SuiteReport(solved=False, summary="1 of 2 tests failed", log="")
        rules = EditPolicy(
            tests=frozenset({"tests/test_a.py"}),
            scripts=frozenset({"setup_o__n.sh", "test_o__n.sh"}),
            by_name=False,
            allow_test_edits=allow_test_edits,
        )
        self.box = Toolbox(root, rules, lambda: self.report)

    def call(self, tool: str, **arguments: object) -> Observation:
        return self.box.act(ToolRequest(name=tool, arguments=arguments))

    def ok(self, tool: str, **arguments: object) -> str:
        answer = self.call(tool, **arguments)
        assert not answer.refused, answer.text
        return answer.text

    def no(self, tool: str, **arguments: object) -> str:
        answer = self.call(tool, **arguments)
        assert answer.refused, answer.text
        return answer.text


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    root = tmp_path / "tree"
    (root / "pkg").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("[core]\n")
    (root / "setup_o__n.sh").write_text("pip install .\n")
    (root / "test_o__n.sh").write_text("pytest\n")
    (root / "setup.py").write_text("from setuptools import setup\nsetup()\n")
    (root / "pkg" / "a.py").write_text("import numpy as np\n\n\ndef f():\n    return np.float(1)\n")
    (root / "pkg" / "b.txt").write_text("np.float\n")
    (root / "tests" / "test_a.py").write_text("from pkg.a import f\n\n\ndef test_f():\n    assert f() == 1\n")
    (root / "alias.py").symlink_to("tests/test_a.py")
    (root / "out.py").symlink_to("/etc/passwd")
    (root / "outside").symlink_to(tmp_path)
    os.link(root / "tests" / "test_a.py", root / "pkg" / "hard.py")
    (tmp_path / "secret.py").write_text("KEY = 1\n")
    return Bench(root)
