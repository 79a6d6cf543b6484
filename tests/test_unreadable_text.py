"""Versions and requirements of strangers: every place that reads one is ready for what packaging raises."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from backdate.index.names import canonical_version
from backdate.text import UNREADABLE

_TOO_NARROW = re.compile(r"except [^:\n]*\bInvalid(?:Version|Requirement|Specifier|Marker)\b")
DIGITS = "1" * 5000


def test_they_are_not_all_packagings_own() -> None:
    with pytest.raises(UNREADABLE):
        Version(DIGITS)
    with pytest.raises(UNREADABLE):
        Requirement("x; " + "(" * 3000 + "os_name == 'a'" + ")" * 3000)
    assert canonical_version(DIGITS)


def test_no_place_expects_packagings_errors_alone(repository_root: Path) -> None:
    sources = (repository_root / "src" / "backdate").rglob("*.py")
    found = [path.name for path in sources if _TOO_NARROW.search(path.read_text(encoding="utf-8"))]
    assert not found, "catch backdate.text.UNREADABLE"
