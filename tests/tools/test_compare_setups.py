import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from backdate.errors import UsageError
from backdate.timeline.instants import parse_instant

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    specification = importlib.util.spec_from_file_location(
        "compare_setups", ROOT / "tools" / "compare_setups.py"
    )
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["compare_setups"] = module  # dataclasses look their module up
    specification.loader.exec_module(module)
    return module


def test_commits_of_a_list(tool: ModuleType, tmp_path: Path) -> None:
    lines = tmp_path / "rows.tsv"
    lines.write_text("someone/thing\t0123456789abcdef\t2021-06-01\n")
    (wanted,) = tool.commits(lines, tmp_path)
    assert wanted.source == f"{tmp_path}/someone+thing/repo@0123456789abcdef"
    assert (wanted.shown, wanted.at) == ("someone/thing@01234567", parse_instant("2021-06-01"))
    assert tool.file_of(wanted) == "someone__thing@01234567.json"


def test_a_page_keeps_the_sections_that_it_has_no_rows_of(tool: ModuleType) -> None:
    before = tool.page([tool.Row(group="One", shown="a"), tool.Row(group="Two", shown="b")], [])
    after = tool.page([tool.Row(group="Two", shown="c", proven=True, attempts=1)], [], before)
    assert after.count("\n## ") == 2
    assert "| a |" in after
    assert "| b |" not in after
    assert "1 of 1 proven (100.0%), 1 of them by the first candidate" in after
    assert tool.page([tool.Row(group="Two", shown="c", proven=True, attempts=1)], [], after) == after


def test_both_shares_are_told(tool: ModuleType) -> None:
    first = [
        tool.Row(group=tool.UNSEEN, shown="o/a@1", proven=True, attempts=1, duration_s=7.0),
        tool.Row(group=tool.UNSEEN, shown="lepture/mistune@1", error="missing-module"),
    ]
    now = [
        tool.Row(group=tool.UNSEEN, shown=one, proven=True, attempts=2, repairs=("rule: why",), duration_s=2)
        for one in ("o/a@1", "lepture/mistune@1")
    ]
    page = tool.page(now, first)
    assert "**At first sight 1 of 2 (50.0%) proven**" in page
    assert "other tables have as sdists of another release\n1 of 1 (100.0%)." in page
    assert "Not proven: 1 missing-module." in page
    assert "**After mending 2 of 2 (100.0%) proven.**" in page
    assert "second time, with everything cached, 2.0 s" in page
    assert "| project | as of | Python | first sight | mended |" in page
    assert "| yes | yes |" in page
    assert "| no: missing-module | yes |" in page
    assert "| 7 | 2.0 |" in page


def draw_of(kind: str, **release: str) -> dict[str, object]:
    whole = {"dropped": "", "version": "1.0", "repository": "", "commit": "", **release}
    return {
        "kind": kind,
        "seed": 3,
        "day": "2021-03-01",
        "draws": [
            {"name": "thing", "release": whole},
            {"name": "other", "release": {**whole, "dropped": "no tests in its sdist"}},
        ],
    }


def test_what_was_drawn_is_set_up_as_of_the_day(tool: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "drawn.json"
    file.write_text(json.dumps(draw_of("sdists")))
    (wanted,) = tool.drawn(file, None)
    assert (wanted.source, wanted.shown, wanted.unseen) == ("pypi:thing==1.0", "thing==1.0", True)
    assert (wanted.group, wanted.at) == (
        "Sdists drawn with seed 3 as of 2021-03-01",
        parse_instant("2021-03-01"),
    )
    commit = "0123456789" * 4
    file.write_text(
        json.dumps(draw_of("repositories", repository="https://forge.example/o/thing", commit=commit))
    )
    (wanted,) = tool.drawn(file, tmp_path)
    assert wanted.source == f"{tmp_path}/o+thing/repo@{commit}"
    assert wanted.shown == "o/thing@01234567"
    with pytest.raises(UsageError, match="clones"):
        list(tool.drawn(file, None))


def test_a_draw_s_section_has_the_interval_and_both_runs(tool: ModuleType) -> None:
    group = "Sdists drawn with seed 3 as of 2021-03-01"
    first = [
        tool.Row(group=group, shown="a==1", proven=True, attempts=1),
        tool.Row(group=group, shown="b==1", error="missing-module", reason="No module named 'django'"),
    ]
    page = tool.page(first, [])
    assert "**At first sight 1 of 2 (50.0%) proven**, 95 % interval 9% to 91%" in page
    assert "After mending" not in page
    assert "**missing-module** No module named 'django'" in page
    now = [tool.Row(group=group, shown=one, proven=True, attempts=1) for one in ("a==1", "b==1")]
    page = tool.page(now, first)
    assert "**At first sight 1 of 2 (50.0%) proven**" in page
    assert "**After mending 2 of 2 (100.0%) proven**" in page
    assert "| no: missing-module | yes |" in page
