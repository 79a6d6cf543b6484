"""Functions that need another argument and that the failing lines call under another name."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.advice import SourcePlace
from backdate.advising.project_uses import NameUses, ProjectUses
from backdate.diagnosis.result import Cause, CauseKind
from backdate.rewriting.rewrite import AddArgument, ReplaceUse, Rewrite
from backdate.solvers.rules.function_values import for_values
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin

NEEDED = AddArgument(function="yaml.load", argument="Loader", value="yaml.FullLoader")
TEXT = "import yaml\nKINDS = {'yaml': yaml.load}\nNEVER = yaml.load\nvalue = KINDS['yaml']('1')\n"


def proposed(
    rewrite: Rewrite = NEEDED, name: str = "Loader", owner: str = "load", *, tests: tuple[str, ...] = ("t",)
) -> Proposal | None:
    cause = Cause(
        kind=CauseKind.ARGUMENT_COUNT,
        type="TypeError",
        message=f"{owner}() missing 1 required positional argument: '{name}'",
        name=name,
        owner=owner,
    )
    place = SourcePlace(file="own.py", line=4)
    group = FailureGroup(cause=cause, tests=tests, places=(place,), raised_at=(place,))
    uses = ProjectUses(files=("own.py",))
    taken = {SourcePlace(file="own.py", line=line): None for line in (2, 3)}
    uses.names["yaml.load"] = NameUses(places=taken)
    evidence = FixEvidence(
        tree=Path("/"), uses=uses, texts={"own.py": TEXT}, executed={"own.py": frozenset({1, 2, 4})}
    )
    proposal = Proposal(origin=ProposalOrigin.WRITTEN_RULE, rewrite=rewrite, places=(place,))
    return for_values(proposal, group, evidence)


def test_the_argument_is_given_where_lines_that_ran_take_the_function_as_a_value() -> None:
    made = proposed()
    assert made is not None
    template = "functools.partial(yaml.load, Loader=yaml.FullLoader)"
    assert made.rewrite == ReplaceUse(target="yaml.load", template=template, called=False)
    assert [place.line for place in made.places] == [4, 2]


def test_what_no_test_failed_with_stays_as_it_is() -> None:
    # Enum() takes names now: that is no reason to touch issubclass(kind, Enum)
    assert proposed(tests=()) is None


@pytest.mark.parametrize(
    ("rewrite", "name", "owner"),
    [
        (NEEDED, "stream", "load"),
        (NEEDED, "Loader", "dump"),
        (AddArgument(function=".load", argument="Loader", value="None"), "Loader", "load"),
        (AddArgument(function="json.load", argument="Loader", value="None"), "Loader", "load"),
        (ReplaceUse(target="yaml.load", template="yaml.safe_load({0})"), "Loader", "load"),
    ],
)
def test_whatever_else_stays_with_the_call(rewrite: Rewrite, name: str, owner: str) -> None:
    assert proposed(rewrite, name, owner) is None
