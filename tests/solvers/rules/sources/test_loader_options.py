"""Loader options of SQLAlchemy that are given texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.advice import SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.loader_options import loader_options

REFUSED = "Strings are not accepted for attribute names in loader options; please use others directly."
MODELS = """class Gig(Base):
    entries = relationship("Entry", backref="gig")


class Entry(Base):
    song = db.relationship(Song)
"""


def proposed(line: str, message: str = REFUSED) -> str | None:
    text = f"from models import Entry, Gig\n{line}\n"
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="sqlalchemy.exc.ArgumentError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=2),))
    evidence = FixEvidence(tree=Path(), uses=ProjectUses(), texts={"a.py": text, "models.py": MODELS})
    found = loader_options(group, evidence)
    return None if found is None else found.file_edits[0].text.splitlines()[1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            'x = s.query(Gig).options(joinedload("entries").joinedload("song")).all()',
            "x = s.query(Gig).options(joinedload(Gig.entries).joinedload(Entry.song)).all()",
        ),
        (
            "x = Gig.query.filter(a).options(db.joinedload('entries.song'), load_only('day', 'venue'))",
            (
                "x = Gig.query.filter(a).options(db.joinedload(Gig.entries).joinedload(Entry.song), "
                "load_only(Gig.day, Gig.venue))"
            ),
        ),
        (
            'x = s.query(m.Entry).options(subqueryload("song").defer("words"))',
            (
                "x = s.query(m.Entry).options(subqueryload(m.Entry.song)"
                ".defer(m.Entry.song.property.mapper.class_.words))"
            ),
        ),
    ],
)
def test_the_query_tells_whose_attribute_it_is(before: str, after: str) -> None:
    assert proposed(before) == after


@pytest.mark.parametrize(
    "line",
    [
        'x = joinedload("entries")',
        's.query(f(Gig)).options(joinedload("entries"))',
        "s.query(Gig).options(joinedload(Gig.entries))",
        's.query(Gig).options(other("entries"))',
        's.query(Gig).options(joinedload("entries") if',
    ],
)
def test_what_no_query_tells_stays(line: str) -> None:
    assert proposed(line) is None


def test_other_errors_propose_nothing() -> None:
    assert proposed('s.query(Gig).options(joinedload("entries"))', message="another") is None
