"""Tests of asking the JDK's compiler, and of what its answers confirm."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from backdate.errors import MachineError
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import Command, RunStatus, Workspace
from backdate.snippets.java.compiler import JavaCompiler, JavaState, open_java
from backdate.snippets.java.validity import java_validity
from backdate.snippets.snippet import ApiChange, ValidityClass
from tests.support.snippet_builders import make_java, make_snippet

ANSWERS = """\
name\t0.java\t11\tjava.applet.Applet\tdeprecated
diagnostic\t0.java\t11\tcompiler.warn.has.been.deprecated\t3\tApplet in java.applet has been deprecated
name\t0.java\t17\tjava.applet.Applet\tfor-removal
name\t0.java\t17\tjava.applet.Applet\tinvented
what a stranger's text may look like
diagnostic\t0.java\t17\tcode\tno number\tmessage
"""


@dataclass
class WrittenAnswers:
    """A sandbox in which the compiler has written something."""

    text: str
    name: str = "docker"
    status: RunStatus = RunStatus.EXITED
    exit_code: int = 0
    seen: list[str] = field(default_factory=list)

    def run(self, command: Command, workspace: Workspace, *, log: Path) -> object:
        """Write it."""
        places = {mount.target: mount.source for mount in workspace.mounts}
        if "/backdate/java/answers.tsv" in places:
            places["/backdate/java/answers.tsv"].write_text(self.text)
            rows = places["/backdate/java/rows"]
            self.seen = [(rows / "rows.tsv").read_text(), *(p.name for p in sorted(rows.glob("*.java")))]
        log.write_text(self.text)
        return SimpleNamespace(status=self.status, exit_code=self.exit_code)


def test_answers_are_read_as_text_of_a_stranger() -> None:
    sandbox = WrittenAnswers(ANSWERS)
    verdicts = JavaCompiler(sandbox).ask([make_snippet(), make_java()])["java-1"]  # type: ignore[arg-type]
    assert [verdict.names for verdict in verdicts] == [
        {"java.applet.Applet": JavaState.DEPRECATED},
        {"java.applet.Applet": JavaState.FOR_REMOVAL},
    ]
    assert verdicts[0].warns_of("java.applet.Applet")
    assert not verdicts[1].diagnostics
    assert sandbox.seen == ["0.java\tOld\tjava.applet.Applet\n", "0.java"]


def test_a_name_that_is_no_name_reaches_neither_file_nor_row() -> None:
    sandbox = WrittenAnswers("")
    hostile = replace(
        make_java(), entry="../../x", apis=(ApiChange(name="a.b\t../c", spelled=""), *make_java().apis)
    )
    JavaCompiler(sandbox).ask([hostile])  # type: ignore[arg-type]
    assert sandbox.seen == ["0.java\tRow0\tjava.applet.Applet\n", "0.java"]


def test_a_compiler_that_was_ended_is_no_confirmation() -> None:
    sandbox = WrittenAnswers("", status=RunStatus.TIMEOUT)
    verdicts = JavaCompiler(sandbox).ask([make_java()])["java-1"]  # type: ignore[arg-type]
    assert all(verdict.trouble for verdict in verdicts)
    assert java_validity(make_java(), verdicts).found is ValidityClass.OTHER


def test_a_jdk_that_does_not_know_a_release_is_named() -> None:
    with pytest.raises(MachineError, match="no release 17"):
        JavaCompiler(WrittenAnswers("release\t17\tunknown\n")).ask([make_java()])  # type: ignore[arg-type]


def test_a_machine_without_a_jdk_says_what_to_install() -> None:
    resources = SimpleNamespace(sandbox=WrittenAnswers("", exit_code=127))
    with pytest.raises(MachineError, match="default-jdk-headless"):
        open_java(resources, apt=False)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("at_11", "at_17", "found"),
    [
        ("for-removal", "gone", ValidityClass.CONFIRMED_STATICALLY),
        ("present", "gone", ValidityClass.CONFIRMED_STATICALLY),
        ("deprecated", "deprecated", ValidityClass.CONFIRMED_STATICALLY),
        ("present", "present", ValidityClass.NONE_SEEN),
        ("gone", "gone", ValidityClass.NONE_SEEN),
    ],
)
def test_a_name_has_to_be_there_and_to_go(at_11: str, at_17: str, found: ValidityClass) -> None:
    lines = [f"name\t0.java\t{r}\tjava.applet.Applet\t{s}\n" for r, s in (("11", at_11), ("17", at_17))]
    verdicts = JavaCompiler(WrittenAnswers("".join(lines))).ask([make_java()])["java-1"]  # type: ignore[arg-type]
    assert java_validity(make_java(), verdicts).found is found


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("javac") is None, reason="this machine has no JDK")
def test_the_real_compiler_tells_what_is_deprecated_and_what_is_gone() -> None:
    code = "import java.lang.Compiler;\n\npublic class Old extends Compiler {\n}\n"
    broken = replace(make_java("java-2"), code="class {{{ \x00")
    gone = replace(make_java("java-3"), apis=(ApiChange(name="com.sun.javadoc.Doc", spelled=""),), code=code)
    verdicts = JavaCompiler(Bubblewrap()).ask([make_java(), broken, gone])
    assert verdicts["java-1"][1].names == {"java.applet.Applet": JavaState.FOR_REMOVAL}
    assert verdicts["java-1"][0].warns_of("java.applet.Applet")
    assert [verdict.names["com.sun.javadoc.Doc"] for verdict in verdicts["java-3"]] == [
        JavaState.FOR_REMOVAL,
        JavaState.GONE,
    ]
    assert any(each.code.startswith("compiler.err") for each in verdicts["java-2"][0].diagnostics)
