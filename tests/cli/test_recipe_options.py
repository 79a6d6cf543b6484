"""What the command line says about a recipe, over the user's own settings and those of a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.cli.main import status_of
from backdate.cli.recipe_options import RecipeOptions, folder_settings, with_pytest_arguments
from backdate.configuration.documents import user_file
from backdate.errors import ConfigurationError, UsageError


@pytest.fixture(autouse=True)
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    user_file().parent.mkdir(parents=True)
    return user_file()


def test_the_command_line_goes_before_the_users_own_file_and_that_before_a_folders(
    own_file: Path, tmp_path: Path
) -> None:
    own_file.write_text(
        "test-command = 'pytest mine'\nextras = ['mine']\n[environment]\nA = 'mine'\nB = 'mine'\n"
    )
    (tmp_path / "backdate.toml").write_text("extras = ['theirs']\npython = '3.9'\nallow-network = true\n")
    given = RecipeOptions(test_command="pytest", env=["A=x=y", "TOKEN"]).configuration(tmp_path)
    assert given.test_command is not None
    assert (given.test_command.value, given.test_command.origin.text) == ("pytest", "--test-command")
    assert {name: one.value for name, one in given.environment} == {"A": "x=y", "B": "mine"}
    assert given.host_variables is not None
    assert given.host_variables.value == ("TOKEN",)
    said = folder_settings(tmp_path, given)
    assert said.python is not None
    assert said.extras is not None
    assert (said.python.value, said.extras.value, said.network) == ("3.9", ("mine",), None)
    assert folder_settings("https://example.org/x", given) is given
    trusted = RecipeOptions(trust_config=True).configuration(tmp_path)
    assert trusted.network is not None


@pytest.mark.parametrize("value", ["1A=x", "=x", "BACKDATE_CAPTURE_ROOT=/", "A B"])
def test_names_that_no_variable_has(value: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--env: .* not a name"):
        RecipeOptions(env=[value]).configuration(tmp_path)


def test_what_is_wrong_in_a_folder_is_told_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "backdate.toml").write_text("extra = ['x']\n")
    with pytest.raises(ConfigurationError, match=r"extra \(backdate.toml:1\): .* did you mean extras"):
        folder_settings(tmp_path, RecipeOptions().configuration(tmp_path))
    assert status_of(["check", str(tmp_path)]) == 3
    assert "did you mean extras" in capsys.readouterr().err.replace("\n", " ")


def test_what_stands_after_two_dashes_is_for_pytest() -> None:
    assert with_pytest_arguments(["check", ".", "--", "-k", "a b"]) == [
        *("check", ".", "--pytest-argument=-k", "--pytest-argument=a b")
    ]
    assert with_pytest_arguments(["check", "."]) == ["check", "."]
