"""What failing code calls is read from its source: of the project, and of what is installed."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from packaging.version import Version
from world import choice

from backdate.bisection.errors_of_run import Known
from backdate.bisection.result import Culprit, Failing
from backdate.bisection.suspects import CalledDistributions, by_step, named_by, ranked, step_of
from backdate.checking.result import PackageChange
from backdate.diagnosis.result import Cause, CauseKind, FrameKind, PlacedFrame
from backdate.environments.environment import Environment, Lock
from backdate.testing.outcomes import Frame

CAUSE = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message="1 != 2")


def frame(file: str, function: str, line: int, kind: FrameKind, distribution: str = "") -> PlacedFrame:
    return PlacedFrame(
        frame=Frame(file=file, line=line, function=function, source=""),
        kind=kind,
        distribution=distribution or None,
    )


def known(*frames: PlacedFrame) -> Known:
    return Known(failing=Failing(type="E", message="m"), key="k", cause=CAUSE, frames=frames)


@pytest.fixture
def called(tmp_path: Path) -> CalledDistributions:
    site = tmp_path / "env/lib/python3.12/site-packages"
    for name in ("numpy", "requests", "yaml", "lazy", "hooks"):
        module = site / name
        module.mkdir(parents=True)
        (module / "__init__.py").write_text("")
        info = site / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n")
        (info / "RECORD").write_text(f"{name}/__init__.py,,\n")
    (site / "lazy/__init__.py").write_text("import hooks\n\ndef fixture():\n    return hooks.call()\n")
    tree = tmp_path / "tree"
    (tree / "src/app").mkdir(parents=True)
    (tree / "src/app/__init__.py").write_text("")
    (tree / "src/app/stats.py").write_text(
        "import yaml\nimport numpy as np\n\ndef mean(row):\n    return np.mean(row)\n"
    )
    (tree / "tests").mkdir()
    (tree / "tests/test_stats.py").write_text(
        "import json\nimport requests\nfrom app.stats import mean\n\n"
        "def test_mean():\n    assert mean([1]) == 2\n"
    )
    environment = Environment(
        key="k",
        root=tmp_path / "env",
        choice=choice("3.12.0"),
        lock=Lock(instant=None, python="3.12.0", distributions=()),  # type: ignore[arg-type]
        build_s=1.0,
        reused=False,
        log=tmp_path / "log",
    )
    return CalledDistributions(environment, tree)


def test_an_assertion_leads_through_the_projects_function_to_the_library(called: CalledDistributions) -> None:
    found = called.of(known(frame("tests/test_stats.py", "test_mean", 6, FrameKind.TEST)))
    assert found[0] == "numpy"
    assert set(found) == {"numpy", "requests", "yaml"}


def test_a_missing_fixture_leads_to_the_plugin_that_speaks_of_it(
    called: CalledDistributions, tmp_path: Path
) -> None:
    site = tmp_path / "env/lib/python3.12/site-packages"
    for name in ("hooks", "lazy"):
        (site / f"{name}-1.0.dist-info/entry_points.txt").write_text(f"[pytest11]\n{name} = {name}\n")
    (site / "lazy/__init__.py").write_text("def pytest_configure():\n    _session_event_loop = 1\n")
    cause = Cause(kind=CauseKind.MISSING_FIXTURE, type="FixtureLookupError", message="m", name="event_loop")
    met = known(frame("tests/test_stats.py", "test_mean", 6, FrameKind.TEST))
    assert called.of(replace(met, cause=cause))[:2] == ("lazy", "hooks")
    assert "lazy" not in called.of(met)
    assert named_by(replace(cause, distribution="pytest")) == ()


def test_what_the_projects_own_code_imports_is_known_whatever_fails(
    called: CalledDistributions, tmp_path: Path
) -> None:
    (tmp_path / "tree/src/app/late.py").write_text(
        "def f():\n    import lazy.part as part, os\n    from . import x\n"
    )
    (tmp_path / "tree/setup.py").write_text("import hooks\n")
    (tmp_path / "secret.py").write_text("import hooks\n")
    (tmp_path / "tree/src/app/link.py").symlink_to(tmp_path / "secret.py")
    assert set(called.imported()) == {"numpy", "yaml", "lazy"}


def test_larger_steps_come_first_and_what_runs_tests_last() -> None:
    moved = {
        name: PackageChange(name=name, old=old, new=new)
        for name, old, new in (
            ("patch", "1.0.0", "1.0.1"),
            ("minor", "1.0", "1.1"),
            ("pytest", "7.0", "8.0"),
            ("major", "1.0", "2.0"),
        )
    }
    order = ["pytest", "patch", "minor", "still", "major", "minor"]
    assert by_step(order, moved) == ["major", "minor", "patch", "pytest"]


def test_installed_code_that_fails_leads_to_what_it_calls(called: CalledDistributions) -> None:
    file = "/env/lib/python3.12/site-packages/lazy/__init__.py"
    found = called.of(known(frame(file, "fixture", 4, FrameKind.SITE_PACKAGES, "lazy")))
    assert found == ("hooks", "lazy")


@pytest.mark.parametrize("file", ["../../etc/passwd", "no/such.py", "\0", "/etc/passwd"])
def test_a_file_elsewhere_is_not_read(called: CalledDistributions, file: str) -> None:
    assert called.of(known(frame(file, "f", 1, FrameKind.PROJECT))) == ()


def test_the_standard_library_is_no_suspect() -> None:
    cause = Cause(
        kind=CauseKind.MISSING_NAME, type="E", message="m", distribution="PyYAML", related=("builtin", "six")
    )
    assert named_by(cause) == ("pyyaml", "six")
    assert named_by(None) == ()


def test_the_likeliest_comes_first() -> None:
    several = [
        Culprit(name=name, old=old, new=new, released=None)
        for name, old, new in (
            ("patch", "1.0.0", "1.0.1"),
            ("major", "1.0", "2.0"),
            ("new", None, "1.0"),
            ("called", "1.0", "1.1"),
            ("named", "1.0", "1.0.1"),
            ("zero", "0.3", "0.4"),
        )
    ]
    order = [(one.culprit.name, one.likelihood) for one in ranked(several, ["named"], ["called"])]
    assert order == [
        ("named", "named"),
        ("called", "called"),
        ("major", "major"),
        ("zero", "major"),
        ("new", "other"),
        ("patch", "other"),
    ]
    assert step_of(Version("1.1"), Version("1.2")) == "minor"
