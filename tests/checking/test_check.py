"""Real sdists from the package index, checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backdate.checking.question import Question
from backdate.checking.result import CheckResult, Verdict, read_result
from backdate.checking.settings import AuditOptions, Settings
from backdate.serial import from_json, to_json
from backdate.session import build_environment, check
from backdate.testing.changed_tests.audit_result import AuditFinding
from backdate.timeline.instants import parse_instant

pytestmark = pytest.mark.network
NEW = parse_instant("2025-07-31")
MOVED: dict[str, Any] = {"question": Question.LIFTED, "move_python": True}


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("pypi:Flask-Login==0.6.2", Verdict.BROKE),
        pytest.param("pypi:numpy-financial==1.0.0", Verdict.NOTHING_BROKE, marks=pytest.mark.slow),
    ],
)
def test_a_real_sdist(
    source: str, verdict: Verdict, session_cache: Path, index_url: str, tmp_path: Path
) -> None:
    settings = Settings(cache=session_cache, index_url=index_url, keep=tmp_path / "kept")
    audit = AuditOptions(tests=3, seed=1)
    result = check(source, to_instant=NEW, audit=audit, settings=settings, **MOVED)
    assert result.verdict is verdict, result.reason
    assert result.audit is not None
    assert (result.audit.side, result.audit.problem) == ("old", "")
    assert result.audit.suite is not None
    audited = 3 if verdict is Verdict.BROKE else 0  # numpy-financial asserts by numpy's own functions
    assert (len(result.audit.suite.functions), result.audit.suite.seed) == (audited, 1)
    assert result.audit.suite.count(AuditFinding.ASSERTS) == audited
    assert from_json(CheckResult, to_json(result)) == result
    assert read_result(tmp_path / "kept" / "result.json") == result
    if verdict is Verdict.BROKE:
        assert result.comparison is not None
        assert "url_decode" in " ".join(one.message for one in result.comparison.breakages)
    again = check(source, to_instant=NEW, settings=replace(settings, keep=None), **MOVED)
    assert again.verdict is verdict
    for side in (again.old, again.new):
        assert side.environment is not None
        assert side.environment.reused


def test_one_environment(session_cache: Path, index_url: str, tmp_path: Path) -> None:
    output = tmp_path / "environment"
    made = build_environment(
        ".",
        instant=parse_instant("2021-03-01"),
        output=output,
        packages=("six",),
        python="3.8",
        settings=Settings(cache=session_cache, index_url=index_url),
    )
    assert made.failure is None
    assert (output / "bin" / "python").exists()
    assert 'name = "six"\nversion = "1.15.0"' in (output / "pylock.toml").read_text()
