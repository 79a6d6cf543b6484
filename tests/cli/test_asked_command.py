"""What of a command line the next command takes as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.checking.asked_command import AskedCommand
from backdate.cli import options
from backdate.cli.asked_command import asked_command
from backdate.cli.bisect import BisectArguments
from backdate.cli.check import CheckArguments
from backdate.cli.fix import FixArguments
from backdate.cli.output_options import OutputOptions
from backdate.cli.recipe_options import RecipeOptions
from backdate.cli.side_options import SideOptions

NO_RECIPE = RecipeOptions()


def test_what_says_how_a_project_is_run_is_kept_and_what_is_written_where_is_not() -> None:
    asked = asked_command(
        CheckArguments(
            source="my project",
            sides=SideOptions(from_="2021-01-01", to="yesterday", python="3.11", move_python=True),
            outputs=OutputOptions(format="html", output="x.html"),
            keep=Path("kept"),
            repeats=3,
            recipe=RecipeOptions(
                extra=["a", "b"], test_command="pytest -x", pytest_argument=["-k", "not slow"]
            ),
            machine=options.Machine(services=False, timeout=60.0, cache=Path("/c")),
            verbose=True,
        )
    )
    assert asked == AskedCommand(
        source="my project",
        options=(
            *(("--python", "3.11"), ("--move-python",), ("--repeats", "3"), ("--test-command", "pytest -x")),
            *(("--extra", "a"), ("--extra", "b"), ("--timeout", "60.0"), ("--no-services",)),
        ),
        pytest_arguments=("-k", "not slow"),
    )
    assert asked.line("bisect", "--to", "2026-01-01", without=("--repeats",)) == (
        "backdate bisect 'my project' --python 3.11 --move-python --test-command 'pytest -x' --extra a "
        "--extra b --timeout 60.0 --no-services --to 2026-01-01 -- -k 'not slow'"
    )


def test_nothing_given_is_nothing_kept() -> None:
    machine = options.Machine()
    for arguments in (
        CheckArguments(recipe=NO_RECIPE, machine=machine),
        BisectArguments(recipe=NO_RECIPE, machine=machine),
        FixArguments(recipe=NO_RECIPE, machine=machine),
    ):
        assert asked_command(arguments) == AskedCommand(source=".")


def test_what_may_be_secret_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    address = "https://me:hush@example.org/simple"
    recipe = RecipeOptions(env=["TOKEN=hush", "SHOWN"], extra_index_url=[address])
    asked = asked_command(CheckArguments(recipe=recipe, machine=options.Machine(index_url=address)))
    assert asked.options == (
        *(("--env", "TOKEN=…"), ("--env", "SHOWN")),
        *(
            ("--extra-index-url", "https://…@example.org/simple"),
            ("--index-url", "https://…@example.org/simple"),
        ),
    )
    assert "hush" not in asked.line("bisect")
    monkeypatch.setenv("BACKDATE_INDEX_URL", address)
    again = asked_command(CheckArguments(recipe=NO_RECIPE, machine=options.Machine(index_url=address)))
    assert again.options == ()


def test_a_fix_that_was_applied_is_known() -> None:
    arguments = FixArguments(recipe=NO_RECIPE, machine=options.Machine(), apply=True)
    assert asked_command(arguments).has("--apply")


def test_what_one_command_alone_takes_is_for_that_command() -> None:
    machine = options.Machine()
    asked = asked_command(FixArguments(recipe=NO_RECIPE, machine=machine, tests=True, solver="rules:-fixer"))
    assert asked.options == ()
    assert asked.line("fix", "--apply", again=True) == "backdate fix . --solver rules:-fixer --tests --apply"
    assert asked.line("bisect") == "backdate bisect ."
