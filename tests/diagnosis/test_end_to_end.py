"""A project on real libraries, broken in many ways at once: every breakage is told apart and named."""

from collections.abc import Callable
from pathlib import Path

import pytest

from backdate.diagnosis.diagnose import clusters_of, diagnose, diagnose_log
from backdate.diagnosis.logs import read_log
from backdate.diagnosis.result import CauseKind
from backdate.environments.environment import Environment
from backdate.recipes.recipe import Provenance, SuitePlan
from backdate.sandboxes.interface import MIB, Limits, Sandbox
from backdate.testing.outcomes import SuiteRun
from backdate.testing.run import run_suite

pytestmark = pytest.mark.network

OLD = (
    "3.8",
    "numpy==1.19.5",
    "pandas==1.2.5",
    "PyYAML==5.4.1",
    "flask==1.1.4",
    "markupsafe==2.0.1",
    "pytest==7.4.4",
)
NEW = ("3.12", "numpy==2.1.0", "pandas==2.2.3", "PyYAML==6.0.2", "flask==3.0.3", "pytest==8.3.3")

CORE = """
import array
import collections
import numpy as np
import pandas as pd
import yaml

def kind(): return np.float
def total(x): return np.product(x)
def both(): return np.float_(1)
def frame(): return pd.DataFrame({"a": [1]}).append({"a": 2}, ignore_index=True)
def read(): return pd.read_csv("data.csv", error_bad_lines=False)
def load(): return yaml.load("a: 1")
def mapping(): return isinstance({}, collections.Mapping)
def text(): return array.array("b", [1]).tostring()
def items(): return pd.Series([1, 2]).iteritems()
"""
LATE = "from flask import Markup, escape\ndef mark(): return Markup('x')\n"
RELOAD = "import imp\ndef again(): return imp.reload\n"
TESTS = """
import importlib
import unittest
import pytest
from mine import core

@pytest.mark.parametrize("name", ["kind", "frame", "read", "load", "mapping", "text", "items", "both"])
def test_core(name):
    getattr(core, name)()
@pytest.mark.parametrize("values", [[1, 2], [3]])
def test_total(values):
    assert core.total(values)
def test_late():
    importlib.import_module("mine.late").mark()
class TestOld(unittest.TestCase):
    def test_alias(self):
        self.assertEquals(1, 1)
"""
FILES = {
    "mine/__init__.py": "",
    "mine/core.py": CORE,
    "mine/late.py": LATE,
    "mine/reload.py": RELOAD,
    "data.csv": "a,b\n1,2\n",
    "tests/test_core.py": TESTS,
    "tests/test_reload.py": "from mine.reload import again\ndef test_again(): again()\n",
    "pytest.ini": "[pytest]\npythonpath = .\n",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("project") / "tree"
    for name, text in FILES.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    return tree


Run = Callable[[Environment], SuiteRun]


@pytest.fixture(scope="module")
def run(one_sandbox: Sandbox, tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    plan = SuitePlan(runner="pytest", provenance=Provenance(rule="a test"))
    limits = Limits(wall_s=120.0, memory_bytes=2048 * MIB)

    def run(environment: Environment) -> SuiteRun:
        logs = tmp_path_factory.mktemp("logs")
        return run_suite(one_sandbox, environment, tree, plan, limits=limits, log_folder=logs)

    return run


GONE = {
    "numpy.float": ("numpy", 1, "mine/core.py"),
    "numpy.float_": ("numpy", 1, "mine/core.py"),
    "numpy.product": ("numpy", 2, "mine/core.py"),
    "DataFrame.append": ("pandas", 1, "mine/core.py"),
    "Series.iteritems": ("pandas", 1, "mine/core.py"),
    "collections.Mapping": ("builtin", 1, "mine/core.py"),
    "array.array.tostring": ("builtin", 1, "mine/core.py"),
    "flask.Markup": ("Flask", 1, "mine/late.py"),
    "unittest.TestCase.assertEquals": ("builtin", 1, "tests/test_core.py"),
    "imp": ("builtin", 1, "mine/reload.py"),
}


@pytest.mark.slow
def test_every_breakage_is_named(build_environment: Callable[..., Environment], run: Run, tree: Path) -> None:
    before, after = build_environment(*OLD), build_environment(*NEW)
    old, new = run(before), run(after)
    assert all(one.outcome.good for one in old.results)
    clusters = clusters_of(old, new, environment=after, before=before, tree=tree)
    found = {one.cause.dotted: one for one in clusters if one.cause.dotted}
    assert {
        name: (one.cause.distribution, len(one.tests), one.places[0].frame.file)
        for name, one in found.items()
    } == GONE
    assert found["numpy.float"].cause.version == "2.1.0"
    assert "use `float` by itself" in found["numpy.float"].cause.hint
    assert "np.float64" in found["numpy.float_"].cause.hint
    others = {(one.cause.kind, one.cause.name): one for one in clusters if not one.cause.dotted}
    assert set(others) == {
        (CauseKind.UNEXPECTED_ARGUMENT, "error_bad_lines"),
        (CauseKind.ARGUMENT_COUNT, "Loader"),
    }
    assert {one.cause.distribution for one in others.values()} == {"pandas", "PyYAML"}
    assert set(diagnose(new, after, tree=tree).related) == {"numpy", "pandas", "PyYAML", "Flask", "builtin"}


@pytest.mark.slow
def test_the_log_tells_the_same_as_the_capture(
    build_environment: Callable[..., Environment], run: Run, tree: Path
) -> None:
    environment = build_environment(*NEW)
    new = run(environment)
    log = read_log(new.log.read_text(), root="/work/project")
    # pytest's own exception, in which it hands on the text of the real one, is not in its log
    captured = {
        one.id: tuple(raised for raised in one.raised if not raised.type.startswith("_pytest."))
        for one in new.results
        if one.outcome.bad
    }
    read = {one.test: one.raised for one in log.failures}
    assert set(read) == set(captured)
    for test, chain in captured.items():
        assert [one.type for one in read[test]] == [one.type for one in chain], test
        for one, other in zip(read[test], chain, strict=True):  # the printed one may end with "Did you mean"
            assert " ".join(one.message.split()).startswith(" ".join(other.message.split())), test
        assert read[test][-1].frames[-1].line == chain[-1].frames[-1].line
    by_capture = diagnose(new, environment, tree=tree)
    by_log = diagnose_log(log, environment, tree=tree)
    assert {one.test: one.cause.dotted for one in by_log.failures} == {
        one.test: one.cause.dotted for one in by_capture.failures
    }
    assert set(by_log.related) == set(by_capture.related)
