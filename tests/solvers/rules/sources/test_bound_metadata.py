"""Engines that metadata of SQLAlchemy kept."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup, Proposal
from backdate.solvers.rules.sources.restructuring import RestructuringSource

REFUSED = "MetaData.__init__() got an unexpected keyword argument 'bind'"
MISSING = "create_all() missing 1 required positional argument: 'bind'"


def proposed(text: str, message: str = REFUSED, old: str = "1.4.17") -> list[Proposal]:
    cause = Cause(kind=CauseKind.UNEXPECTED_ARGUMENT, type="TypeError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=1),))
    evidence = evidence_of({"a.py": text}, versions={"sqlalchemy": (old, "2.0.1")})
    return [one for one in RestructuringSource().propose(group, evidence) if one.file_edits]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "meta = MetaData(bind=engine)\ntable = Table('t', meta, autoload=True)\nmeta.create_all()\n",
            "meta = MetaData()\ntable = Table('t', meta, autoload_with=engine)\nmeta.create_all(engine)\n",
            REFUSED,
        ),
        (
            "meta = MetaData(db.engine, schema='s')\nmeta.reflect(only=['t'])\n",
            "meta = MetaData(schema='s')\nmeta.reflect(db.engine, only=['t'])\n",
            "expected schema argument to be a string, got <class 'sqlalchemy.engine.base.Engine'>.",
        ),
        (
            "Base = declarative_base(cls=Own, bind=engine)\ndef make():\n    Base.metadata.create_all()\n",
            "Base = declarative_base(cls=Own)\ndef make():\n    Base.metadata.create_all(engine)\n",
            "declarative_base() got an unexpected keyword argument 'bind'",
        ),
        (
            "meta.bind = engine\nmeta.create_all()\nmeta.drop_all(engine)\n",
            "meta.bind = engine\nmeta.create_all(engine)\nmeta.drop_all(engine)\n",
            MISSING,
        ),
        (
            "def a(self):\n    self.m = MetaData(self.engine)\ndef b(self):\n    self.m.create_all()\n",
            "def a(self):\n    self.m = MetaData()\ndef b(self):\n    self.m.create_all(self.engine)\n",
            MISSING,
        ),
    ],
)
def test_what_uses_the_database_is_given_the_engine(before: str, after: str, message: str) -> None:
    (proposal,) = proposed(before, message)
    assert proposal.file_edits[0].text == after


@pytest.mark.parametrize(
    "text",
    [
        "meta = MetaData(bind=make_engine())\nmeta.create_all()\n",
        "def a(engine):\n    meta.bind = engine\ndef b():\n    meta.create_all()\n",
        "meta.create_all()\n",
        "meta = (\n",
    ],
)
def test_an_engine_that_cannot_be_named_there_is_not_written(text: str) -> None:
    assert proposed(text, MISSING) == []


def test_other_releases_and_errors_are_left_alone() -> None:
    text = "meta = MetaData(bind=engine)\n"
    assert proposed(text, old="2.0.0") == []
    assert proposed(text, "f() got an unexpected keyword argument 'bind'") == []
