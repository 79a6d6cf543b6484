from __future__ import annotations

import importlib
import subprocess
import sys
from datetime import date
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(TOOLS))
    monkeypatch.delitem(sys.modules, "fix_drawn", raising=False)
    return importlib.import_module("fix_drawn")


def commit(clone: Path, day: str, **files: str) -> None:
    clone.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (clone / name.replace("_py", ".py").replace("_txt", ".txt")).write_text(text)
    git = ["git", "-C", str(clone), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    when = f"{day}T12:00:00+00:00"
    environment = {"PATH": "/usr/bin:/bin", "GIT_COMMITTER_DATE": when, "GIT_AUTHOR_DATE": when}
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "x"], check=True, env=environment)


def test_a_repository_is_taken_as_of_its_years_or_dropped_with_why(tool: ModuleType, tmp_path: Path) -> None:
    test, needs = "def test_a():\n    assert True\n", "six\n"
    commit(tmp_path / "a+at_rest" / "repo", "2020-03-01", test_a_py=test, requirements_txt=needs)
    commit(tmp_path / "a+young" / "repo", "2018-02-01", test_a_py=test, requirements_txt=needs)
    commit(tmp_path / "a+young" / "repo", "2025-01-01", b_py="b = 1\n")
    commit(tmp_path / "a+old" / "repo", "2015-03-01", test_a_py=test, requirements_txt=needs)
    commit(tmp_path / "a+untested" / "repo", "2020-03-01", test_a_py="a = 1\n", requirements_txt=needs)
    commit(tmp_path / "a+bare" / "repo", "2020-03-01", test_a_py=test)
    names = ["a/at_rest", "a/young", "a/old", "a/untested", "a/bare", "a/gone"]
    drawn = {one.name: one for one in tool.draw(names, 7, tmp_path)}
    assert list(drawn) == [one.name for one in tool.draw(names[::-1], 7, tmp_path)]
    assert {name: one.day for name, one in drawn.items() if not one.dropped} == {
        "a/at_rest": "2020-03-01",
        "a/young": "2018-02-01",
    }
    assert {name: one.dropped for name, one in drawn.items() if one.dropped} == {
        "a/old": "its commit is of before 2018",
        "a/untested": "no tests",
        "a/bare": "it states no requirements",
        "a/gone": "no clone",
    }
    assert date(2018, 7, 1) <= tool.day_of("a/young", 7) <= date(2023, 6, 30)


def test_the_page_gives_both_denominators_precision_and_transfer(tool: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "7.toml"
    file.write_text(
        """
seeds = "Seed 7"
commit = "abc"
unseen = true
note = "Two places."
dropped = {"no tests" = 3}
[[rows]]
name = "a/solved"
outcome = "solved"
mendable = true
judgement = "right"
rules = ["numpy-bool"]
[[rows]]
name = "a/behaviour"
outcome = "nothing"
tried = ["numpy-int"]
what = "a value | differs"
[[rows]]
name = "a/quiet"
outcome = "nothing broke"
"""
    )
    page = tool.page([tool.read_draw(file)])
    assert "## Seed 7, at commit abc: unseen" in page
    assert "- Solved of those that broke: 1 of 2, 50 % (9 to 91)" in page
    assert "- Solved of those that an edit outside tests can mend: 1 of 1, 100 % (21 to 100)" in page
    assert "all patches: 1 of 1," in page
    assert "of those with an edit that was tried: 1 of 2," in page
    assert "- Dropped: 3: no tests (3)" in page
    assert "| a/behaviour |  | nothing (not to be mended outside tests) |" in page
    assert page.index("a/behaviour") < page.index("a/quiet")
    assert "a value \\| differs" in page


@pytest.mark.parametrize(
    ("drawn", "source"),
    [
        ({"name": "pypi:b==1", "day": "2020-03-01"}, "pypi:b==1"),
        ({"name": "a/b", "commit": "c0", "day": "2020-03-01"}, "{clones}/a+b/repo@c0"),
    ],
)
def test_what_was_drawn_is_fixed_from_the_day_after_its_own(
    tool: ModuleType, tmp_path: Path, drawn: dict[str, str], source: str
) -> None:
    command = tmp_path / ".venv" / "bin" / "python"
    command.parent.mkdir(parents=True)
    command.write_text('#!/bin/sh\necho "$@"\n')
    command.chmod(0o755)
    options = SimpleNamespace(results=tmp_path, code=tmp_path, clones=tmp_path, to="2025-07-31", limit=60)
    one = tool.DrawnRepository(**drawn)
    assert tool.run_fix(one, options) == "exit status 0"
    said = (tmp_path / f"{one.name.replace('/', '+')}.log").read_text()
    assert said.startswith(
        f"-m backdate fix {source.format(clones=tmp_path)} --from 2020-03-02 --to 2025-07-31"
    )
