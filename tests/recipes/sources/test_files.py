"""tox, nox, Makefile, texts, conda, imports: what each says, from which line."""

from pathlib import Path

import pytest

from backdate.recipes.extract import extract_recipes
from backdate.recipes.recipe import Recipe
from backdate.recipes.sources.expressions import evaluate, fill, holds
from backdate.recipes.sources.matrix import choose_entry, cpython_versions
from backdate.recipes.sources.tox import expand

TEST = "def test_a():\n    assert 1\n"


def from_source(root: Path, source: str, files: dict[str, str]) -> Recipe:
    """The recipe of one kind of source."""
    for name, text in {"tests/test_a.py": TEST, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    found = extract_recipes(root).candidates
    return next(one for one in found if one.provenance and one.provenance.rule.startswith(source))


def steps(recipe: Recipe) -> list[tuple[object, ...]]:
    return [(one.kind, one.file or one.packages, one.extras, one.provenance.line) for one in recipe.install]


TOX = """\
[tox]
envlist = py{36,38}-{old,new}, lint, docs
minversion = 2

[base]
deps =
    pytest>=7
    -rrequirements.txt

[testenv]
usedevelop = true
extras = test
setenv =
    A = {toxinidir}/x
    B = {env:NOT_SET:default}
changedir = tests
deps =
    {[base]deps}
    old: django<3
    new: django>=3 ; python_version > "3"
    py36: dataclasses
    # comment
commands =
    {envpython} -m pytest {posargs:--ignore x} \\
        test_a.py
    - coverage report
    old: pytest never

[testenv:lint]
commands = flake8
"""


@pytest.mark.parametrize("file", ["tox.ini", "setup.cfg", "pyproject.toml"])
def test_tox(tmp_path: Path, file: str) -> None:
    text, before = TOX, 0
    if file == "setup.cfg":
        text = TOX.replace("[tox]", "[tox:tox]")
    if file == "pyproject.toml":
        text, before = f"[tool.tox]\nlegacy_tox_ini = '''\n{TOX}'''\n", 2
    files = {file: text, "requirements.txt": "", "setup.py": "import setuptools\nsetuptools.setup(name='x')"}
    recipe = from_source(tmp_path, "tox", files)
    assert recipe.interpreter is not None
    assert recipe.interpreter.versions == ("3.6", "3.8")
    assert steps(recipe) == [
        ("project", ".", ("test",), None),
        ("packages", ("pytest>=7",), (), before + 7),
        ("requirements", "requirements.txt", (), before + 8),
        ("packages", ("django>=3",), (), before + 20),
    ]
    assert recipe.install[0].editable
    assert recipe.test.arguments == ("--ignore=x",)
    assert (recipe.test.targets, recipe.test.cwd, recipe.test.provenance.line) == (
        ("test_a.py",),
        "tests",
        before + 24,
    )
    assert recipe.test.environment == (("A", "../x"), ("B", "default"))


def test_tox_in_its_own_toml(tmp_path: Path) -> None:
    text = """\
[tool.tox]
env_list = ["3.12", "lint"]
[tool.tox.env_run_base]
skip_install = true
deps = ["pytest", "-r requirements.txt"]
set_env = {A = "1"}
commands = [["pytest", "-k", "a b", "tests"]]
"""
    recipe = from_source(tmp_path, "tox", {"pyproject.toml": text, "requirements.txt": ""})
    assert steps(recipe) == [
        ("packages", ("pytest",), (), 5),
        ("requirements", "requirements.txt", (), 5),
    ]
    assert (recipe.test.arguments, recipe.test.targets) == (("-k", "a b"), ("tests",))


def test_tox_substitutes_in_lines_that_were_joined(tmp_path: Path) -> None:
    text = """\
[tox]
envlist = py38
[testenv]
commands =
    pytest {tty:--color=yes} {posargs: \\
      --cov {toxinidir}/tests -n={env:NUMBER:2} \\
      tests --durations 5 --run-integration}
    coverage report
"""
    recipe = from_source(tmp_path, "tox", {"tox.ini": text})
    assert recipe.test.targets == ("tests",)
    assert "--run-integration" in recipe.test.arguments
    assert "--color=yes" not in recipe.test.arguments


@pytest.mark.parametrize("stated", ["file|tox.env", "A = 1\n    file|{toxinidir}/tox.env"])
def test_tox_reads_variables_of_a_file(tmp_path: Path, stated: str) -> None:
    variables = "# comment\n\nexport SERVER_HOST={env:SERVER_HOST:localhost}\nSERVER_PORT=8080\n"
    text = f"[tox]\nenvlist = tests\n[testenv:tests]\nsetenv =\n    {stated}\ncommands = pytest\n"
    recipe = from_source(tmp_path, "tox", {"tox.ini": text, "tox.env": variables})
    found = {one.name: one.value for one in recipe.variables}
    assert found["SERVER_HOST"] == "localhost"
    assert found["SERVER_PORT"] == "8080"


@pytest.mark.parametrize("path", ["gone.env", "../tox.env", "/etc/passwd"])
def test_tox_reads_variables_of_the_project_s_files_alone(tmp_path: Path, path: str) -> None:
    (tmp_path / "tox.env").write_text("A=outside\n")
    project = tmp_path / "project"
    project.mkdir()
    text = f"[tox]\nenvlist = tests\n[testenv:tests]\nsetenv = file|{path}\ncommands = pytest\n"
    assert not from_source(project, "tox", {"tox.ini": text}).variables


def test_a_tox_file_that_leads_to_itself_is_said_to(tmp_path: Path) -> None:
    text = (
        "[tox]\nenvlist = py38\n[testenv]\ndeps = {[testenv]deps}\n  x{[a]deps}\n"
        "commands =\n  {[testenv]commands}\n  pytest {posargs:{posargs:{posargs}}}\n"
        "[a]\ndeps = {[b]deps}\n[b]\ndeps = {[a]deps}\n"
    )
    assert from_source(tmp_path, "tox", {"tox.ini": text}).test.runner == "pytest"
    reasons = [one.reason for one in extract_recipes(tmp_path).skipped]
    assert any("{[testenv]deps}" in reason for reason in reasons)
    assert not any(reason.startswith("''") for reason in reasons)


def test_generative_names_are_bounded() -> None:
    assert expand("py{36,37}-{a,b}, x\n y") == ["py36-a", "py36-b", "py37-a", "py37-b", "x", "y"]
    assert expand("py3{8-10}") == ["py38", "py39", "py310"]
    assert len(expand("{a,b}" * 200)) <= 300


NOX = """\
import nox
nox.options.sessions = ["lint", "tests"]
VERSIONS = ["3.8", "3.9"]
DEPS = ["pytest", "mock"]

def install(s, *more):
    s.install("-r", "requirements.txt")

@nox.session
def lint(session):
    session.install("flake8")

@nox.session(python=VERSIONS, name="tests")
def run(session: nox.Session) -> None:
    install(session)
    session.install(*DEPS, "-e", ".[test]")
    session.install(computed())
    if session.python == "3.8":
        session.install("never")
    session.chdir("tests")
    session.run("pytest", *session.posargs, env={"A": "1"})
"""


NEWEST_OF_TOX = """\
[tox]
envlist = py{36,38}-django{111,20,30,main}, py27-django111, py38-mindeps
[testenv]
deps =
    pytest
    django111: Django>=1.11,<2.0
    django20: Django>=2.0,<2.1
    django30: Django>=3.0,<3.1
    djangomain: https://github.com/django/django/archive/main.tar.gz
    mindeps: Django==1.11.0
commands = pytest
"""


def test_of_the_environments_of_tox_the_newest_released_dependencies_count(tmp_path: Path) -> None:
    recipe = from_source(tmp_path, "tox", {"tox.ini": NEWEST_OF_TOX})
    assert [one.packages for one in recipe.install] == [("pytest",), ("Django<3.1,>=3.0",)]


def test_where_requirements_say_nothing_the_names_of_the_environments_do(tmp_path: Path) -> None:
    text = NEWEST_OF_TOX.replace("commands = pytest", "commands = pytest {envname}")
    text = "".join(line for line in text.splitlines(True) if "jango" not in line or "envlist" in line)
    text = text.replace("    mindeps: Django==1.11.0\n", "")
    recipe = from_source(tmp_path, "tox", {"tox.ini": text})
    assert recipe.test.targets == ("py38-django30",)


PARAMETERS_OF_NOX = """\
import nox

DJANGO = ["2.2", "3.2", "3.0"]

@nox.session(python=["3.8"])
@nox.parametrize("django", DJANGO)
@nox.parametrize("python,drf", [("3.9", "3.11"), nox.param("3.10", "3.12", id="x"), ("3.10", "3.9")])
def tests(session, django, drf):
    session.install(f"django=={django}", "drf=={}".format(drf), "{}{}".format(django))
    session.run("pytest")
"""


def test_of_the_parameters_of_nox_the_newest_count(tmp_path: Path) -> None:
    recipe = from_source(tmp_path, "nox", {"noxfile.py": PARAMETERS_OF_NOX})
    assert recipe.interpreter is not None
    assert recipe.interpreter.versions == ("3.8", "3.9", "3.10")
    assert recipe.install[0].packages == ("django==3.2", "drf==3.12")


def test_nox(tmp_path: Path) -> None:
    files = {
        "noxfile.py": NOX,
        "requirements.txt": "",
        "setup.py": "import setuptools\nsetuptools.setup(name='x')",
    }
    recipe = from_source(tmp_path, "nox", files)
    assert recipe.interpreter is not None
    assert recipe.interpreter.versions == ("3.8", "3.9")
    assert steps(recipe) == [
        ("requirements", "requirements.txt", (), 7),
        ("project", ".", ("test",), 16),
        ("packages", ("pytest", "mock"), (), 16),
    ]
    assert (recipe.test.cwd, recipe.test.environment, recipe.test.provenance.line) == (
        "tests",
        (("A", "1"),),
        21,
    )


PATHS_OF_NOX = """\
import os, pathlib
import nox
HERE = pathlib.Path(__file__).parent.absolute()

def default(session):
    constraints = str(HERE / "testing" / f"constraints-{session.python}.txt")
    session.install("mock", "pytest", "-c", constraints)
    session.install("-e", ".", "-c", constraints)
    session.install("-r", str(HERE / "testing" / "requirements.txt"))
    args = ["-m", "unit"]
    if session.python == "3.9":
        args = []
    session.run("py.test", "--cov=x", os.path.join("tests", "unit"), *args, *session.posargs)

@nox.session(python=["3.8", "3.9"])
def unit(session):
    where = os.path.join(os.path.dirname(__file__), "tests", "more")
    default(session)
    session.run("pytest", where)
"""


def test_paths_that_nox_puts_together_are_read_and_no_folder_is_a_file_of_constraints(tmp_path: Path) -> None:
    files = {"noxfile.py": PATHS_OF_NOX, "setup.py": "", "testing/requirements.txt": "a\n"}
    recipe = from_source(tmp_path, "nox", files)
    assert [(step.kind, step.file or step.packages) for step in recipe.install] == [
        ("packages", ("mock", "pytest")),
        ("project", "."),
        ("requirements", "testing/requirements.txt"),
    ]
    assert (recipe.test.targets, recipe.test.arguments) == (("tests/unit",), ())
    assert [plan.targets for plan in recipe.further_tests] == [("tests/more",)]


def test_constants_that_hold_each_other_end(tmp_path: Path) -> None:
    text = (
        "import nox\nA = [*B, *B]\nB = [*A, *A]\n"
        "@nox.session\ndef tests(s):\n    s.install(*A)\n    s.run('pytest')\n"
    )
    assert from_source(tmp_path, "nox", {"noxfile.py": text}).test.runner == "pytest"


MAKE = """\
PY ?= python3
ARGS := -k $(WORD)
WORD = a
.PHONY: test
test: deps  # run
\t@cd tests && $(PY) -m pytest $(ARGS) \\
\t  test_a.py
\t-echo $$HOME $(shell date)
deps:
\tpip install -r requirements.txt $(shell date)
A = $(A)$(A)
loop: loop test
\ttrue
"""


def test_makefile(tmp_path: Path) -> None:
    recipe = from_source(tmp_path, "Makefile", {"Makefile": MAKE, "requirements.txt": ""})
    assert steps(recipe)[0] == ("requirements", "requirements.txt", (), 10)
    assert (recipe.test.arguments, recipe.test.targets, recipe.test.cwd) == (
        ("-k", "a"),
        ("test_a.py",),
        "tests",
    )
    assert recipe.test.provenance.location == "Makefile:6"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Makefile", "test:\n\tpytest -k a\na" + " " * 300_000 + "b\n"),
        ("tox.ini", "[testenv]\ncommands = pytest -k a\na" + " " * 300_000 + "b\n"),
        ("Makefile", "test:\n\tconda install 'a" + "<" * 60 + ";'\n\tpytest -k a\n"),
        ("tox.ini", "[testenv]\ncommands = pytest -k a\ndeps =\n" + f"    a{' ' * 19_000}b\n" * 25),
    ],
)
def test_no_line_takes_long(tmp_path: Path, name: str, text: str) -> None:
    recipe = from_source(tmp_path, name.removesuffix(".ini"), {name: text})
    assert recipe.test.arguments == ("-k", "a")  # each took minutes, one of them years


def test_variables_of_a_makefile_that_multiply_are_expanded_once_each(tmp_path: Path) -> None:
    steps = "".join(f"A{n} = {f'$(A{n + 1})' * 300}\n" for n in range(6))
    recipe = from_source(
        tmp_path, "Makefile", {"Makefile": f"{steps}test:\n\t@echo $(A0)$(A1)\n\tpytest -k a\n"}
    )
    assert recipe.test.runner == "pytest"  # 27 million replacements a line


README = """\
# Thing
    pip install thing

```console
$ git clone x
(venv) $ pip install -r requirements.txt
output
```
```python
pytest
```
Then:

    python -m pytest tests
"""


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("README.md", README, (6, 14)),
        (
            "CONTRIBUTING.rst",
            "Do::\n\n    pip install -r requirements.txt\n    make lint\n    py.test tests\n",
            (3, 5),
        ),
        (
            "docs/contributing.rst",
            ".. code-block:: bash\n\n   pip install -r requirements.txt\n   pytest tests\n",
            (3, 4),
        ),
    ],
)
def test_texts(tmp_path: Path, name: str, text: str, lines: tuple[int, int]) -> None:
    recipe = from_source(
        tmp_path,
        "text",
        {
            name: text,
            "requirements.txt": "",
            "thing/__init__.py": "",
            "setup.py": "import setuptools\nsetuptools.setup(name='thing')",
        },
    )
    assert [one for one in steps(recipe) if one[0] == "requirements"] == [
        ("requirements", "requirements.txt", (), lines[0])
    ]
    assert ("packages", ("thing",), (), 2) not in steps(recipe)
    assert recipe.test.provenance.line == lines[1]


def test_conda(tmp_path: Path) -> None:
    text = (
        "name: x\ndependencies:\n- python=3.8\n- numpy=1.20\n- pytorch>=1\n- cudatoolkit=11\n"
        "- pip:\n  - -r requirements.txt\n  - a==1\n"
    )
    recipe = from_source(tmp_path, "conda", {"environment.yml": text, "requirements.txt": ""})
    assert recipe.interpreter is not None
    assert recipe.interpreter.versions == ("3.8",)
    assert steps(recipe)[:4] == [
        ("packages", ("numpy==1.20.*",), (), 4),
        ("packages", ("torch>=1",), (), 5),
        ("requirements", "requirements.txt", (), 8),
        ("packages", ("a==1",), (), 9),
    ]
    assert recipe.system[0].packages == ("cudatoolkit=11",)


def test_imports_are_the_last_resort(tmp_path: Path) -> None:
    code = (
        "import os, yaml\nimport requests.auth\nfrom . import b\nimport helper\ntry:\n"
        "    import optional\nexcept ImportError:\n    pass\nimport ConfigParser\n"
    )
    files = {"pkg/a.py": code, "pkg/helper.py": "", "bad.py": "print 'x'"}
    recipe = from_source(tmp_path, "import scan", files)
    assert steps(recipe)[:2] == [
        ("packages", ("PyYAML",), (), 1),
        ("packages", ("requests",), (), 2),
    ]
    assert len(recipe.install) == 3
    (tmp_path / "requirements.txt").write_text("pyyaml\n")
    assert not any("import scan" in str(one.provenance) for one in extract_recipes(tmp_path).candidates)


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ("", True),
        ("matrix.os == 'Linux'", True),
        ("${{ matrix.os != 'linux' }}", False),
        ("!(matrix.os == 'Linux') || unknown.x", None),
        ("unknown.x && false", False),
        ("always() && startsWith(matrix.os, 'lin')", True),
        ("contains(matrix.os, 'win')", False),
        ("failure()", False),
        ("github.ref == 'x'", None),
        ("matrix.os ==", None),
        ("((((", None),
        ("!" * 5000 + "true", None),
        ("a" * 5000, None),
    ],
)
def test_conditions(condition: str, verdict: bool | None) -> None:
    assert holds(condition, {"matrix.os": "Linux"}) is verdict


def test_expressions() -> None:
    assert (
        fill("a ${{ matrix.x }} ${{ secrets.Y }} ${{ matrix.x || 'z' }}", {"matrix.x": "1"})
        == "a 1 ${{ secrets.Y }} 1"
    )
    assert evaluate("matrix.a && 'b' || 'c'", {"matrix.a": ""}) == "c"


def test_versions_and_entries() -> None:
    assert cpython_versions(["3.10", "3.9", "pypy3", "3.x", "3.8-dev", "cpython-3.7", "2.7", "3.10"]) == (
        *("2.7", "3.7", "3.8", "3.9", "3.10"),
    )
    entry, versions = choose_entry(
        {"py": ["3.8", "3.9"], "os": ["windows-2019", "ubuntu"]}, [{"py": "3.9", "more": "1"}], []
    )
    assert entry == {"py": "3.9", "os": "ubuntu", "more": "1"}
    assert versions == ("3.8", "3.9")
    assert choose_entry({}, [], []) == ({}, ())
    axes = {
        "python": ["3.8", "3.9"],
        "django": ["main", "2.2", "3.2", "3.1", "lowest"],
        "os": ["ubuntu-20.04"],
    }
    assert choose_entry(axes, [], [])[0]["django"] == "3.2"
    assert choose_entry({"deps": ["lowest", "", "highest"]}, [], [])[0]["deps"] == "highest"
    assert choose_entry({"deps": ["main", "lowest", ""]}, [], [])[0]["deps"] == ""
    configurations = [
        {"python": "3.7", "env": "py37-dj22"},
        {"python": "3.8", "env": "dj22"},
        {"python": "3.8", "env": "dj32"},
    ]
    entry, versions = choose_entry({}, [], [], {"config": configurations})
    assert entry == {"config.python": "3.8", "config.env": "dj32"}
    assert versions == ("3.7", "3.8")
    many = {f"axis{number}": [str(value) for value in range(50)] for number in range(20)}
    assert choose_entry(many, [], [])[1] == ()


def test_programs_of_toxs_environment_are_called_by_their_names(tmp_path: Path) -> None:
    tox = (
        "[tox]\nskipsdist = true\n[testenv]\nsetenv = DJANGO_SETTINGS_MODULE = tests.settings\ncommands =\n"
        "  {envbindir}/coverage run {envbindir}/django-admin test robots -v2\n"
        "  !py27-!pypy: pytest docs\n  py27-!pypy: pytest never\n"
    )
    recipe = from_source(tmp_path, "tox", {"tox.ini": tox, "docs/test_a.py": "def test_a(): pass"})
    assert (recipe.test.runner, recipe.test.targets) == ("django", ("robots",))
    assert dict(recipe.test.environment)["DJANGO_SETTINGS_MODULE"] == "tests.settings"
    assert [plan.targets for plan in recipe.further_tests] == [("docs",)]
