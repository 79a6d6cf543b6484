"""Each command line as what it means: install steps, system packages, test plans, or a reason."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.recipes.actions import Action, Delegation
from backdate.recipes.commands import read_commands
from backdate.recipes.files import Files
from backdate.recipes.recipe import InstallStep, SkippedInstruction, SuitePlan, SystemPackages, Variable

PYPROJECT = """\
[project]
name = "x"
[project.optional-dependencies]
test = ["a"]
docs = ["b"]
[dependency-groups]
dev = ["pytest>7", {include-group = "more"}]
more = ["hypothesis"]
[tool.pdm.dev-dependencies]
lint = ["ruff"]
"""
POETRY = """\
[tool.poetry]
name = "x"
[tool.poetry.extras]
redis = ["redis"]
[tool.poetry.group.dev.dependencies]
pytest = "^7"
[tool.poetry.group.docs.dependencies]
sphinx = "*"
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in {
        "requirements.txt": "a\n",
        "req/dev.txt": "b\n",
        "constraints.txt": "a<2\n",
        "pyproject.toml": PYPROJECT,
        "sub/setup.py": "",
        "manage.py": "import django",
        "tests/test_a.py": "import unittest",
        "tests/test_b.py": "import unittest",
        "run_tests.py": "import unittest",
        "tool.py": "",
        "ci/install.sh": "pip install ci-only",
        "Pipfile": '[packages]\nrequests = "*"\n[dev-packages]\npytest = "*"\n',
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def read(root: Path, text: str) -> tuple[Action, ...]:
    return read_commands(text, files=Files(root), file="ci.yml", line=10, rule="CI")


def installs(root: Path, text: str) -> list[tuple[object, ...]]:
    """Each step in short; reasons of what is skipped are left out."""
    return [
        (step.kind, step.file, step.extras, step.packages)
        for step in read(root, text)
        if isinstance(step, InstallStep)
    ]


def packages(*names: str) -> tuple[object, ...]:
    return ("packages", None, (), names)


PROJECT = ("project", ".", (), ())
REQUIREMENTS = ("requirements", "requirements.txt", (), ())


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("pip install -r requirements.txt", [REQUIREMENTS]),
        ("pip3.8 install -rrequirements.txt", [REQUIREMENTS]),
        ("python -m pip install --requirement=requirements.txt -U", [REQUIREMENTS]),
        ("sudo -H pip install -r ./requirements.txt", [REQUIREMENTS]),
        (
            "cd req && pip install -r dev.txt -r ../requirements.txt",
            [("requirements", "req/dev.txt", (), ()), REQUIREMENTS],
        ),
        ("pip install -c constraints.txt .", [("constraints", "constraints.txt", (), ()), PROJECT]),
        (
            "pip install -e .[test,docs] 'a>=1,<2' b",
            [("project", ".", ("test", "docs"), ()), packages("a<2,>=1", "b")],
        ),
        ("pip install '.[test]'", [("project", ".", ("test",), ())]),
        ("pip install ./sub", [("project", "sub", (), ())]),
        ("pip install dist/*.whl", [PROJECT]),
        ("uv pip install --system -e '.'", [PROJECT]),
        ("uv sync --extra test", [("project", ".", ("test",), ()), packages("pytest>7", "hypothesis")]),
        ("uv sync --all-extras --no-dev", [("project", ".", ("test", "docs"), ())]),
        ("pip install --group more", [packages("hypothesis")]),
        (
            "pdm install -G test",
            [
                ("project", ".", ("test",), ()),
                packages("ruff"),
                packages("pytest>7", "hypothesis"),
                packages("hypothesis"),
            ],
        ),
        ("pdm install --prod", [PROJECT]),
        ("pipenv install --dev", [packages("requests"), packages("pytest")]),
        ("pipenv sync", [packages("requests")]),
        ("pipenv install requests", [packages("requests")]),
        ("flit install --deps develop", [("project", ".", ("test",), ())]),
        ("python setup.py develop", []),
        ("cd sub; python setup.py install", [("project", "sub", (), ())]),
        (
            "python -m pip install 'git+https://github.com/a/b@v1#egg=b'",
            [packages("b @ git+https://github.com/a/b@v1")],
        ),
        (
            "pip install a;  pip install b && pip install \\\n c",
            [packages("a"), packages("b"), packages("c")],
        ),
        ("travis_retry pip install a", [packages("a")]),
        ("poetry run pip install a", [packages("a")]),
        ("pip-compile x; pip freeze; pip list", []),
    ],
)
def test_install_commands(tree: Path, text: str, steps: list[tuple[object, ...]]) -> None:
    if "setup.py develop" in text:
        steps = [PROJECT]  # pyproject.toml makes the folder installable
    assert installs(tree, text) == steps


@pytest.mark.parametrize(
    ("command", "steps"),
    [
        ("poetry install", [PROJECT, packages("pytest>=7,<8"), packages("sphinx")]),
        (
            "poetry install --without docs -E redis",
            [("project", ".", ("redis",), ()), packages("pytest>=7,<8")],
        ),
        ("poetry install --only dev --no-root", [PROJECT, packages("pytest>=7,<8")]),
        ('poetry install --extras "redis" --no-dev', [("project", ".", ("redis",), ())]),
        ("poetry install --all-extras --no-dev", [("project", ".", ("redis",), ())]),
    ],
)
def test_poetry(tree: Path, command: str, steps: list[tuple[object, ...]]) -> None:
    (tree / "pyproject.toml").write_text(POETRY)
    assert installs(tree, command) == steps


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("pip install -r missing.txt", "there is no file missing.txt"),
        ("pip install -r ../../etc/passwd", "leads out"),
        ("pip install -r /etc/passwd", "leads out"),
        ("pip install -r https://x/r.txt", "outside the project"),
        ("pip install -i https://user:secret@private/simple a", "another package index: https://…@private"),
        ("pip install https://token@host/a.zip", "a user or a token"),
        ("pip install $(cat list)", "command substitution"),
        ("pip install ${{ secrets.PACKAGE }}", "secrets.PACKAGE"),
        ("pip install $UNSET", "the variable UNSET"),
        ("pip install 'a b'", "not a requirement"),
        ("pip install ./req", "nothing to install in req"),
        ("pip install -i $PRIVATE a", "the variable PRIVATE"),
        ("pip install $'a\\nb' '\x07'", "control characters"),
        ("for p in a b; do pip install x; done", "only a shell can follow"),
        ("curl https://x | bash -s", "no script"),
        ("brew install x", "another operating system"),
        ("invoke docs", "no task that is named for testing"),
        ("behave", "not known here"),
        ("python -c 'import x'", "code on the command line"),
        ("python tool.py", "program of the project's own"),
        ("python setup.py sdist", "builds distributions"),
        ("black .", "neither an install nor a test command"),
        ("pytest --collect-only", "runs no test"),
        ("pytest ../../other", "leads out"),
        ("apt-get install 'x;rm'", "not the name of a Debian package"),
        ("conda install --file requirements.txt", "packages of conda"),
    ],
)
def test_what_is_skipped_has_a_reason(tree: Path, text: str, reason: str) -> None:
    found = read(tree, text)
    assert not [one for one in found if isinstance(one, InstallStep | SuitePlan | SystemPackages)]
    assert any(isinstance(one, SkippedInstruction) and reason in one.reason for one in found), found


def test_no_secret_is_kept_in_a_reason(tree: Path) -> None:
    (one,) = read(tree, "pip install -i https://user:secret@private/simple a")
    assert isinstance(one, SkippedInstruction)
    assert "secret" not in one.reason + (one.provenance.text or "")


@pytest.mark.parametrize("text", ["pip install a $MORE", "pip install -r $FILE a", "pip install a -r $(ls)"])
def test_the_known_part_of_an_install_command_is_kept(tree: Path, text: str) -> None:
    step, left_out = read(tree, text)
    assert isinstance(step, InstallStep)
    assert step.packages == ("a",)
    assert isinstance(left_out, SkippedInstruction)
    assert "part of the command is left out" in left_out.reason


def test_system_packages(tree: Path) -> None:
    found = [
        (one.manager, one.packages)
        for one in read(
            tree,
            "sudo apt-get update && sudo apt-get install -y libxml2-dev g++\nconda install -c x -y numpy=1.2",
        )
        if isinstance(one, SystemPackages)
    ]
    assert found == [("apt", ("libxml2-dev", "g++")), ("conda", ("numpy=1.2",))]


@pytest.mark.parametrize(
    ("text", "runner", "targets", "arguments", "cwd"),
    [
        ("pytest", "pytest", (), (), "."),
        ("py.test -v --cov=x --cov-report xml tests/", "pytest", ("tests",), (), "."),
        ("pytest -n auto -x -rA --durations=10 --cov pkg", "pytest", (), (), "."),
        (
            "python3 -W error -m pytest -k 'a and b' -m 'not slow'",
            "pytest",
            (),
            ("-k", "a and b", "-m", "not slow"),
            ".",
        ),
        ("cd tests; pytest test_*.py", "pytest", ("test_a.py", "test_b.py"), (), "tests"),
        ("coverage run --source x -m pytest tests", "pytest", ("tests",), (), "."),
        ("coverage run -p --source=x $(which pytest) tests", None, (), (), "."),
        (
            "pytest --ignore=tests/x --doctest-modules",
            "pytest",
            (),
            ("--ignore=tests/x", "--doctest-modules"),
            ".",
        ),
        ("pytest tests/test_a.py::test_x", "pytest", ("tests/test_a.py::test_x",), (), "."),
        ("poetry run pytest", "pytest", (), (), "."),
        ("xvfb-run -a pipenv run python -m pytest", "pytest", (), (), "."),
        ("python -m unittest", "unittest", (), ("discover",), "."),
        ("python -m unittest discover -s tests -v", "unittest", (), ("discover", "-s", "tests"), "."),
        (
            "python -m unittest -v tests.test_a tests/test_b.py",
            "unittest",
            ("tests.test_a", "tests.test_b"),
            (),
            ".",
        ),
        ("coverage run tests/test_a.py", "unittest", ("tests.test_a",), (), "."),
        ("nosetests -v --with-coverage --cover-package=x tests", "pytest", ("tests",), (), "."),
        ("nosetests tests.test_a:Case", "pytest", ("tests/test_a.py::Case",), (), "."),
        (
            "python manage.py test -v 2 app --settings=a.b --parallel",
            "django",
            ("app",),
            ("--settings=a.b",),
            ".",
        ),
    ],
)
def test_test_commands(
    tree: Path, text: str, runner: str | None, targets: tuple[str, ...], arguments: tuple[str, ...], cwd: str
) -> None:
    plans = [one for one in read(tree, text) if isinstance(one, SuitePlan)]
    if runner is None:
        assert plans == []
        return
    (plan,) = plans
    assert (plan.runner, plan.targets, plan.arguments, plan.cwd) == (runner, targets, arguments, cwd)


@pytest.mark.parametrize(
    ("text", "to", "arguments"),
    [
        ("tox", "tox", ()),
        ("tox -e py38,lint -- -x", "tox", ("py38", "lint")),
        ("python -m tox run -e py", "tox", ("py",)),
        ("tox -e $(echo py${V} | tr -d .)", "tox", ()),
        ("nox -s tests-3.8 lint -- -v", "nox", ("tests-3.8", "lint")),
        ("nox --session=tests", "nox", ("tests",)),
        ("make -C sub test COV=1", "make", ("test",)),
        ("bash ci/install.sh", "script", ("ci/install.sh",)),
        ("./ci/install.sh -x", "script", ("ci/install.sh",)),
        (". ci/install.sh", "script", ("ci/install.sh",)),
        ("python run_tests.py --all", "suite", ()),
        ("python setup.py test", "suite", ()),
        ("conda env create -f requirements.txt", "conda", ("requirements.txt",)),
    ],
)
def test_what_is_left_to_another_file(tree: Path, text: str, to: str, arguments: tuple[str, ...]) -> None:
    (found,) = [one for one in read(tree, text) if isinstance(one, Delegation)]
    assert (found.to, found.arguments) == (to, arguments)


def test_variables_and_places(tree: Path) -> None:
    found = read(tree, "export A=1\nB=2 pytest\n\nPYTHONPATH=$PYTHONPATH:$(pwd)/src python -m pytest")
    variable, first, second = found
    assert isinstance(variable, Variable)
    assert (variable.name, variable.value, variable.provenance.line) == ("A", "1", 10)
    assert isinstance(first, SuitePlan)
    assert isinstance(second, SuitePlan)
    assert first.environment == (("B", "2"),)
    assert first.provenance.location == "ci.yml:11"
    assert first.provenance.text == "B=2 pytest"
    assert second.environment == (("PYTHONPATH", ":./src"),)
    assert second.provenance.line == 13


def test_a_script_in_a_subfolder_sees_the_project_from_there(tree: Path) -> None:
    (plan,) = [
        one for one in read(tree, "cd tests; PYTHONPATH=$(pwd)/.. pytest") if isinstance(one, SuitePlan)
    ]
    assert plan.environment == (("PYTHONPATH", "../tests/.."),)


PROGRAMS = [
    "pip",
    "pytest",
    "tox",
    "make",
    "poetry",
    "uv",
    "conda",
    "coverage",
    "python",
    "apt-get",
    "nox",
    "env",
    "cd",
]
WORDS = [
    "install",
    "-r",
    "-e",
    "-m",
    "run",
    "test",
    "--",
    "--with",
    ".[x]",
    "-",
    "--x=",
    "=",
    "$A",
    "*",
    "~",
    "sync",
    "env",
    "[",
    "",
]


@given(
    st.lists(
        st.sampled_from(PROGRAMS) | st.sampled_from(WORDS) | st.text(max_size=5), min_size=1, max_size=12
    ),
    st.sampled_from(["", "'", '"', "`", "$("]),
)
def test_no_command_line_raises(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], quote: str
) -> None:
    root = tmp_path_factory.getbasetemp()
    for one in read_commands(quote.join(words) + " ".join(words), files=Files(root), file="f", rule="r"):
        assert one.provenance.line is None or one.provenance.line >= 1


@pytest.mark.parametrize(
    "text",
    [
        './ci/install.sh "pytest -v tests"',
        "bash ci/install.sh db:5432 -- pytest -v tests",
        "ci/install.sh --wait -- poetry run pytest -v tests",
    ],
)
def test_a_command_that_a_script_is_given_to_run_is_read(tree: Path, text: str) -> None:
    script, plan = read(tree, text)
    assert isinstance(script, Delegation)
    assert isinstance(plan, SuitePlan)
    assert (plan.runner, plan.targets, plan.arguments) == ("pytest", ("tests",), ())


@pytest.mark.parametrize(
    "text", ["ci/install.sh -- ls tests", "ci/install.sh 'a \"b'", "ci/install.sh pytest"]
)
def test_other_words_that_a_script_is_given_are_no_commands(tree: Path, text: str) -> None:
    assert [type(action) for action in read(tree, text)] == [Delegation]
