"""Statements that go into a block of their own."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import ReplaceUse
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import LeftAloneReason

OF_APP = ReplaceUse(
    target=".drop_all",
    template="{self}.drop_all({args})",
    context="{app}.app_context()",
    defaults={"app": "self.app"},
)
CREATE = ReplaceUse(target=".create_all", template="{self}.create_all({args})", context="{app}.app_context()")


def made(text: str):
    return rewrite_source(text, CREATE, lines=frozenset(range(1, 20)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("db.create_all(app=app)\n", "with app.app_context():\n    db.create_all()\n"),
        (
            "def f():\r\n\tdb.create_all(\r\n\t\tapp=make(),\r\n\t\tbind=b)  # all\r\n\tx = 1\r\n",
            "def f():\r\n\twith make().app_context():\r\n\t\tdb.create_all(bind=b)  # all\r\n\tx = 1\r\n",
        ),
        ("if x:\n  db.create_all(app=a)", "if x:\n  with a.app_context():\n      db.create_all()"),
    ],
)
def test_a_statement_goes_into_a_block(before: str, after: str) -> None:
    assert apply_edits(before, made(before).edits) == after


@pytest.mark.parametrize(
    "text",
    [
        "x = 1; db.create_all(app=app)\n",
        "db.create_all(app=app); x = 1\n",
        "if x: db.create_all(app=app)\n",
        "x = db.create_all(app=app)\n",
        "return db.create_all(app=app)\n",
        "print(db.create_all(app=app))\n",
        "while db.create_all(app=app):\n    pass\n",
        'db.create_all("""a\nb""", app=app)\n',
    ],
)
def test_what_has_no_lines_of_its_own_is_left_alone(text: str) -> None:
    result = made(text)
    assert result.edits == ()
    assert [one.reason for one in result.left] == [LeftAloneReason.ARGUMENTS]


def test_a_template_uses_what_its_block_binds() -> None:
    rewrite = ReplaceUse(
        target=".execute", template="{connection}.execute({args})", context="{self}.begin() as connection"
    )
    text = "import x\nif x:\n    engine.execute('a', 1)\n    rows = engine.execute('b')\n"
    edits = rewrite_source(text, rewrite, lines=frozenset({3, 5})).edits
    assert apply_edits(text, edits) == (
        "import x\nif x:\n    with engine.begin() as connection:\n        connection.execute('a', 1)\n"
        "    rows = engine.execute('b')\n"
    )


def test_what_holds_behind_the_block_is_assigned_or_returned_in_it() -> None:
    rewrite = ReplaceUse(
        target=".execute",
        template="{connection}.execute({args})",
        context="{self}.begin() as connection",
        begins=r"\w+\.insert\(|text\('INSERT",
    )
    text = (
        "added = engine.execute(t.insert(), 1)\n"
        "n = engine.execute(text('INSERT 1')).rowcount\nrows = e.execute(t)\n"
    )
    edits = rewrite_source(text, rewrite, lines=frozenset({1, 2, 3})).edits
    assert apply_edits(text, edits) == (
        "with engine.begin() as connection:\n    added = connection.execute(t.insert(), 1)\n"
        "with engine.begin() as connection:\n    n = connection.execute(text('INSERT 1')).rowcount\n"
        "rows = e.execute(t)\n"
    )
    returned = "def f():\n    return engine.execute(t.insert())\n"
    edits = rewrite_source(returned, rewrite, lines=frozenset({2})).edits
    assert "    with engine.begin() as connection:\n        return connection.execute(t" in apply_edits(
        returned, edits
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("row = e.execute(q).first()\n", "row = connection.execute(q).first()"),
        ("n = e.execute(q).rowcount\n", "n = connection.execute(q).rowcount"),
        ("d = {r.a: r.b for r in e.execute(q)}\n", "d = {r.a: r.b for r in connection.execute(q)}"),
        ("rows = [r for r in e.execute(q)]\n", "rows = [r for r in connection.execute(q)]"),
        ("rows = (r for r in e.execute(q))\n", ""),  # is read behind the block
        ("rows = [a for a in b if e.execute(q)]\n", ""),
        ("for row in e.execute(q).all():\n    pass\n", ""),
        ("rows = e.execute(q)\n", ""),
    ],
)
def test_what_is_taken_at_once_of_what_holds_in_the_block_alone(before: str, after: str) -> None:
    rewrite = ReplaceUse(
        target=".execute", template="{connection}.execute({args})", context="{self}.begin() as connection"
    )
    edits = rewrite_source(before, rewrite, lines=frozenset({1})).edits
    block = f"with e.begin() as connection:\n    {after}\n"
    assert apply_edits(before, edits) == (block if after else before)


def test_what_a_call_leaves_out_stands_as_it_is() -> None:
    text = "db.drop_all()\n"
    edits = rewrite_source(text, OF_APP, lines=frozenset({1})).edits
    assert apply_edits(text, edits) == "with self.app.app_context():\n    db.drop_all()\n"
