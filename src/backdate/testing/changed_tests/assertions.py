"""Assertions that say something else: of ``assert`` and of unittest's methods.

Each changed assertion carries the secret in its message, so that its failure can be told from any other.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from backdate.testing.changed_tests.kinds import ChangeKind

_OPPOSITES = {
    "assertEqual": "assertNotEqual",
    "assertTrue": "assertFalse",
    "assertIs": "assertIsNot",
    "assertIsNone": "assertIsNotNone",
    "assertIn": "assertNotIn",
    "assertIsInstance": "assertNotIsInstance",
    "assertAlmostEqual": "assertNotAlmostEqual",
    "assertGreater": "assertLessEqual",
    "assertLess": "assertGreaterEqual",
    "assertRegex": "assertNotRegex",
}
_OPPOSITE = {
    **_OPPOSITES,
    **{opposite: name for name, opposite in _OPPOSITES.items()},
    **dict.fromkeys(
        (
            "assertEquals",
            "assertListEqual",
            "assertDictEqual",
            "assertSetEqual",
            "assertTupleEqual",
            "assertSequenceEqual",
            "assertMultiLineEqual",
        ),
        "assertNotEqual",
    ),
    "assert_": "assertFalse",
    "failUnless": "assertFalse",
}
_ONE_OPERAND = frozenset(
    {"assertTrue", "assertFalse", "assertIsNone", "assertIsNotNone", "assert_", "failUnless"}
)
_EQUALITIES = frozenset(
    name for name, opposite in _OPPOSITE.items() if opposite == "assertNotEqual" and name.startswith("assert")
)
_Assertion = ast.Assert | ast.Expr


def is_assertion(statement: _Assertion) -> bool:
    """Whether it is an ``assert`` or a call of a unittest method that has an opposite."""
    return isinstance(statement, ast.Assert) or _method(statement) in _OPPOSITE


def changed_assertions(statement: _Assertion, secret: str) -> Iterator[tuple[ChangeKind, _Assertion]]:
    """The changes of one assertion, each a new statement; ``secret`` is a text of identifier characters."""
    if isinstance(statement, ast.Assert):
        yield from _of_assert(statement, secret)
    else:
        yield from _of_call(statement, secret)


def _of_assert(statement: ast.Assert, secret: str) -> Iterator[tuple[ChangeKind, ast.Assert]]:
    message = ast.Constant(secret)
    opposite = ast.UnaryOp(op=ast.Not(), operand=statement.test)
    yield ChangeKind.INVERTED, ast.Assert(test=opposite, msg=message)
    test = statement.test
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return
    for kind, left, right in _other_values(test.left, test.comparators[0], secret):
        other = ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])
        yield kind, ast.Assert(test=other, msg=message)


def _of_call(statement: ast.Expr, secret: str) -> Iterator[tuple[ChangeKind, ast.Expr]]:
    call, name = statement.value, _method(statement)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return
    needed = 1 if name in _ONE_OPERAND else 2
    given = call.args
    if len(given) < needed or any(isinstance(argument, ast.Starred) for argument in given):
        return
    if any(keyword.arg is None for keyword in call.keywords):
        return
    # The third positional argument is the message, but of these two it is the number of places.
    kept = given if "AlmostEqual" in name else given[:needed]
    keywords = [keyword for keyword in call.keywords if keyword.arg != "msg"]
    keywords.append(ast.keyword(arg="msg", value=ast.Constant(secret)))

    def calling(method: str, arguments: list[ast.expr]) -> ast.Expr:
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Attribute)
        function = ast.Attribute(value=call.func.value, attr=method, ctx=ast.Load())
        return ast.Expr(value=ast.Call(func=function, args=arguments, keywords=keywords))

    yield ChangeKind.INVERTED, calling(_OPPOSITE[name], list(kept))
    if name in _EQUALITIES:
        for kind, left, right in _other_values(given[0], given[1], secret):
            yield kind, calling("assertEqual", [left, right])


def _other_values(
    left: ast.expr, right: ast.expr, secret: str
) -> Iterator[tuple[ChangeKind, ast.expr, ast.expr]]:
    """The operands of an equality with another expected value: the literal one, else the right one."""
    expected_first = _other_literal(left, secret) is not None and _other_literal(right, secret) is None
    expected = left if expected_first else right
    wrapped = ast.Tuple(elts=[expected, ast.Constant(secret)], ctx=ast.Load())
    for kind, value in (
        (ChangeKind.LITERAL, _other_literal(expected, secret)),
        (ChangeKind.WRAPPED, wrapped),
    ):
        if value is not None:
            yield (kind, value, right) if expected_first else (kind, left, value)


def _other_literal(node: ast.expr, secret: str) -> ast.expr | None:
    """Another value of the same type; None for what is no literal, or one whose type has no other value."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        changed = copy.deepcopy(node)
        changed.elts.append(ast.Constant(secret))
        return changed
    if isinstance(node, ast.Dict):
        longer = copy.deepcopy(node)
        longer.keys.append(ast.Constant(secret))
        longer.values.append(ast.Constant(secret))
        return longer
    if not isinstance(node, ast.Constant):
        return None
    match node.value:
        case bool():
            return ast.Constant(not node.value)
        case str():
            return ast.Constant(node.value + secret)
        case bytes():
            return ast.Constant(node.value + secret.encode())
        case int() | float():
            length = ast.Call(
                func=ast.Name(id="len", ctx=ast.Load()), args=[ast.Constant(secret)], keywords=[]
            )
            return ast.BinOp(left=node, op=ast.Add(), right=length)
        case _:
            return None


def _method(statement: _Assertion) -> str:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return ""
    function = statement.value.func
    return function.attr if isinstance(function, ast.Attribute) else ""
