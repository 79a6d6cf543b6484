"""The examples of README and documentation: Python is run, and what backdate reads, its own readers read."""

from __future__ import annotations

import json
import netrc
import tomllib
from datetime import UTC, datetime
from inspect import signature
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_type_hints
from unittest.mock import create_autospec

import msgspec
import pytest
from builders import result, run
from doc_blocks import BlockClass, DocBlock, all_blocks
from stored_results import make_bisection, make_check_result, make_fix_result

import backdate
from backdate.changes.given import read_given
from backdate.checking import options
from backdate.configuration.configuration import Configuration
from backdate.configuration.documents import read_project_configuration
from backdate.configuration.trust import effective_configuration
from backdate.knowledge.change_rows import ChangeRow
from backdate.knowledge.schema import ModuleRow
from backdate.models.prices import parse_prices
from backdate.solvers.dialects.marked import read_marked
from backdate.solvers.tools.interface import Parameter, Tool

EXAMPLES = [block for block in all_blocks() if block.kind is BlockClass.EXAMPLE]
ELSEWHERE = {"docs/how-to/ci.md", "docs/how-to/extending.md"}
"""Pages whose examples ``test_ci_page.py`` and ``tests/test_extensions.py`` hold."""


def examples(language: str, page: str = "") -> list[Any]:
    return [
        pytest.param(block, id=f"{block.page}:{block.line}")
        for block in EXAMPLES
        if block.language == language and block.page not in ELSEWHERE and block.page.startswith(page)
    ]


def answering(real: Any, value: object) -> Any:
    """A function that is called as ``real`` is, and gives ``value``."""

    def called(*given: object, **named: object) -> object:
        bound = signature(real).bind(*given, **named)
        for name, parameter in bound.signature.parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                keywords = getattr(
                    options, str(parameter.annotation).removeprefix("Unpack[").removesuffix("]")
                )
                if unknown := bound.arguments.get(name, {}).keys() - get_type_hints(keywords).keys():
                    raise TypeError(f"there is no {', '.join(unknown)}")
        return value

    return called


CHECK, SESSION = backdate.check, backdate.Session
CLIENT, SERVER = backdate.IndexClient, backdate.SnapshotServer
"""The real ones, whatever an example has in their place."""


class StandIn:
    """A session that has answers already; its methods take what those of a real one take."""

    def __init__(self, settings: backdate.Settings | None = None) -> None:
        real = object.__new__(SESSION)
        fixed = SimpleNamespace(result=make_fix_result(), before=(), after=())
        self.check = answering(real.check, make_check_result())
        self.bisect = answering(real.bisect, make_bisection())
        self.fix = answering(real.fix, fixed)

    def __enter__(self) -> StandIn:
        return self

    def __exit__(self, *error: object) -> None:
        pass


NAMES: dict[str, Any] = {
    "backdate": backdate,
    "settings": backdate.Settings(),
    "run": run(result("t.py::a")),
    "old_run": run(result("t.py::a")),
    "new_run": run(result("t.py::a")),
    "environment": None,
    "new": None,
    "old": None,
    "project_folder": None,
    "text": "",
    "instant": datetime(2021, 3, 1, tzinfo=UTC),
    "other": datetime(2022, 3, 1, tzinfo=UTC),
}
"""What an example speaks of and does not make."""


def run_example(block: DocBlock, monkeypatch: pytest.MonkeyPatch) -> None:
    client = create_autospec(CLIENT, instance=True)
    client.__enter__.return_value = client
    server = create_autospec(SERVER, instance=True)
    server.__enter__.return_value = server
    stand_ins = {
        "check": answering(CHECK, make_check_result()),
        "Session": StandIn,
        "IndexClient": answering(CLIENT, client),
        "SnapshotServer": answering(SERVER, server),
    }
    for name, stand_in in stand_ins.items():
        monkeypatch.setattr(backdate, name, stand_in)
    exec(compile(block.text, f"{block.page}:{block.line}", "exec"), dict(NAMES))


@pytest.mark.parametrize("block", examples("python"))
def test_python_runs(block: DocBlock, monkeypatch: pytest.MonkeyPatch) -> None:
    run_example(block, monkeypatch)


def test_an_example_that_is_wrong_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = DocBlock(
        page="x.md", line=1, language="python", text="backdate.check('.', form_instant=None)", marked=None
    )
    with pytest.raises(TypeError, match="form_instant"):
        run_example(wrong, monkeypatch)


@pytest.mark.parametrize("block", examples("toml", "docs/reference/configuration"))
def test_settings_are_read(block: DocBlock, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(block.text)
    read = read_project_configuration(tmp_path)
    assert not read.problems
    assert read.configuration.test_command is not None


@pytest.mark.parametrize("block", examples("toml", "docs/reference/knowledge"))
def test_rows_of_tables_are_read(block: DocBlock) -> None:
    (kind, rows), *others = tomllib.loads(block.text).items()
    assert not others
    row_type = {"change": ChangeRow, "module": ModuleRow}[kind]
    for row in rows:
        msgspec.convert(row, row_type)


@pytest.mark.parametrize("block", examples("toml", "docs/reference/models"))
def test_prices_are_read(block: DocBlock) -> None:
    assert parse_prices(tomllib.loads(block.text)).models


@pytest.mark.parametrize("block", examples("json", "docs/how-it-works/changes"))
def test_given_texts_are_read(block: DocBlock, tmp_path: Path) -> None:
    (tmp_path / "given.jsonl").write_text(block.text)
    read_given(tmp_path / "given.jsonl")
    assert json.loads(block.text)


def quoted(page: str, start: str) -> str:
    """The block of a page that starts so and is held by this file."""
    (found,) = (
        block.text
        for block in all_blocks()
        if block.page == page
        and block.marked == ("quoted", "tests/docs/test_examples.py")
        and block.text.startswith(start)
    )
    return found


def test_the_line_of_a_netrc_is_one(tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text(quoted("docs/how-to/private-index.md", "machine"))
    machine, login = "pypi.example.com", "alice"
    found = netrc.netrc(str(tmp_path / "netrc")).authenticators(machine)
    assert found is not None
    assert found[0] == login


def test_the_note_on_a_setting_that_does_not_count(tmp_path: Path) -> None:
    lines = "\n" * 13 + "[tool.backdate]\nallow-network = true\n"
    (tmp_path / "pyproject.toml").write_text(lines)
    effective = effective_configuration(tmp_path, local=True, given=Configuration())
    note = " ".join(quoted("docs/reference/configuration.md", "Note: ").split())
    assert [f"Note: {told}" for told in effective.notes] == [note]


def test_a_call_in_marked_text_is_read() -> None:
    tools = [
        Tool(
            name="view_file",
            description="",
            parameters=(
                Parameter(name="path", kind="string", description=""),
                Parameter(name="line", kind="string", description=""),
            ),
            run=str,
        )
    ]
    request = read_marked(quoted("docs/how-it-works/evaluation.md", "<call"), tools).request
    assert request is not None
    assert request.arguments == {"path": "package/module.py", "line": "120"}


def test_no_example_is_left_out() -> None:
    read = {
        ("python", ""),
        ("toml", "docs/reference/configuration.md"),
        ("toml", "docs/reference/knowledge.md"),
        ("toml", "docs/reference/models.md"),
        ("json", "docs/how-it-works/changes.md"),
    }
    for block in EXAMPLES:
        known = {(block.language, ""), (block.language, block.page)} & read
        assert known or block.page in ELSEWHERE, f"nothing reads {block.page}:{block.line}"
