"""An sdist that lacks what its own tests import says so by the file's name."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import raised, run
from builders import result as case

from backdate.checking.absent_modules import notes_on_absent_modules
from backdate.testing.outcomes import Frame, Outcome, SuiteRun


def run_with(source: str, message: str, type_: str, file: str = "test/test_a.py") -> SuiteRun:
    frame = Frame(file=file, line=3, function="<module>", source=source)
    return run(case(file, Outcome.NOT_COLLECTED, raised(type_, message, frame)))


NONE = "ModuleNotFoundError"


@pytest.mark.parametrize(
    ("source", "message", "type_", "file"),
    [
        ("from .sample import DATA", "No module named 'test.sample'", NONE, "test/sample.py"),
        ("from ..p.data import (", "No module named 'p.data'", NONE, "p/data.py"),
        (
            "from . import sample",
            "cannot import name 'sample' from 'test'",
            "ImportError",
            "test/sample.py",
        ),
    ],
)
def test_the_file_is_named(tmp_path: Path, source: str, message: str, type_: str, file: str) -> None:
    (tmp_path / "test").mkdir()
    met = run_with(source, message, type_)
    assert notes_on_absent_modules([None, met, met], tmp_path) == (
        f"not in the tree: {file}, which test/test_a.py imports",
    )
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("import other\n")
    assert notes_on_absent_modules([met], tmp_path) == ()


@pytest.mark.parametrize(
    "met",
    [
        run_with("from sample import DATA", "No module named 'sample'", NONE),
        run_with("from .sample import DATA", "No module named 'six'", NONE),
        run_with("from .sample import DATA", "cannot import name 'DATA' from 'test.sample'", "ImportError"),
        run_with("from ....sample import DATA", "No module named 'sample'", NONE),
        run_with("from .sample import DATA", "No module named 'x.sample'", NONE, "/e/lib/x/a.py"),
        run_with("from .sample import DATA", "No module named 'x.sample'", NONE, "../x/a.py"),
    ],
    ids=["absolute", "of another", "a name", "above the tree", "of a library", "outside"],
)
def test_what_is_no_module_of_the_project_is_not_told(tmp_path: Path, met: SuiteRun) -> None:
    assert notes_on_absent_modules([met], tmp_path) == ()
