"""Limits that a bisection advises: written into the project's file where a check of a copy proves them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from small_world import commit, project, running_index
from stored_results import make_bisection

from backdate.advice import Advice, WorkingLimits
from backdate.bisection.result import BisectResult
from backdate.checking.question import Question
from backdate.checking.settings import Settings
from backdate.errors import SandboxUnavailable, UsageError
from backdate.fixing.cap import limits_to_write, try_caps
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.session import Session
from backdate.timeline.instants import parse_instant

LIMITS = WorkingLimits(requirements=("brittle<2.0",), passing=1, tests=1, on_python="3.11.2")


def advising(limits: WorkingLimits | None, folder: Path = Path("/f")) -> BisectResult:
    found = make_bisection()
    summary = replace(
        found.check,
        question=Question.DECLARED,
        old_instant=parse_instant("2024-01-05"),
        new_instant=parse_instant("2025-06-01"),
    )
    broke = ("tests.test_word.Case.test_loud",)
    return replace(
        found,
        check=summary,
        findings=(replace(found.findings[0], tests=broke),),
        advice=Advice(now=() if limits is None else (limits,)),
        folder=folder,
    )


@pytest.fixture(scope="module")
def index() -> Iterator[str]:
    try:
        Bubblewrap().require()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    with running_index() as url:
        yield url


@pytest.mark.slow
def test_a_limit_is_tried_in_a_copy_and_one_that_does_not_help_is_not_proven(
    index: str, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    commit(folder, project("word") | {"requirements.txt": "# ours\nbrittle\n"}, "2024-01-05T00:00:00Z")
    with Session(Settings(cache=tmp_path / "cache", index_url=index)) as session:
        tried = try_caps(session, folder, advising(LIMITS, tmp_path / "first"), python="3.11")
        useless = replace(LIMITS, requirements=("brittle<3",))
        other = try_caps(session, folder, advising(useless, tmp_path / "second"), python="3.11")
    assert tried.proven, tried.reason
    assert tried.files.after == {"requirements.txt": b"# ours\nbrittle<2.0\n"}
    assert tried.files.before == {"requirements.txt": b"# ours\nbrittle\n"}
    assert not other.proven
    assert (folder / "requirements.txt").read_text() == "# ours\nbrittle\n"


def test_where_nothing_is_to_be_written_it_is_said() -> None:
    with pytest.raises(UsageError, match="no limit was seen to help"):
        limits_to_write(advising(None))
    with pytest.raises(UsageError, match=r"what helps is Python <3\.12"):
        limits_to_write(advising(replace(LIMITS, python="<3.12")))
    assert limits_to_write(advising(LIMITS)) == ("brittle<2.0",)
