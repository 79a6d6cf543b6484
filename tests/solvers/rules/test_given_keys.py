"""Arguments that failing calls take from dictionaries, and that the project's functions hand on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from backdate.advice import SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.advising.uses import uses_in
from backdate.diagnosis.result import Cause, CauseKind
from backdate.rewriting.rewrite import ChangeArgument, ChangeKey, Rewrite
from backdate.solvers.rules.given_keys import for_dictionary
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin

TEXT = 'options = {"missing": 0}\nfield = kinds["a"](**options)\n'
RENAMED = ChangeArgument(function="lib.Field", argument="missing", new="load_default")


def proposed(
    text: str, *lines: int, rewrite: Rewrite = RENAMED, kind: CauseKind = CauseKind.UNEXPECTED_ARGUMENT
) -> Proposal | None:
    cause = Cause(
        kind=kind,
        type="TypeError",
        message="Field.__init__() got an unexpected keyword argument 'missing'",
        name="missing",
        owner="Field.__init__",
    )
    places = tuple(SourcePlace(file="own.py", line=line) for line in lines)
    group = FailureGroup(cause=cause, tests=("t",), places=places, raised_at=places[:1])
    evidence = FixEvidence(tree=Path("/"), uses=ProjectUses(files=()), texts={"own.py": text})
    proposal = Proposal(origin=ProposalOrigin.WRITTEN_RULE, rewrite=rewrite, places=places[:1])
    return for_dictionary(proposal, group, evidence)


def test_the_key_is_changed_on_all_lines_of_the_traceback() -> None:
    made = proposed(TEXT, 2, 1)
    assert made is not None
    assert made.rewrite == ChangeKey(argument="missing", new="load_default")
    assert [place.line for place in made.places] == [2, 1]


def test_what_it_was_may_stand_in_what_it_is_given() -> None:
    made = proposed(TEXT, 2, rewrite=replace(RENAMED, value="str({value})[:0] or '%dh' % {value}"))
    assert made is None  # a name that a file may have for something else
    made = proposed(TEXT, 2, rewrite=replace(RENAMED, value="'%dh' % {value}"))
    assert made is not None
    assert made.rewrite == ChangeKey(argument="missing", new="load_default", value="'%dh' % {value}")


@pytest.mark.parametrize(
    ("line", "is_written"), [("import lib", True), ("import lib as l", False), ("", False)]
)
def test_modules_that_the_file_has_may_stand_there_too(line: str, is_written: bool) -> None:
    made = proposed(f"{line}\n{TEXT}", 3, rewrite=replace(RENAMED, value="lib.Made({value})"))
    assert (made is not None) is is_written


def test_functions_that_hand_on_what_they_are_given_are_named() -> None:
    text = (
        "def make(**more):\n    return Field(**more)\n\n\n"
        "class Own(Field):\n    def __init__(self, **more):\n        super().__init__(**more)\n"
    )
    made = proposed(text, 2, 7)
    assert made is not None
    assert isinstance(made.rewrite, ChangeKey)
    assert made.rewrite.through == ("Own", "__init__", "make")


@pytest.mark.parametrize(
    ("text", "rewrite", "kind"),
    [
        (TEXT.replace("**", ""), RENAMED, CauseKind.UNEXPECTED_ARGUMENT),
        (TEXT, RENAMED, CauseKind.MISSING_ATTRIBUTE),
        (TEXT, ChangeArgument(function="lib.Field", argument="other"), CauseKind.UNEXPECTED_ARGUMENT),
        (
            TEXT,
            ChangeArgument(
                function="lib.Field", argument="missing", new="b", value="lib.as_default({value})"
            ),
            CauseKind.UNEXPECTED_ARGUMENT,
        ),
    ],
)
def test_whatever_else_stays_with_the_call(text: str, rewrite: Rewrite, kind: CauseKind) -> None:
    assert proposed(text, 2, rewrite=rewrite, kind=kind) is None


def test_a_value_that_is_refused_later_is_changed_where_the_object_is_made(tmp_path: Path) -> None:
    text = 'import lib\noptions = {"loss": "ls"}\nmodel = lib.Model(**options)\nmodel.fit()\n'
    (tmp_path / "own.py").write_text(text)
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="ValueError", message="'loss' must be one of a, b")
    place = SourcePlace(file="own.py", line=4)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = FixEvidence(
        tree=tmp_path,
        uses=uses_in(tmp_path),
        texts={"own.py": text},
        executed={"own.py": frozenset({1, 2, 3, 4})},
    )

    def adapted(value: str) -> Proposal | None:
        rewrite = ChangeArgument(
            function="lib.Model", argument="loss", new="loss", value=value, only_value="'ls'"
        )
        proposal = Proposal(origin=ProposalOrigin.WRITTEN_RULE, rewrite=rewrite, places=(place,))
        return for_dictionary(proposal, group, evidence)

    made = adapted("'squared_error'")
    assert made is not None
    assert made.rewrite == ChangeKey(argument="loss", new="loss", value="'squared_error'", only_value="'ls'")
    assert SourcePlace(file="own.py", line=3) in made.places
    assert adapted("other.SQUARED") is None


def test_a_table_has_the_class_and_what_another_line_hands_over(tmp_path: Path) -> None:
    text = (
        'import lib\nMODELS = {"a": (lib.Model, {"loss": "ls"})}\n'
        'made, options = MODELS["a"]\nmodel = made(**options)\nmodel.fit()\n'
    )
    (tmp_path / "own.py").write_text(text)
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="ValueError", message="'loss' must be one of a, b")
    place = SourcePlace(file="own.py", line=5)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = FixEvidence(
        tree=tmp_path,
        uses=uses_in(tmp_path),
        texts={"own.py": text},
        executed={"own.py": frozenset({1, 2, 3, 4, 5})},
    )
    rewrite = ChangeArgument(
        function="lib.Model", argument="loss", new="loss", value="'squared_error'", only_value="'ls'"
    )
    proposal = Proposal(origin=ProposalOrigin.WRITTEN_RULE, rewrite=rewrite, places=(place,))
    made = for_dictionary(proposal, group, evidence)
    assert made is not None
    assert made.places == (SourcePlace(file="own.py", line=4),)
