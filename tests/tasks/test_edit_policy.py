"""Which files an answer may change."""

from dataclasses import replace

import pytest
from fake_runner import make_task

from backdate.tasks.edit_policy import fold
from backdate.tasks.kinds.choose import edit_policy_of


@pytest.mark.parametrize(
    "path", ["pkg/shapes.py", "a.py", "docs/index.rst", "tests/helpers.py", "pkg/data.txt", "latest.py"]
)
def test_the_project_s_own_files_may_be_changed(path) -> None:
    assert edit_policy_of(make_task()).why_not(path) == ""


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("tests/test_shapes.py", "test file"),
        ("TESTS/Test_Shapes.PY", "test file"),
        ("tests/./test_shapes.py", "test file"),
        ("te\u017fts/test_shapes.py", "test file"),  # a long s, which folds to s
        ("setup_o__n.sh", "runs the tests"),
        ("Test_O__N.sh", "runs the tests"),
        ("conftest.py", "configures"),
        ("pkg/conftest.py", "configures"),
        ("tox.ini", "configures"),
        ("x.pth", "configures"),
        ("setup.py", "declares"),
        ("Setup.CFG", "declares"),
        ("pyproject.toml", "declares"),
        ("dev-requirements.txt", "declares"),
        ("requirements/base.txt", "declares"),
        ("environment.yml", "declares"),
        (".git/hooks/post-checkout", "not part"),
        ("../x.py", "not part"),
        ("/etc/passwd", "not part"),
    ],
)
def test_what_judges_the_answer_may_not(path, why) -> None:
    assert why in edit_policy_of(make_task()).why_not(path)


def test_names_tell_where_nobody_said_which_files_hold_tests() -> None:
    rules = edit_policy_of(replace(make_task(), test_files=()))
    for path in ("tests/helpers.py", "pkg/test_x.py", "pkg/x_test.py", "Test/a.py"):
        assert "test file" in rules.why_not(path)
    assert rules.why_not("pkg/testify.py") == ""


def test_the_paper_s_setting_opens_tests_and_nothing_else() -> None:
    rules = edit_policy_of(make_task(), allow_test_edits=True)
    assert rules.why_not("tests/test_shapes.py") == rules.why_not("conftest.py") == ""
    for path in ("test_o__n.sh", "setup.py", "tox.ini", "requirements.txt"):
        assert rules.why_not(path)


def test_folding_is_done_once_and_for_all() -> None:
    for name in ("Stra\u00dfe/\ufb01le.py", "A/./b//C.py", "\u0130.py", "\uff21.py"):
        assert fold(fold(name)) == fold(name)
