"""Which addresses requirement files and metadata name."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.environments.environment import Interpreter, InterpreterChoice
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.references.stated import MOST_REFERENCES, stated_by, stated_in_metadata
from backdate.environments.references.types import (
    ArchiveReference,
    GitReference,
    ReferencePolicy,
    parse_git,
)
from backdate.recipes.recipe import InstallStep, Provenance
from backdate.sandboxes.gateway_upstream import UpstreamEndpoint
from backdate.timeline.instants import parse_instant

RULE = Provenance(rule="a test")
THING = GitReference(url="https://github.com/o/thing.git")


def request_of(tree: Path, *steps: InstallStep) -> EnvironmentRequest:
    interpreter = Interpreter(version="3.11.1", executable=tree, prefix=tree, source="path")
    return EnvironmentRequest(
        name="project",
        tree=tree,
        digest="0" * 64,
        steps=steps,
        choice=InterpreterChoice(wanted="3.11.1", reason="a test", interpreter=interpreter),
        instant=parse_instant("2024-01-01"),
    )


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("git+https://github.com/o/thing.git", THING),
        ("git+https://github.com/o/thing.git@v1.0#egg=thing", GitReference(url=THING.url, revision="v1.0")),
        (
            "git+https://github.com/o/thing.git@release/2#egg=thing&subdirectory=a",
            GitReference(url=THING.url, revision="release/2"),
        ),
        (
            "git+ssh://git@github.com/o/thing.git@abc",
            GitReference(url="ssh://git@github.com/o/thing.git", revision="abc"),
        ),
        ("git+https://github.com/o/thing.git@--upload-pack=x", None),
        ("git+https://github.com/o/thing.git@a..b", None),
        ("git+https:///o/thing.git", None),
        ("git+https://github.com/", None),
        ("git+https://github.com:x/o/thing", None),
    ],
)
def test_a_repository_is_parsed(text: str, reference: GitReference | None) -> None:
    assert parse_git(text) == reference


def test_public_hosts_are_asked_by_https_without_a_name() -> None:
    assert GitReference(url="ssh://git@github.com/o/thing.git").fetched_from == THING.url
    assert GitReference(url="git://github.com:9418/o/thing.git").fetched_from == THING.url
    assert GitReference(url="https://me:token@git.example/thing").fetched_from == "https://git.example/thing"


def test_requirement_files_are_followed(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "all.txt").write_text(
        "-r more.txt\n-r all.txt\n-e git+https://github.com/o/thing.git#egg=thing  # a comment\n"
        "# git+https://github.com/o/not.git\n"
        "https://host.example/files/other-1.0.tar.gz#egg=other ; python_version > '3'\n"
        "named[extra] @ https://host.example/named-1-py3-none-any.whl#sha256=00\n"
        "--find-links https://host.example/links/a.zip\n"
    )
    (tmp_path / "requirements" / "more.txt").write_text(
        "x @ git+https://github.com/o/x@\\\nmain ; a\n-r ../../out.txt\n"
    )
    step = InstallStep(kind="requirements", file="requirements/all.txt", provenance=RULE)
    stated = stated_by(request_of(tmp_path, step))
    assert set(stated.repositories) == {THING, GitReference(url="https://github.com/o/x", revision="main")}
    assert set(stated.archives) == {
        ArchiveReference(url="https://host.example/files/other-1.0.tar.gz", name="other"),
        ArchiveReference(url="https://host.example/named-1-py3-none-any.whl", name="named"),
    }


def test_packages_that_are_written_out_are_read() -> None:
    step = InstallStep(
        kind="packages", packages=("thing @ git+https://github.com/o/thing.git",), provenance=RULE
    )
    assert stated_by(request_of(Path("/nowhere"), step)).repositories == (THING,)


def test_metadata_are_read_in_every_form() -> None:
    pyproject = """
[project]
dependencies = ["a @ git+https://github.com/o/a@1 ; python_version > '3'", "w @ https://h.example/w-1.zip"]
[project.urls]
Homepage = "https://h.example/home.zip"
[tool.poetry.dependencies]
b = {git = "https://github.com/o/b.git", tag = "2"}
c = {url = "https://h.example/c-1.tar.gz"}
[tool.uv.sources]
d = {git = "https://github.com/o/d"}
"""
    stated = stated_in_metadata(
        {
            "pyproject.toml": pyproject,
            "setup.py": "setup(install_requires=['e @ git+https://github.com/o/e@main'], url='https://h.example/x.zip')",
            "setup.cfg": "[options]\ninstall_requires =\n  f @ git+https://github.com/o/f\n",
            "requirements.txt": "git+https://github.com/o/g\n",
            "README": "git+https://github.com/o/h",
        }
    )
    assert {one.url.rpartition("/")[2] for one in stated.repositories} == {"a", "b.git", "d", "e", "f", "g"}
    assert {(one.name, one.filename) for one in stated.archives} == {("w", "w-1.zip"), ("c", "c-1.tar.gz")}


def test_there_is_a_limit() -> None:
    text = "\n".join(f"git+https://github.com/o/{number}" for number in range(10 * MOST_REFERENCES))
    assert len(stated_in_metadata({"requirements.txt": text}).repositories) == MOST_REFERENCES


def test_a_set_up_script_and_its_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "set-up.sh").write_text("pip install 'git+https://github.com/o/a' -r \"dev.txt\"\n")
    (tmp_path / "dev.txt").write_text("git+https://github.com/o/b\n")
    found = stated_by(request_of(tmp_path), "set-up.sh").repositories
    assert {one.url.rpartition("/")[2] for one in found} == {"a", "b"}


@pytest.mark.parametrize(
    "address",
    [
        "http://github.com.example/x",
        "file:///etc",
        "ext::sh",
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "https://localhost/x",
        "https://169.254.169.254/latest",
    ],
)
def test_what_is_not_on_the_internet_is_refused(address: str) -> None:
    assert address in ReferencePolicy().refusal(address)


def test_what_a_policy_names_is_asked() -> None:
    policy = ReferencePolicy(schemes=("http",), endpoints=(UpstreamEndpoint("127.0.0.1", 8080),))
    assert policy.refusal("http://127.0.0.1:8080/x") == ""
    assert policy.refusal("http://127.0.0.1:8081/x") != ""
    assert ReferencePolicy().refusal("https://git.example/x") == ""
