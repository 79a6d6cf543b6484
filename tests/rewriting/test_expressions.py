"""Expressions by their role, and other ones in their place."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.expressions import attributes_on, expressions_on
from backdate.rewriting.rewrite import ChangeWith, ExpressionRole, ReplaceExpression, Rewrite
from backdate.rewriting.rewrite_source import rewrite_source

LISTED = "list({self})"


def rewritten(text: str, rewrite: Rewrite, line: int = 1) -> str:
    return apply_edits(text, rewrite_source(text, rewrite, lines=frozenset({line})).edits)


@pytest.mark.parametrize(
    ("expression", "role", "template", "before", "after"),
    [
        ("g.nodes()", "subscripted", LISTED, "x = g.nodes()[0]\n", "x = list(g.nodes())[0]\n"),
        ("f( 1 )", "call", "await {self}", "x = f(1).a\n", "x = (await f(1)).a\n"),
        ("f(1)", "call", "await {self}", "x = f(1)\n", "x = await f(1)\n"),
        ("n / 2", "argument", "int({self})", "f(n/2, k=n / 2)\n", "f(int(n/2), k=int(n / 2))\n"),
        ("n / 2", "index", "int({self})", "x = a[:n / 2]\n", "x = a[:int(n / 2)]\n"),
        ("a['b']", "item", "{self}.b", "x = a['b']['c']\n", "x = a.b['c']\n"),
        ("map(f, a)", "argument", LISTED, "n = len(map(f, a))\n", "n = len(list(map(f, a)))\n"),
        ("n", "argument", LISTED, "f(m)\n", "f(m)\n"),
    ],
)
def test_an_expression_is_replaced_by_its_role(
    expression: str, role: str, template: str, before: str, after: str
) -> None:
    rewrite = ReplaceExpression(expression=expression, role=ExpressionRole(role), template=template)
    if "await" in template:
        before, after = (f"async def g():\n    {text}" for text in (before, after))
    assert rewritten(before, rewrite, len(before.splitlines())) == after


def test_a_with_statement_becomes_asynchronous_in_an_async_function_only() -> None:
    text = "async def f():\n    with a as b, c:\n        pass\ndef g():\n    with a:\n        pass\n"
    rewrite = ChangeWith(to_async=True)
    made = rewrite_source(text, rewrite, lines=frozenset({2, 5}))
    after = apply_edits(text, made.edits)
    assert after == text.replace("    with a as", "    async with a as")
    assert rewritten(after, ChangeWith(to_async=False), 2) == text


@pytest.mark.parametrize("written", ["(await self.lock)", "await self.lock"])
def test_a_lock_that_was_awaited_for_a_with_statement_is_entered_itself(written: str) -> None:
    text = f"async def f():\n    with {written}:\n        return 1\n"
    rewrite = ChangeWith(to_async=True, awaited=True)
    assert rewritten(text, rewrite, 2) == "async def f():\n    async with self.lock:\n        return 1\n"
    assert rewritten(text, ChangeWith(to_async=True), 2) == text.replace("    with", "    async with")


def test_what_stands_on_a_line_is_told_the_outer_first() -> None:
    text = "if f(a.b, c['d']):\n    g()\n"
    found = [(e.role, e.code, e.name) for e in expressions_on(text, frozenset({1}))]
    assert found == [
        (ExpressionRole.CALL, "f(a.b, c['d'])", ""),
        (ExpressionRole.CONDITION, "f(a.b, c['d'])", ""),
        (ExpressionRole.ARGUMENT, "a.b", ""),
        (ExpressionRole.ITEM, "c['d']", "d"),
        (ExpressionRole.ARGUMENT, "c['d']", ""),
        (ExpressionRole.SUBSCRIPTED, "c", ""),
        (ExpressionRole.INDEX, "'d'", ""),
    ]
    assert attributes_on(text, frozenset({1})) == ("b",)
    assert expressions_on("if (\n", frozenset({1})) == ()
