"""Statements that SQLAlchemy committed by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.bisection.result import GivenWarning
from backdate.diagnosis.result import CauseKind
from backdate.solvers.rules.foreseen import foreseen_groups
from backdate.solvers.rules.proposals import FixEvidence
from backdate.solvers.rules.sources.restructuring import RestructuringSource
from backdate.testing.tracing import SeenObject

WARNING = (
    "The current statement is being autocommitted using implicit autocommit, which will be removed in "
    "SQLAlchemy 2.0. Use the .begin() method of Engine or Connection in order to use an explicit transaction."
)
STORE = """\
def put(self, row):
    if row:
        self.conn.execute(
            insert(row)
        )
    self.conn.close()


def count(conn):
    return conn.execute(delete()).rowcount
"""
MENDED = """\
def put(self, row):
    if row:
        self.conn.execute(
            insert(row)
        )
        self.conn.commit()
    self.conn.close()


def count(conn):
    result = conn.execute(delete()).rowcount
    conn.commit()
    return result
"""


def warned_of(
    text: str, old: str = "1.4.17", class_name: str = "sqlalchemy.engine.base.Connection"
) -> FixEvidence:
    seen = [
        SeenObject(file="a.py", line=line, expression=name, class_name=class_name)
        for line, name in ((3, "self.conn"), (10, "conn"))
    ]
    places = (SourcePlace(file="a.py", line=4), SourcePlace(file="a.py", line=10))
    return evidence_of(
        {"a.py": text},
        executed={"a.py": frozenset(range(1, 12))},
        warnings=(
            GivenWarning(category="RemovedIn20Warning", message=WARNING, places=places, names_it=False),
        ),
        versions={"sqlalchemy": (old, "2.0.1")},
        objects=tuple(seen),
    )


def test_each_is_committed_behind_it() -> None:
    evidence = warned_of(STORE)
    (group,) = foreseen_groups(evidence)
    assert (group.tests, group.cause.kind) == ((), CauseKind.OTHER_ERROR)
    (proposal,) = RestructuringSource().propose(group, evidence)
    assert [edit.text for edit in proposal.file_edits] == [MENDED]


@pytest.mark.parametrize(
    ("text", "old", "class_name"),
    [
        (STORE, "2.0.0", "sqlalchemy.engine.base.Connection"),
        (STORE, "1.4.17", "sqlalchemy.engine.base.Engine"),  # what has no connection is another failure
        ("conn.execute(\n", "1.4.17", "sqlalchemy.engine.base.Connection"),
    ],
)
def test_nothing_is_foreseen_of_anything_else(text: str, old: str, class_name: str) -> None:
    assert foreseen_groups(warned_of(text, old, class_name)) == ()


def test_what_is_committed_is_left_alone() -> None:
    evidence = warned_of(
        STORE.replace("    self.conn.close", "        self.conn.commit()\n    self.conn.close")
    )
    warned = replace(evidence.warnings[0], places=(SourcePlace(file="a.py", line=4),))
    assert foreseen_groups(replace(evidence, warnings=(warned,))) == ()


def test_before_there_was_a_warning_it_is_read_from_the_statement() -> None:
    evidence = warned_of(STORE, old="1.3.17")
    (group,) = foreseen_groups(replace(evidence, warnings=()))
    (proposal,) = RestructuringSource().propose(group, evidence)
    assert [edit.text for edit in proposal.file_edits] == [MENDED]


@pytest.mark.parametrize(
    ("line", "committed"),
    [
        ("conn.execute('  INSERT INTO a VALUES (1)')", True),
        ("conn.execute(text('delete from a'))", True),
        ("conn.execute(table.update().where(table.c.a == 1))", True),
        ("conn.execute(statement)", True),
        ("conn.execute('select 1')", False),
        ("conn.execute(select([table.c.updated]))", False),
    ],
)
def test_what_only_reads_is_not_committed(line: str, committed: bool) -> None:
    text = f"def put(conn):\n    statement = insert(1)\n    {line}\n"
    seen = SeenObject(file="a.py", line=3, expression="conn", class_name="sqlalchemy.engine.base.Connection")
    evidence = replace(warned_of(text, old="1.3.17"), objects=(seen,), warnings=())
    assert bool(foreseen_groups(evidence)) is committed


def test_what_a_transaction_commits_is_left_alone() -> None:
    text = "def put(engine):\n    with engine.begin() as conn:\n        conn.execute(insert(1))\n"
    seen = SeenObject(file="a.py", line=3, expression="conn", class_name="sqlalchemy.engine.base.Connection")
    assert foreseen_groups(replace(warned_of(text, old="1.3.17"), objects=(seen,), warnings=())) == ()
