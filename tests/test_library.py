"""The library: what is exported, that it stays light, and that the documentation needs nothing else."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import backdate

EXPORTED = [
    "Activity",
    "AskedQuestions",
    "AuditOptions",
    "BackdateError",
    "BisectResult",
    "Breakage",
    "BuildFailure",
    "CaseResult",
    "CheckAnswers",
    "CheckAudit",
    "CheckResult",
    "Comparison",
    "Culprit",
    "Environment",
    "EnvironmentResult",
    "Event",
    "Finding",
    "IndexClient",
    "Instant",
    "Limits",
    "Lock",
    "MachineError",
    "NeededCap",
    "Outcome",
    "PackageChange",
    "Question",
    "Reporter",
    "Session",
    "Settings",
    "SetupOptions",
    "SetupResult",
    "Side",
    "SnapshotServer",
    "StageEntered",
    "StoredDataError",
    "SuiteAdvanced",
    "SuiteRun",
    "UnneededCap",
    "UsageError",
    "Verdict",
    "answer",
    "bisect",
    "build_environment",
    "check",
    "clusters_of",
    "diagnose",
    "diagnose_log",
    "parse_instant",
    "read_answers",
    "read_bisect_result",
    "read_log",
    "read_result",
    "read_setup_result",
    "set_up",
]
"""Changed on purpose only: see "Stability" in docs/reference/api.md."""
ROOT = Path(__file__).parents[1]


def test_what_is_exported() -> None:
    assert backdate.__all__ == EXPORTED
    assert sorted(backdate._HOMES) == EXPORTED
    for name in backdate.__all__:
        assert getattr(backdate, name) is not None


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        backdate.nonsense  # noqa: B018


def test_importing_it_imports_nothing_heavy() -> None:
    code = (
        "import sys, backdate; print([m for m in ('httpx', 'rich', 'msgspec', 'typer') if m in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_every_exported_name_is_documented() -> None:
    text = (ROOT / "docs" / "reference" / "api.md").read_text()
    assert [name for name in EXPORTED if f"`{name}" not in text] == []


def test_the_documentation_imports_only_what_is_exported() -> None:
    pages = {ROOT / "README.md", *(ROOT / "docs").rglob("*.md")}
    # plug-ins implement interfaces that live in the rooms
    pages -= {ROOT / "docs" / "how-to" / "extending.md"}
    imports = re.compile(r"^\s*(?:from backdate\.|import backdate\.).*", re.MULTILINE)
    found = {page.name: imports.findall(page.read_text()) for page in pages}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_the_documentation_uses_only_what_is_exported() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    used = {name for page in pages for name in re.findall(r"\bbackdate\.([A-Za-z_]\w*)\(", page.read_text())}
    assert used <= set(EXPORTED)
