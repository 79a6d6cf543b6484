"""Names of attributes in queries of SQLAlchemy, which takes the attributes themselves."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

OPTION = "Strings are not accepted for attribute names in loader options; please use class-bound attributes."
MODELS = """class Gig(Base):
    entries = relationship("Entry", backref="gig")


class Entry(Base):
    song = db.relationship(Song)
"""
JOIN = "Join target, typically a FROM expression, or ORM relationship attribute expected, got 'orders'."


def mended(code: str, message: str = OPTION) -> str:
    """The body of a function with its last line mended; "" where nothing is proposed."""
    lines = code.splitlines()
    text = "def found(session):\n" + "".join(f"    {line}\n" for line in lines)
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="sqlalchemy.exc.ArgumentError", message=message)
    place = SourcePlace(file="a.py", line=len(lines) + 1)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = evidence_of({"a.py": f"{text}from models import Entry\n", "m.py": MODELS})
    made = [one for one in RestructuringSource().propose(group, evidence) if one.file_edits]
    return "\n".join(line[4:] for line in made[0].file_edits[0].text.splitlines()[1:-1]) if made else ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            'session.query(User).filter(a).options(joinedload("orders"), orm.defer("bio")).all()',
            "session.query(User).filter(a).options(joinedload(User.orders), orm.defer(User.bio)).all()",
        ),
        ('User.query.options(load_only("a", "b"))', "User.query.options(load_only(User.a, User.b))"),
        ('m.User.query.options(joinedload("a"))', "m.User.query.options(joinedload(m.User.a))"),
        (
            "query = self.session.query(self.model)\nquery.options(joinedload(name))",
            "query = self.session.query(self.model)\nquery.options(joinedload(getattr(self.model, name)))",
        ),
        (
            "session.query(User.id).options(joinedload(NAMES[0], name))",
            "session.query(User.id).options(joinedload(getattr(User, NAMES[0]), getattr(User, name)))",
        ),
        (
            'query = session.query(User.id)\nquery.options(joinedload("a"))',
            "query = session.query(User.id)\nquery.options(joinedload(User.a))",
        ),
        (
            'select(User).options(joinedload("a").defer("b"))',
            "select(User).options(joinedload(User.a).defer(User.a.property.mapper.class_.b))",
        ),
        (
            'Gig.query.options(db.joinedload("entries.song"), joinedload("entries").subqueryload("song"))',
            (
                "Gig.query.options(db.joinedload(Gig.entries).joinedload(Entry.song), "
                "joinedload(Gig.entries).subqueryload(Entry.song))"
            ),
        ),
        ("select(User).options(joinedload(User.a).joinedload('b'))", ""),  # of which nothing tells the class
        ('query.options(joinedload("a"))', ""),
        ('session.query(user).options(joinedload("a"))', ""),
        (
            'session.query(User).options(joinedload("a.b"))',
            "session.query(User).options(joinedload(User.a).joinedload(User.a.property.mapper.class_.b))",
        ),
    ],
)
def test_a_loaded_attribute_is_given_itself(before: str, after: str) -> None:
    assert mended(before) == after


def test_a_joined_one_as_well() -> None:
    assert (
        mended('session.query(User).join("orders").count()', JOIN)
        == "session.query(User).join(User.orders).count()"
    )


def test_one_whose_name_is_a_variable() -> None:
    query = "self.session.query(self.model).join(name).filter_by(**where)"
    assert mended(query, JOIN) == query.replace("(name)", "(getattr(self.model, name))")
    assert mended("session.query(User).join(Address)", JOIN) == ""


def test_another_error_is_left_alone() -> None:
    assert mended('session.query(User).join("orders")', "no such table: orders") == ""
