"""Tests of verifying the Java rows of a data set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from backdate.snippets.dataset import SnippetDataset
from backdate.snippets.java.compiler import JavaState, JavaVerdict
from backdate.snippets.java.verify import java_snippets, verify_java
from backdate.snippets.snippet import Snippet, ValidityClass
from backdate.tasks.card import DatasetInfo
from backdate.timeline.instants import parse_instant
from tests.support.snippet_builders import make_java, make_snippet


class CompilerThatTells:
    """Every name is deprecated at 11 and gone at 17, but of one row."""

    def __init__(self, silent_about: str) -> None:
        self.silent_about = silent_about
        self.asked: list[str] = []

    def ask(self, snippets: Sequence[Snippet]) -> dict[str, tuple[JavaVerdict, ...]]:
        """Answers for all but one."""
        self.asked += [snippet.id for snippet in snippets]
        states = (("11", JavaState.DEPRECATED), ("17", JavaState.GONE))
        return {
            snippet.id: tuple(
                JavaVerdict(release=release, names={api.name: state for api in snippet.apis})
                for release, state in states
            )
            for snippet in snippets
            if snippet.id != self.silent_about
        }


def made(folder: Path) -> SnippetDataset:
    info = DatasetInfo(
        name="rows", description="", license="", created=parse_instant("2024-01-01"), made_by="a test"
    )
    return SnippetDataset.create(
        folder, [make_snippet(), make_java("java-1"), make_java("java-2"), make_java("java-3")], info
    )


def test_java_rows_get_what_the_compiler_says_and_others_stay(tmp_path: Path) -> None:
    dataset = made(tmp_path / "set")
    compiler = CompilerThatTells(silent_about="java-2")
    verify_java(dataset, compiler)  # type: ignore[arg-type]
    found = {
        one.id: one.validity and one.validity.found for one in SnippetDataset.open(dataset.folder).snippets
    }
    assert found == {
        "easy-1": None,
        "java-1": ValidityClass.CONFIRMED_STATICALLY,
        "java-2": ValidityClass.OTHER,
        "java-3": ValidityClass.CONFIRMED_STATICALLY,
    }
    assert compiler.asked == ["java-1", "java-2", "java-3"]


def test_only_the_rows_that_are_named_are_asked_about(tmp_path: Path) -> None:
    dataset = made(tmp_path / "set")
    compiler = CompilerThatTells(silent_about="")
    verified = verify_java(dataset, compiler, only=["java-3", "easy-1"])  # type: ignore[arg-type]
    assert compiler.asked == ["java-3"]
    assert [one.id for one in verified.snippets if one.validity is not None] == ["java-3"]
    assert not java_snippets(dataset, ["easy-1"])
