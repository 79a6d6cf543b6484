"""The candidates as a whole: order, folding, what is lent, and that nothing a tree holds makes it raise."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backdate.recipes.basic import basic_recipe
from backdate.recipes.declared import read_declared
from backdate.recipes.extract import extract_recipes
from backdate.recipes.render import as_dockerfile, as_json, as_shell_script, read_recipe

TEST = "import pytest\ndef test_a():\n    assert 1\n"
SETUP = "from setuptools import setup\nsetup(name='x', extras_require={'test': ['mock']})\n"


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return root


def rules(root: Path) -> list[str]:
    found = extract_recipes(root).candidates
    return [one.provenance.rule.split(",")[0] for one in found if one.provenance]


def test_the_order_of_sources(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "test_a.py": TEST,
        "requirements.txt": "a\n",
        ".github/workflows/ci.yml": (
            "jobs:\n  t:\n    steps:\n    - run: pip install gh pytest\n    - run: pytest\n"
        ),
        ".travis.yml": "install: pip install travis\nscript: pytest\n",
        "tox.ini": "[testenv]\ndeps = tox-dep\ncommands = pytest\n",
        "noxfile.py": ("import nox\n@nox.session\ndef tests(s):\n    s.install('n')\n    s.run('pytest')\n"),
        "environment.yml": "dependencies: [c]\n",
        "Makefile": "test:\n\tpip install m && pytest\n",
        "README.md": "```\npip install readme-dep\npytest\n```\n",
    }
    assert rules(write(tmp_path, files)) == [
        "GitHub Actions",
        "Travis CI",
        "tox",
        "nox",
        "what the metadata and requirements files declare",
        "conda environment",
        "Makefile",
        "text",
    ]


def test_the_basic_recipe_is_one_of_them_and_keeps_its_meaning(tmp_path: Path) -> None:
    write(tmp_path, {"test_a.py": TEST, "setup.py": SETUP, "requirements.txt": "a\n"})
    (found,) = extract_recipes(tmp_path).candidates
    basic = basic_recipe(tmp_path)
    assert basic is not None
    assert (found.install, found.test) == (basic.install, basic.test)


def test_recipes_that_do_the_same_fold(tmp_path: Path) -> None:
    job = "jobs:\n  t:\n    steps:\n    - run: pip install -r requirements.txt\n    - run: pytest\n"
    write(
        tmp_path,
        {
            "test_a.py": TEST,
            "requirements.txt": "a\n",
            ".github/workflows/a.yml": job,
            ".github/workflows/b.yml": job,
            ".travis.yml": "install: pip install -r requirements.txt\nscript: pytest -v --cov\n",
        },
    )
    assert rules(tmp_path) == ["GitHub Actions"]


def test_a_chain_of_files_is_followed_to_its_end(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "test_a.py": TEST,
            ".travis.yml": "install: sh ci/install.sh\nscript: make check\n",
            "ci/install.sh": "#!/bin/sh\ncd ci\npip install -r all.txt\n",
            "ci/all.txt": "a\n",
            "Makefile": "check:\n\ttox -e py38\n",
            "tox.ini": "[testenv]\nskip_install = true\ncommands = python run_tests.py\n",
            "run_tests.py": "import pytest\npytest.main()\n",
        },
    )
    first = extract_recipes(tmp_path).candidates[0]
    assert first.install[0].provenance.location == "ci/install.sh:3"
    assert first.install[0].file == "ci/all.txt"
    assert first.test.runner == "pytest"
    assert first.test.provenance.location == "tox.ini:3"


def test_files_that_call_each_other_end(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "test_a.py": TEST,
            ".travis.yml": "script: make test\n",
            "Makefile": "test:\n" + "\ttox\n" * 50 + "\tsh a.sh\n",
            "a.sh": "make test\n" * 50 + "sh a.sh\n" * 50 + "pytest\n",
            "tox.ini": "[testenv]\ncommands =\n" + "    make test\n" * 50,
        },
    )
    extraction = extract_recipes(tmp_path)
    assert any("too deep" in one.reason or "too often" in one.reason for one in extraction.skipped)


def test_tools_around_the_tests_are_left_out_and_said(tmp_path: Path) -> None:
    text = "install: pip install -U pip codecov 'setuptools<60' mock\nscript: pytest\n"
    extraction = extract_recipes(write(tmp_path, {"test_a.py": TEST, ".travis.yml": text}))
    assert extraction.candidates[0].install[0].packages == ("setuptools<60", "mock")
    assert any(one.reason == "not needed by tests: pip, codecov" for one in extraction.skipped)


@pytest.mark.parametrize(
    "name", [".travis.yml", "tox.ini", "Makefile", "README.md", "noxfile.py", ".github/workflows/a.yml"]
)
def test_what_cannot_be_read_is_skipped(tmp_path: Path, name: str) -> None:
    tree = write(tmp_path / "tree", {"test_a.py": TEST, "setup.py": SETUP})
    outside = tmp_path / "secret"
    outside.write_text("pytest: secret\n")
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).symlink_to(outside)
    extraction = extract_recipes(tree)
    assert len(extraction.candidates) == 1
    assert "secret" not in as_json(extraction.candidates[0])
    (tree / name).unlink()
    os.mkfifo(tree / name)
    assert len(extract_recipes(tree).candidates) == 1
    (tree / name).unlink()
    (tree / name).write_bytes(b"pytest " * 200_000)
    assert len(extract_recipes(tree).candidates) == 1


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("pyproject.toml", "[project", "not TOML: "),
        ("pyproject.toml", "[project]\nname = 'a'\nx = " + "9" * 5000, "not TOML: "),
        ("Pipfile", "[packages", "not TOML: "),
        ("setup.cfg", "name = x", "not in INI format: "),
        ("setup.py", "print 'no'", "not Python 3 that can be parsed"),
    ],
)
def test_metadata_that_declare_nothing_because_they_are_broken_are_told(
    tmp_path: Path, name: str, text: str, why: str
) -> None:
    write(tmp_path, {"test_a.py": TEST, name: text})
    found = extract_recipes(tmp_path)
    assert found.candidates  # the tests are still there
    told = [one.reason for one in found.skipped if one.provenance.file == name]
    assert len(told) == 1
    assert told[0].startswith(why)


def doubling_groups(steps: int) -> str:
    lines = [f"g{n} = [{{include-group='g{n + 1}'}}, {{include-group='g{n + 1}'}}]" for n in range(steps)]
    return "\n".join(
        ["[dependency-groups]", "test = ['a', {include-group='g9'}, 'b']", *lines, f"g{steps}=['c']"]
    )


def test_groups_that_double_at_every_step_are_read_once_each(tmp_path: Path) -> None:
    declared = read_declared(write(tmp_path, {"pyproject.toml": doubling_groups(60)}))
    assert declared.groups[0][:2] == ("test", ("a", "c", "b"))
    assert declared.groups[1][:2] == ("g0", ("c",))
    assert not declared.unread


def test_thousands_of_groups_in_a_chain_are_given_up_and_told(tmp_path: Path) -> None:
    declared = read_declared(write(tmp_path, {"pyproject.toml": doubling_groups(3000)}))
    assert declared.groups[0][:2] == ("test", ("a", "c", "b"))
    assert declared.unread == (("pyproject.toml", "its dependency groups include each other too often"),)


def test_no_tests_no_recipe(tmp_path: Path) -> None:
    extraction = extract_recipes(write(tmp_path, {"a.py": "", ".travis.yml": "script: flake8\n"}))
    assert extraction.candidates == ()


NAMES = (
    *(".travis.yml", "tox.ini", "setup.cfg", "noxfile.py", "Makefile", "README.md", "CONTRIBUTING.rst"),
    *(".circleci/config.yml", ".gitlab-ci.yml", "azure-pipelines.yml", "environment.yml", "pyproject.toml"),
    *(".github/workflows/a.yml", "setup.py", "Pipfile", "requirements.txt"),
)
PIECES = st.sampled_from(
    [
        *(
            "jobs:\n",
            "  test:\n",
            "    steps:\n",
            "    - run: ",
            "script: ",
            "install: ",
            "- ",
            "pytest\n",
            "[testenv]\n",
        ),
        *(
            "commands = ",
            "deps = ",
            "pip install -r ",
            "requirements.txt\n",
            "test:\n\t",
            "tox\n",
            "make test\n",
            "&a ",
            "*a ",
        ),
        *(
            "${{ ",
            " }}",
            "$(",
            ")",
            "`",
            "'",
            '"',
            "{posargs}",
            "{[testenv]deps}",
            "import nox\n@nox.session\ndef t(s):\n s.run(",
            "if ",
        ),
        *(
            "; then ",
            "fi\n",
            "```\n",
            "$ ",
            "    ",
            "\n",
            "matrix:\n",
            "include:\n",
            "py{3,4}-x",
            "\\\n",
            "<<: ",
            "$(X)",
            "X = $(X)\n",
        ),
    ]
)


@pytest.mark.slow
@settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(
    st.dictionaries(
        st.sampled_from(NAMES),
        st.binary(max_size=60)
        | st.lists(PIECES | st.text(max_size=4), max_size=40).map(
            lambda p: "".join(p).encode("utf-8", "replace")
        ),
        max_size=4,
    )
)
def test_no_tree_makes_it_raise(tmp_path: Path, files: dict[str, bytes]) -> None:
    for name in NAMES:
        (tmp_path / name).unlink(missing_ok=True)
    write(tmp_path, {"test_a.py": TEST, **files})
    extraction = extract_recipes(tmp_path)
    assert extraction == extract_recipes(tmp_path)
    for recipe in extraction.candidates:
        assert read_recipe(as_json(recipe)) == recipe
        assert as_shell_script(recipe).startswith("#!/bin/sh\n")
        assert "FROM python:" in as_dockerfile(recipe)
        for step in recipe.install:
            assert not (step.file or "").startswith(("/", ".."))
