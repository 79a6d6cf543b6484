"""Instants that settings state, of a folder, of a repository by URL and of an sdist."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.checking import check as checking
from backdate.checking.check import CheckWalk
from backdate.checking.options import CheckOptions
from backdate.checking.own_instants import own_instants
from backdate.checking.question import Question
from backdate.checking.settings import Settings
from backdate.configuration.documents import read_user_configuration
from backdate.errors import ConfigurationError
from backdate.projects.project import Origin, Project
from backdate.timeline.instants import Instant, parse_instant

OWN = '[project]\nname = "p"\n\n[tool.backdate]\nfrom = "2022-01-01"\nto = 2023-01-01\n'
URL = Origin(kind="git", location="https://example.org/p", revision="0" * 40)


def project(root: Path, text: str, origin: Origin | None = None) -> Project:
    (root / "pyproject.toml").write_text(text)
    return Project(name="p", root=root, origin=origin or Origin(kind="folder", location=str(root)))


def test_those_of_a_repository_by_url_count_and_a_note_says_so(tmp_path: Path) -> None:
    said = own_instants(project(tmp_path, OWN, URL), Settings())
    assert (said.old, said.new) == (parse_instant("2022-01-01"), parse_instant("2023-01-01"))
    assert said.notes == (
        "the project's own settings say when: from (pyproject.toml:5), to (pyproject.toml:6)",
    )


def test_those_of_a_folder_need_no_note(tmp_path: Path) -> None:
    said = own_instants(project(tmp_path, OWN), Settings())
    assert (said.old, said.notes) == (parse_instant("2022-01-01"), ())


def test_the_user_s_own_settings_go_first(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('from = "2020-01-01"\nto = "2021-01-01"\n')
    said = own_instants(project(tmp_path, OWN, URL), Settings(configuration=read_user_configuration(mine)))
    assert (said.old, said.new, said.notes) == (parse_instant("2020-01-01"), parse_instant("2021-01-01"), ())


def test_without_settings_nothing_is_said(tmp_path: Path) -> None:
    said = own_instants(project(tmp_path, '[project]\nname = "p"\n', URL), Settings())
    assert (said.old, said.new, said.notes) == (None, None, ())


def test_what_is_no_instant_is_an_error_in_a_folder_and_passed_over_elsewhere(tmp_path: Path) -> None:
    wrong = '[tool.backdate]\nfrom = "soon"\n'
    with pytest.raises(ConfigurationError, match="soon"):
        own_instants(project(tmp_path, wrong), Settings())
    assert own_instants(project(tmp_path, wrong, URL), Settings()).old is None


class _Reached(Exception):
    """The old side was to be dated."""


@pytest.mark.parametrize(
    ("given", "old", "new"),
    [
        ({}, "2022-01-01", "2023-01-01"),
        ({"from_instant": parse_instant("2021-05-01")}, "2021-05-01", "2023-01-01"),
        ({"to_instant": parse_instant("2024-05-01")}, "2022-01-01", "2024-05-01"),
    ],
)
def test_a_check_takes_them_where_it_is_told_none(
    given: dict[str, Instant], old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[tuple[Instant | None, Instant]] = []

    def date_start(opened: Project, stated: Instant | None, at: Instant, *_: object, **__: object) -> None:
        found.append((stated, at))
        raise _Reached

    class Fetched:
        settings = Settings()

        def open_project(self, *_: object, **__: object) -> Project:
            return project(tmp_path, OWN, URL)

    monkeypatch.setattr(checking, "date_start", date_start)
    walk = CheckWalk(resources=Fetched(), options=CheckOptions(**given))  # type: ignore[arg-type]
    with pytest.raises(_Reached), walk.ask("https://example.org/p", (Question.DECLARED,)):
        pass
    assert found == [(parse_instant(old), parse_instant(new))]
