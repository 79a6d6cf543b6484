"""Names of commands that click makes shorter by now are written out."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

BEFORE = """\
import click


@click.group(chain=True)
def cli_group():
    pass


@cli_group.command()
@click.argument("title")
def drop_cmd(title):
    pass


@cli_group.command("other")
def other_cmd():
    pass


@cli_group.command(help="x", **more)
def third_cmd():
    pass


@cli_group.command()
def show():
    pass
"""
AFTER = BEFORE.replace("click.group(", 'click.group("cli-group", ').replace(
    "command()\n@click", 'command("drop-cmd")\n@click'
)


def mended(
    message: str,
    text: str = BEFORE,
    *,
    versions: tuple[str, str] = ("7.0", "8.2.1"),
    kind: CauseKind = CauseKind.ASSERTION,
) -> list[str]:
    """The text with each proposal of edits."""
    evidence = evidence_of({"cli.py": text}, versions={"click": versions})
    place = SourcePlace(file="tests/test_cli.py", line=9)
    cause = Cause(kind=kind, type="AssertionError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,))
    return [edit.text for one in RestructuringSource().propose(group, evidence) for edit in one.file_edits]


@pytest.mark.parametrize("message", ["assert 2 == 0", "1 != 2", "Error: No such command 'x'", "'drop-cmd'"])
def test_they_are_written_out(message: str) -> None:
    assert mended(message) == [AFTER]


@pytest.mark.parametrize(
    ("function", "versions", "name"),
    [
        ("Drop_CMD", ("6.7", "8.2.0"), "drop_cmd"),
        ("drop_all", ("6.7", "7.1"), "drop_all"),
        ("drop_all", ("7.0", "8.2.0"), ""),
        ("command", ("7.0", "8.2.0"), ""),
        ("_cmd", ("7.0", "8.2.0"), ""),
    ],
)
def test_bare_decorators_and_old_releases(function: str, versions: tuple[str, str], name: str) -> None:
    bare = f"import click\n@click.command\ndef {function}():\n    pass\n"
    wanted = [bare.replace("command\n", f'command("{name}")\n')] if name else []
    assert mended("assert 2 == 0", bare, versions=versions) == wanted


@pytest.mark.parametrize(
    ("message", "versions"),
    [
        ("assert 'a' == 'b'", ("7.0", "8.2.1")),
        ("assert 2 == 0", ("7.0", "8.1.8")),
        ("assert 2 == 0", ("8.2.0", "8.3.0")),
    ],
)
def test_all_else_stays(message: str, versions: tuple[str, str]) -> None:
    assert mended(message, versions=versions) == []
