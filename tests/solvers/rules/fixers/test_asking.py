"""The tools themselves, run in the sandbox over a project that means harm; and what is said without them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from two_releases import with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.project_uses import ProjectUses
from backdate.diagnosis.result import CauseKind
from backdate.sandboxes.interface import Mount, Sandbox
from backdate.sandboxes.wrapped import WrappedSandbox
from backdate.solvers.rules.fixers.asking import AskedFixers
from backdate.solvers.rules.fixers.installed import FixerName, InstalledFixer, find_fixer
from backdate.solvers.rules.fixers.running import is_plain
from backdate.solvers.rules.fixers.ty import read_ty
from backdate.solvers.rules.foreseen import foreseen_groups
from backdate.solvers.rules.proposals import FixEvidence

OLD_NUMPY = "import numpy as np\nx = np.product([1])  # noqa\n"


@dataclass
class Counting(WrappedSandbox):
    inner: Sandbox
    runs: int = 0

    def run(self, command, workspace, *, log):
        self.runs += 1
        return self.inner.run(command, workspace, log=log)


def needs(name: FixerName) -> None:
    if find_fixer(name) is None:
        pytest.skip(f"{name} is not installed (the extra fixers)")


def test_ruff_reads_no_configuration_of_the_project(
    one_sandbox: Sandbox,
) -> None:
    needs(FixerName.RUFF)
    texts = {
        "build/a.py": OLD_NUMPY,
        "ruff.toml": 'lint.ignore = ["NPY"]\n',
        "pyproject.toml": '[tool.ruff]\nexclude = ["build"]\n',
    }
    fixers = AskedFixers(Counting(one_sandbox))
    findings = fixers.findings(texts, "3.12.1")
    assert {(one.file, one.first_line) for one in findings} == {("build/a.py", 2)}
    assert {one.edits[0].replacement for one in findings} == {"np.prod"}
    assert fixers.findings(texts, "3.12.1") == findings
    assert fixers.sandbox.runs == 1
    assert fixers.untold == ""


def test_ruff_reads_a_file_once_with_whatever_others_it_is_asked_of(one_sandbox: Sandbox) -> None:
    needs(FixerName.RUFF)
    fixers = AskedFixers(Counting(one_sandbox))
    found = fixers.findings({"a.py": OLD_NUMPY, "b.py": OLD_NUMPY}, "3.12.1")
    again = fixers.findings({"b.py": OLD_NUMPY, "a.py": OLD_NUMPY}, "3.12.1")
    assert set(again) == set(found)
    assert {one.file for one in again} == {"a.py", "b.py"}
    assert fixers.sandbox.runs == 1
    found = fixers.findings({"b.py": OLD_NUMPY, "a.py": "x = 1\n", "c.py": OLD_NUMPY}, "3.12.1")
    assert {one.file for one in found} == {"b.py", "c.py"}
    assert fixers.sandbox.runs == 2


def test_a_rewriter_of_whole_files_is_run_by_our_interpreter(one_sandbox: Sandbox) -> None:
    needs(FixerName.DJANGO_UPGRADE)
    text = "from django.utils.encoding import force_text\r\ny = force_text(1)\r\n"
    texts = {"app/-a.py": text, "b.py": "x = 1\n", "django_upgrade.py": "raise SystemExit('not this one')\n"}
    arguments = ("--exit-zero-even-if-changed", "--target-version", "4.2", "--", "/backdate/files/app/-a.py")
    fixers = AskedFixers(one_sandbox)
    after = fixers.rewritten(FixerName.DJANGO_UPGRADE, arguments, texts)
    assert after == {"app/-a.py": text.replace("force_text", "force_str")}


def test_what_one_environment_lacks_is_found_by_types(one_sandbox: Sandbox, tmp_path: Path) -> None:
    needs(FixerName.TY)
    box = "class Box:\n    def shout(self): ...\n    def cry(self): ...\n"
    old = f"{box}def make(size=1, colour=2) -> Box:\n    return Box()\n"
    new = old.replace("    def shout(self): ...\n", "").replace(", colour=2", "")
    sides = [
        with_library(tmp_path / version, "lib", version, {"lib.py": text})
        for version, text in (("1.0", old), ("2.0", new))
    ]
    uses = "lib.make().shout()\nlib.make(1).cry()\nlib.make(colour=3)\nlib.never\n"
    texts = {"a.py": f"import lib\nimport nowhere\n{uses}"}
    fixers = AskedFixers(Counting(one_sandbox))
    assert not fixers.lost(texts, *sides, lines={"a.py": frozenset({4})})
    assert fixers.sandbox.runs == 1  # with nothing to compare the old side is not asked
    lines = {"a.py": frozenset(range(1, 7))}
    found = fixers.lost(texts, *sides, lines=lines)
    assert [(one.line, one.kind, one.owner, one.name) for one in found] == [
        (3, CauseKind.MISSING_ATTRIBUTE, "Box", "shout"),
        (5, CauseKind.UNEXPECTED_ARGUMENT, found[1].owner, "colour"),
    ]
    assert fixers.lost(texts, *sides, lines=lines) == found
    assert fixers.sandbox.runs == 2
    assert fixers.untold == ""
    groups = foreseen_groups(
        FixEvidence(
            tree=tmp_path,
            uses=ProjectUses(),
            texts=texts,
            pair=EnvironmentPair(sandbox=one_sandbox, old=sides[0], new=sides[1]),
            executed={"a.py": frozenset({1, 3})},
            versions={"lib": ("1.0", "2.0")},
            fixers=fixers,
        )
    )
    assert [(group.cause.name, group.places) for group in groups] == [
        ("shout", (SourcePlace(file="a.py", line=3),))
    ]


@pytest.mark.parametrize("said", [b"", b"{}", b"[1]", b"[" * 100_000])
def test_what_is_no_list_of_findings_by_types_is_told(said: bytes) -> None:
    with pytest.raises(ValueError, match="no list of findings"):
        read_ty(said, {})


def test_what_is_not_installed_is_said_once(one_sandbox: Sandbox) -> None:
    fixers = AskedFixers(one_sandbox, find=lambda name: None)
    assert fixers.untold == ""
    for _ in range(2):
        assert fixers.findings({"a.py": OLD_NUMPY}, "3.12") == ()
    assert fixers.rewritten(FixerName.DJANGO_UPGRADE, (), {"a.py": ""}) == {}
    assert fixers.untold.startswith("not installed, so not asked: ruff, django-upgrade (")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 3", "ruff said nothing: its exit status was 3"),
        ("kill -9 $$", "ruff said nothing: it was ended"),
        ("echo nonsense", "ruff said nothing: its answer is no list of findings"),
    ],
)
def test_a_tool_that_fails_is_told(one_sandbox: Sandbox, tmp_path: Path, script: str, said: str) -> None:
    program = tmp_path / "ruff"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    mount = Mount(source=program, target="/backdate/fixers/ruff")
    fixer = InstalledFixer(name=FixerName.RUFF, version="0", argv=(mount.target,), mounts=(mount,))
    fixers = AskedFixers(one_sandbox, find=lambda name: fixer)
    assert fixers.findings({"a.py": OLD_NUMPY}, "3.12") == ()
    assert fixers.untold.startswith(said)


def test_only_paths_below_the_folder_are_written() -> None:
    names = ("a.py", "a/b.py", "../a.py", "a/../../b.py", "/etc/a.py", "")
    assert [name for name in names if is_plain(name)] == ["a.py", "a/b.py"]
