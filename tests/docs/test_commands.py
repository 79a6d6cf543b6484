"""The commands that README and documentation show can be typed: each is read by what it is for."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from doc_blocks import BlockClass, all_blocks

from backdate.cli.main import app_for
from backdate.errors import BackdateError

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"\s*(?:```|~~~|:::)")
LINE = re.compile(r"\s*(?:\$ |- )?(?:run: )?(backdate [a-z].*)")
INLINE = re.compile(r"`(backdate [a-z][^`]*)`")
OPTION = re.compile(r"(?<![\w-])(--?[a-z][\w-]*)")
COMMANDS: Any = typer.main.get_command(app_for([]))


def commands_shown(text: str) -> Iterator[str]:
    """Those of blocks of code, which are indented or fenced, and those within text."""
    fenced = False
    for line in text.replace("\\\n", " ").splitlines():
        fenced ^= bool(FENCE.match(line))
        match = LINE.match(line) if fenced or line.startswith("    ") else None
        yield from [match[1]] if match else INLINE.findall(line)


def problem_of(shown: str) -> str:
    """What is wrong with a command that a page shows; empty where nothing is."""
    text = re.split(r"\s#\s|\s--\s|(?<!\S)(?:&&|\|\||;|>)(?!\S)", shown, maxsplit=1)[0]
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "VALUE", text)
    words = text.split()[1:]
    named = [words[0]]
    command = COMMANDS.commands.get(words[0])
    if command is None:
        return f"there is no command {words[0]}"
    if getattr(command, "commands", None) and len(words) > 1 and re.fullmatch(r"[a-z][a-z|]*", words[1]):
        named.append(words[1])
    if len(named) > 1:
        several = [command.commands.get(name) for name in named[1].split("|")]
        if None in several:
            return f"there is no command {' '.join(named)}"
        command = several[0]
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    if getattr(command, "commands", None):
        return ""
    known |= {"--help", "-h"}
    unknown = [option for option in OPTION.findall(text) if option not in known]
    return f"{' '.join(named)} has no option {', '.join(unknown)}" if unknown else ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_shows_can_be_typed(page: Path) -> None:
    problems = {
        shown: problem for shown in commands_shown(page.read_text()) if (problem := problem_of(shown))
    }
    assert not problems


def test_commands_are_found_in_pages() -> None:
    text = "    backdate check .  # a remark --not-this\nSee `backdate bench show X` and `backdate` alone.\n"
    assert list(commands_shown(text)) == ["backdate check .  # a remark --not-this", "backdate bench show X"]


@pytest.mark.parametrize(
    ("shown", "wrong"),
    [
        ("backdate check . --from 2021-03-01 # --nothing", False),
        ("backdate run --at 2021-03-01 -- pip install --upgrade x", False),
        ("backdate chekc", True),
        ("backdate check --form 2021-03-01", True),
        ("backdate bench verify|show DATASET", False),
        ("backdate bench verfy DATASET", True),
    ],
)
def test_a_mistake_in_a_command_is_noticed(shown: str, wrong: bool) -> None:
    assert bool(problem_of(shown)) == wrong


SYNOPSIS = re.compile(r"[\[…|]|\.\.\.|[;&] ")
"""In a line that says several commands at once; ``problem_of`` looks whether its options exist."""
LINES = [
    pytest.param(line, id=f"{block.page}:{line[:60]}")
    for block in all_blocks()
    if block.kind is BlockClass.COMMANDS
    for line in block.commands
]


MISTAKES: Any = typer.BadParameter.__base__
"""What every mistake in a command line is for typer; it exports those of one parameter alone."""


def read_command(line: str) -> None:
    """Have backdate read a command line, without running it. Raises what click raises for a wrong one."""
    words = shlex.split(line.removesuffix(" &"), comments=True)
    words = words[1 : words.index("--") if "--" in words and "run" not in words else None]
    command = COMMANDS
    while getattr(command, "commands", None):
        command = command.commands[words.pop(0)]
    command.make_context("backdate", words)


def reading_problem(line: str) -> str:
    """What is wrong with a line of a block of commands; empty where nothing is."""
    line = line.partition(" # ")[0].rstrip()
    program = line.split()[0]
    words = shlex.split(line, comments=True)
    if program == "backdate" and not SYNOPSIS.search(line):
        try:
            read_command(line)
        except (MISTAKES, BackdateError, LookupError) as error:
            return f"{line}: {error!r}"
    if program == "python":
        script = ROOT / words[1]
        code = script.read_text() if script.is_file() else ""
        missing = [option for option in OPTION.findall(line) if f'"{option}"' not in code]
        return f"{line}: {', '.join(missing) or words[1]} is not there" if missing or not code else ""
    if program == "./dev":
        return "" if re.search(rf"^{words[1]}\)$", (ROOT / "dev").read_text(), re.MULTILINE) else line
    if program in {"pip", "uvx"} and (asked := re.search(r"(?:backdate|\.)\[([\w,-]+)\]", line)):
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
        unknown = set(asked[1].split(",")) - extras.keys()
        return f"{line}: there is no extra {', '.join(unknown)}" if unknown else ""
    return ""


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_read_by_what_it_is_for(line: str) -> None:
    assert reading_problem(line) == ""


@pytest.mark.parametrize(
    "line",
    [
        "backdate eval DATASET  # the solver is missing",
        "backdate check . --from 2021-33-01 extra",
        "backdate bisect . --as lifte",
        "backdate check . --jobs",
        "python tools/no_such_tool.py",
        "python tools/record_terminal.py --no-such-option",
        "./dev tset",
        "pip install 'backdate[no-such-extra]'",
    ],
)
def test_a_line_that_cannot_be_typed_is_noticed(line: str) -> None:
    assert reading_problem(line)
