"""Which sides the commands ask for: the command line, then the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.checking.question import AskedQuestions, Question
from backdate.cli.recipe_options import RecipeOptions, folder_settings
from backdate.cli.side_options import SideOptions, deciding_questions, one_question
from backdate.configuration.configuration import Configuration
from backdate.errors import ConfigurationError
from backdate.timeline.instants import parse_instant


def settings(folder: Path, text: str) -> Configuration:
    (folder / "backdate.toml").write_text(text)
    return folder_settings(folder, RecipeOptions().configuration(folder))


def test_settings_count_where_the_command_line_says_nothing(tmp_path: Path) -> None:
    said = settings(tmp_path, 'from = "2022-01-01"\nto = "2023-01-01"\npython = "3.9"\n')
    assert SideOptions().asked(said) == {
        "from_instant": None,  # instants are read with the project, wherever it comes from
        "to_instant": None,
        "python": "3.9",
        "move_python": False,
        "locked": None,
    }
    given = SideOptions(to="2024-01-01", python="3.10", move_python=True).asked(said)
    assert (given["to_instant"], given["python"]) == (parse_instant("2024-01-01"), "3.10")


def test_a_lock_says_when_unless_from_does(tmp_path: Path) -> None:
    said = settings(tmp_path, "")
    (tmp_path / "requirements.txt").write_text("six==1.16.0\n")
    options = SideOptions(from_lock=tmp_path / "requirements.txt")
    asked = options.asked(said)
    assert asked["locked"] is not None
    assert [one.constraint for one in asked["locked"].versions] == ["six==1.16.0"]
    assert asked["from_instant"] is None
    stated = SideOptions(from_="2021-12-01", from_lock=options.from_lock).asked(said)
    assert stated["from_instant"] == parse_instant("2021-12-01")
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(ConfigurationError, match="names no version"):
        SideOptions(from_lock=tmp_path / "empty.txt").asked(said)


@pytest.mark.parametrize(
    ("written", "given", "default", "asked"),
    [
        ("", None, Question.DECLARED, Question.DECLARED),
        ("", None, Question.LIFTED, Question.LIFTED),
        ('as = "lifted"', None, Question.DECLARED, Question.LIFTED),
        ('as = "declared"', None, Question.LIFTED, Question.DECLARED),
        ('as = "lifted"', Question.DECLARED, Question.LIFTED, Question.DECLARED),
        ('as = "both"', None, Question.DECLARED, Question.DECLARED),
        ('as = "both"', None, Question.LIFTED, Question.LIFTED),
    ],
)
def test_as_counts_for_commands_that_ask_one_question(
    written: str, given: Question | None, default: Question, asked: Question, tmp_path: Path
) -> None:
    assert one_question(given, settings(tmp_path, written), default) is asked


def test_as_decides_a_check(tmp_path: Path) -> None:
    assert deciding_questions(None, settings(tmp_path, "")) is AskedQuestions.DECLARED
    assert deciding_questions(None, settings(tmp_path, 'as = "both"')) is AskedQuestions.BOTH
    given = AskedQuestions.LIFTED
    assert deciding_questions(given, settings(tmp_path, 'as = "both"')) is AskedQuestions.LIFTED
