"""What is gone and that nothing uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.advice import SourcePlace
from backdate.advising.uses import uses_in
from backdate.diagnosis.result import Cause, CauseKind
from backdate.rewriting.rewrite import DropImport
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.unused_imports import UnusedImportSource

FILES = {"app/shop.py": "from lib import old, new\nnew()\n", "app/other.py": "from app import shop\n"}


def proposed(root: Path, files: dict[str, str], file: str = "app/shop.py", **cause: str) -> list[object]:
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    told = {"name": "old", "owner": "lib", "owner_is": "module", **cause}
    given = Cause(kind=CauseKind.MISSING_NAME, type="ImportError", message="", **told)
    group = FailureGroup(cause=given, tests=("t",), places=(SourcePlace(file=file, line=1),))
    evidence = FixEvidence(tree=root, uses=uses_in(root), texts=files)
    return [one.rewrite for one in UnusedImportSource().propose(group, evidence)]


def test_its_import_goes(tmp_path: Path) -> None:
    assert proposed(tmp_path, FILES) == [DropImport(name="lib.old")]


@pytest.mark.parametrize(
    "files",
    [
        FILES | {"app/shop.py": "from lib import old, new\nold()\n"},
        FILES | {"app/other.py": "from app.shop import old\n"},
        FILES | {"app/other.py": "from app import shop\nshop.old()\n"},
        FILES | {"app/other.py": "from app.shop import *\nold()\n"},
    ],
)
def test_what_this_or_another_file_uses_stays(tmp_path: Path, files: dict[str, str]) -> None:
    assert proposed(tmp_path, files) == []


def test_a_package_imports_for_others(tmp_path: Path) -> None:
    assert proposed(tmp_path, {"app/__init__.py": "from lib import old\n"}, "app/__init__.py") == []


def test_an_attribute_of_an_object_is_no_import(tmp_path: Path) -> None:
    assert proposed(tmp_path, FILES, owner_is="type") == []
