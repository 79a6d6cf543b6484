"""Which pins of developers forbid what users get, and that only these are loosened."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import lock

from backdate.checking.users_versions import forbids
from backdate.projects.unpinning import unpin_tree
from backdate.projects.unpinning.report import Kind

USERS = lock(flask="3.1.0", six="1.16.0")


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ("flask==2.1.3", True),
        ("Flask[async]<3 ; python_version >= '3.8'", True),
        ("flask<3; python_version < '3'", False),
        ("flask ^2.0", True),
        ("flask>=3,<4", False),
        ("six", False),
        ("pytest==7.0", False),
        ("flask @ https://host/x.whl", False),
        ("not a requirement", False),
    ],
)
def test_what_forbids_what_users_get(requirement: str, expected: bool) -> None:
    assert forbids(requirement, USERS) is expected
    assert not forbids(requirement, None)


def test_only_what_is_wanted_is_loosened_and_lock_files_stay(tmp_path: Path) -> None:
    hashed = "--require-hashes\nflask==2.1.3 --hash=sha256:00\npytest==7.0 --hash=sha256:11\n"
    files = {
        "requirements/tests.txt": hashed,
        "requirements/docs.txt": "pytest==7.0 --hash=sha256:11\n",
        "pyproject.toml": '[project]\nname = "p"\ndependencies = ["flask>=2"]\n',
        "poetry.lock": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    def wanted(kind: Kind, name: str, before: str) -> bool:
        return name.startswith("--") or forbids(before, USERS)

    unpinning = unpin_tree(tmp_path, wanted=wanted)
    assert unpinning.files == {"requirements/tests.txt": b"\nflask\npytest==7.0\n"}
    assert unpinning.removed == ()
    assert {change.name for change in unpinning.changes} == {"--require-hashes", "flask"}
