"""Settings in files: where they were written, what is wrong with them, and which count."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.configuration.configuration import Configuration, Setting, SettingOrigin, SettingSource
from backdate.configuration.documents import (
    read_project_configuration,
    read_user_configuration,
    user_file,
)
from backdate.configuration.keys import KEYS, read_table
from backdate.configuration.trust import effective_configuration
from backdate.errors import ConfigurationError

PYPROJECT = """[project]
name = "p"
[tool.backdate]
test-command = "pytest tests"
extras = ["test"]
from = 2024-01-02
environment = { A = "1" }
# a comment
allow-network = true

[tool.other]
extras = ["no"]
"""


def test_pyproject_with_lines(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    read = read_project_configuration(tmp_path)
    assert read.problems == ()
    found = read.configuration
    assert found.test_command is not None
    assert found.test_command.value == "pytest tests"
    assert found.test_command.origin.text == "test-command (pyproject.toml:4)"
    assert found.extras is not None
    assert (found.extras.value, found.extras.origin.line) == (("test",), 5)
    assert found.from_instant is not None
    assert found.from_instant.value == "2024-01-02"
    assert [(name, setting.value) for name, setting in found.environment] == [("A", "1")]
    assert found.network is not None
    assert found.network.origin.line == 9


def test_a_table_of_variables(tmp_path: Path) -> None:
    (tmp_path / "backdate.toml").write_text('python = "3.11"\n[environment]\nA = "x"\nB = ""\n')
    found = read_project_configuration(tmp_path).required()
    assert [(name, one.value, one.origin.line) for name, one in found.environment] == [
        ("A", "x", 3),
        ("B", "", 4),
    ]


def test_unknown_keys_name_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.backdate]\n\ntest-comand = "pytest"\nzzz = 1\n')
    read = read_project_configuration(tmp_path)
    assert read.problems[0] == (
        "test-comand (pyproject.toml:3): there is no such key; did you mean test-command?"
    )
    assert "there are test-command, " in read.problems[1]
    with pytest.raises(ConfigurationError, match="did you mean test-command"):
        read.required()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("extras = 'test'", r"extras .*:1\): it is a list of texts, .* not the text 'test'"),
        ("extras = [1]", "a list of texts"),
        ("test-command = ['pytest']", "a text, not a list"),
        ("allow-network = 'yes'", "true or false, not the text 'yes'"),
        ("python = 3.11", "a text, not a number"),
        ("python = 'pypy'", 'such as "3.11"'),
        ("from = 'soon'", "soon"),
        ("as = 'lift'", "declared, lifted or both"),
        ("services = ['postgres']", "did you mean postgresql"),
        ("debian-packages = ['a b; rm']", "not the name of a Debian package"),
        ("host-variables = ['BACKDATE_CAPTURE_ROOT']", "not a name for an environment variable"),
        ("environment = { 'A B' = 'x' }", "not a name for an environment variable"),
        ("environment = { A = 1 }", "a text, not a number"),
        ("environment = 'x'", "a table"),
        ("x =", "not TOML"),
    ],
)
def test_wrong_values(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "backdate.toml").write_text(line + "\n")
    with pytest.raises(ConfigurationError, match=message):
        read_project_configuration(tmp_path).required()


def test_both_files_are_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "backdate.toml").write_text("python = '3.9'\n")
    (tmp_path / "pyproject.toml").write_text("[tool.backdate]\npython = '3.9'\n")
    with pytest.raises(ConfigurationError, match="keep one"):
        read_project_configuration(tmp_path).required()


def test_links_out_of_the_tree_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("python = '3.9'\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "backdate.toml").symlink_to(tmp_path / "secret")
    assert read_project_configuration(tree).problems


def test_the_users_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert user_file() == tmp_path / "backdate" / "backdate.toml"
    assert read_user_configuration() == Configuration()
    user_file().parent.mkdir()
    user_file().write_text("allow-network = true\n")
    found = read_user_configuration()
    assert found.network is not None
    assert found.network.origin.source is SettingSource.USER
    user_file().write_text("allow-netwrk = true\n")
    with pytest.raises(ConfigurationError, match="did you mean allow-network"):
        read_user_configuration()


def test_what_widens_rights_needs_trust(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT + "[tool.backdate.x]\n")
    foreign = effective_configuration(tmp_path, local=False, given=Configuration())
    assert foreign.configuration.network is None
    assert foreign.configuration.extras is not None
    assert any("x (pyproject.toml:13): there is no such key" in note for note in foreign.notes)
    assert any("allow-network (pyproject.toml:9) asks for more" in note for note in foreign.notes)
    with pytest.raises(ConfigurationError):
        effective_configuration(tmp_path, local=True, given=Configuration())
    allowed = read_project_configuration(tmp_path).configuration
    trusted = effective_configuration(tmp_path, local=False, given=allowed)
    assert trusted.configuration.network is not None
    assert not any("asks for more" in note for note in trusted.notes)


def setting(value: object) -> Setting[object]:
    return Setting(value=value, origin=SettingOrigin(source=SettingSource.USER, name="x"))


def test_the_nearer_one_counts() -> None:
    mine, theirs = setting("mine"), setting("theirs")
    high = Configuration(python=mine, environment=(("A", mine),))  # type: ignore[arg-type]
    low = Configuration(python=theirs, asked=theirs, environment=(("A", theirs), ("B", theirs)))  # type: ignore[arg-type]
    both = high.over(low)
    assert both.python is mine
    assert both.asked is theirs
    assert dict(both.environment) == {"A": mine, "B": theirs}
    assert high.over(Configuration()) == high == Configuration().over(high)


def test_the_effect_is_what_recipes_and_rights_are_a_function_of(tmp_path: Path) -> None:
    (tmp_path / "backdate.toml").write_text("python = '3.9'\nfrom = 'yesterday'\nas = 'both'\n")
    assert read_project_configuration(tmp_path).required().effect == ()
    (tmp_path / "backdate.toml").write_text("extras = ['a']\n")
    one = read_project_configuration(tmp_path).required().effect
    (tmp_path / "backdate.toml").write_text("\n\nextras = ['a']\n")
    assert read_project_configuration(tmp_path).required().effect == one != ()


toml_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda one: st.lists(one) | st.dictionaries(st.text(), one),
)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from([*KEYS, "environment"]) | st.text(), toml_values))
def test_any_table_is_settings_and_problems(table: dict[str, object]) -> None:
    read_table(table, lambda name: SettingOrigin(source=SettingSource.PROJECT, name=name))
