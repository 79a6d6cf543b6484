"""A bisection that ends with an edit, in a small world: an index with a library that breaks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from small_world import project, running_index
from stored_results import make_check_result

from backdate.advice import SeenEdit
from backdate.bisection.progress import BisectionAdvanced
from backdate.bisection.result import BisectResult
from backdate.checking.question import Question
from backdate.checking.settings import Settings
from backdate.cli.render_bisection import bisection_lines
from backdate.errors import SandboxUnavailable, SourceError
from backdate.fixing import bisected
from backdate.fixing.bisected import seen_edit
from backdate.fixing.result import FixOutcome, FixResult
from backdate.output.advice_text import edit_in_words
from backdate.output.changed_lines import changed_lines
from backdate.output.next_steps import next_steps
from backdate.progress import NO_PROGRESS, Activity, Event, Reporter
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.session import Session
from backdate.timeline.instants import parse_instant

FROM, TO = parse_instant("2024-02-01"), parse_instant("2025-06-01")
OLD, NEW = "def shout(text):\n    return text.upper()\n", "def cry(text):\n    return text.upper()\n"
SAYS = """
import warnings


def shout(text):
    warnings.warn("shout is deprecated, use brittle.cry instead", DeprecationWarning, stacklevel=2)
    return cry(text)
"""
RELEASES = (
    ("pip", "23.0", "2023-01-01T00:00:00Z", ""),
    ("setuptools", "65.0", "2023-01-01T00:00:00Z", ""),
    ("brittle", "1.0", "2023-01-01T00:00:00Z", OLD),
    ("brittle", "1.5", "2024-05-01T00:00:00Z", NEW + SAYS),
    ("brittle", "2.0", "2024-09-01T00:00:00Z", NEW),
)
FURTHER = FixResult(
    backdate="1",
    check=make_check_result(),
    solver="rules",
    outcome=FixOutcome.NOT_FIXED,
    reason="with the patch tests get further, to another error",
    patch="p",
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Session]]:
    try:
        Bubblewrap().require()
    except SandboxUnavailable as error:
        pytest.skip(f"no bubblewrap: {error}")
    folder = tmp_path_factory.mktemp("bisected")
    source = folder / "loud"
    for name, text in project("loudly").items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with (
        running_index(RELEASES) as index,
        Session(Settings(cache=folder / "cache", index_url=index)) as session,
    ):
        yield source, session


def bisect(
    world: tuple[Path, Session], *, edit: bool = True, progress: Reporter = NO_PROGRESS
) -> BisectResult:
    source, session = world
    return session.bisect(
        source, question=Question.LIFTED, from_instant=FROM, to_instant=TO, edit=edit, progress=progress
    )


def test_what_was_seen_to_pass_is_advised_and_no_file_is_changed(world: tuple[Path, Session]) -> None:
    before = (world[0] / "loudly.py").read_bytes()
    result = bisect(world)
    edit = result.advice.edit
    assert edit is not None
    assert (edit.passing, edit.tests, edit.lost, edit.edits_tests, edit.requirements) == (1, 1, 0, False, ())
    said = [text for text, _ in changed_lines(edit.patch)]
    assert said[1:] == ["      -     return brittle.shout(text)", "      +     return brittle.cry(text)"]
    assert (world[0] / "loudly.py").read_bytes() == before
    text = "\n".join(line for line, _ in bisection_lines(result))
    assert "Edit: with these lines the test passes (seen on Python" in text
    assert next_steps(result)[-1].command.endswith("--apply")


def test_where_none_is_wanted_none_is_looked_for(world: tuple[Path, Session]) -> None:
    result = bisect(world, edit=False)
    assert result.advice.edit is None
    assert not result.edit_tried
    assert next_steps(result)[-1].what.endswith("where rules know one")


def test_an_edit_that_mends_nothing_is_none(
    world: tuple[Path, Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bisected, "fix_checked", lambda *_, **__: SimpleNamespace(result=FURTHER))
    result = bisect(world)
    assert result.advice.edit is None
    assert result.edit_tried
    assert not any("fix" in step.command for step in next_steps(result))


def test_what_was_found_holds_where_looking_for_an_edit_fails(
    world: tuple[Path, Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise SourceError("a file cannot be read")

    monkeypatch.setattr(bisected, "fix_checked", fails)
    result = bisect(world)
    assert result.findings[0].culprits
    assert not result.edit_tried
    assert "looking for an edit failed: a file cannot be read" in result.notes


def test_who_is_interrupted_meanwhile_has_all_but_the_edit(world: tuple[Path, Session]) -> None:
    class Impatient:
        known: BisectResult | None = None

        def report(self, event: Event) -> None:
            if isinstance(event, BisectionAdvanced):
                self.known = event.partial
            if isinstance(event, Activity) and event.text.startswith("looking for an edit"):
                raise KeyboardInterrupt

    impatient = Impatient()
    with pytest.raises(KeyboardInterrupt):
        bisect(world, progress=impatient)
    assert impatient.known is not None
    assert impatient.known.ending == "interrupted"
    assert impatient.known.findings[0].explanations is not None
    assert [one.replacement for one in impatient.known.advice.fixes] == ["brittle.cry"]


def test_of_a_build_no_tests_broke() -> None:
    edit = SeenEdit(patch="", passing=3, tests=0, on_python="3.12.1")
    assert edit_in_words(edit).startswith("with these lines it builds, and 3 tests pass (seen")
    checked = make_check_result()
    assert seen_edit(replace(FURTHER, passing=3, check=replace(checked, comparison=None))) == replace(
        edit, patch="p", on_python=checked.new.choice.interpreter.version
    )


def test_what_the_tests_were_given_besides_is_named() -> None:
    edit = seen_edit(replace(FURTHER, passing=1, given=("six",), missing=("six", "nose")))
    assert edit is not None
    assert edit.requirements == ("six",)
    assert edit_in_words(replace(edit, tests=2, lost=1)).startswith(
        "with six and these lines 1 of the 2 tests pass, and 1 test more without them (seen on Python"
    )
