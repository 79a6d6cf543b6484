"""Decorated generators as ``async def``."""

from __future__ import annotations

import ast
import textwrap

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import DecoratedCoroutine
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import LeftAloneReason

COROUTINE = DecoratedCoroutine(decorator="asyncio.coroutine")


def rewritten(text: str, lines: frozenset[int] | None = None) -> str:
    return apply_edits(text, rewrite_source(text, COROUTINE, lines=lines).edits)


def test_a_decorated_generator_becomes_an_async_function() -> None:
    before = textwrap.dedent(
        """\
        import asyncio

        class Retry:
            @asyncio.coroutine
            @log
            def run(self, func):  # runs it
                yield from asyncio.sleep(1)
                result = yield from func()
                other = (yield from func()) + 1
                if result:
                    return (yield from self.run(func))
                return (
                    yield from self.run(func)
                )

            def plain(self):
                yield from range(3)
        """
    )
    after = textwrap.dedent(
        """\
        import asyncio

        class Retry:
            @log
            async def run(self, func):  # runs it
                await asyncio.sleep(1)
                result = await func()
                other = (await func()) + 1
                if result:
                    return await self.run(func)
                return (
                    await self.run(func)
                )

            def plain(self):
                yield from range(3)
        """
    )
    assert rewritten(before) == after
    ast.parse(after)
    assert rewritten(after) == after
    assert rewritten(before, frozenset({4})) == after
    assert rewritten(before, frozenset({7})) == before


def test_an_import_of_the_decorator_alone_goes_with_its_last_use() -> None:
    before = "from asyncio import coroutine, sleep\n\n@coroutine\ndef f():\n    yield from sleep(1)\n"
    assert rewritten(before) == "from asyncio import sleep\n\nasync def f():\n    await sleep(1)\n"
    two = f"{before}\n@coroutine\ndef g():\n    yield from f()\n"
    assert "coroutine" in rewritten(two, frozenset({3})).splitlines()[0]


def test_what_is_awaited_keeps_its_meaning() -> None:
    before = "import asyncio\n@asyncio.coroutine\ndef f():\n    x = yield from a or b\n    return x\n"
    assert "x = await (a or b)" in rewritten(before)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import asyncio\n@asyncio.coroutine\ndef f():\n    yield 1\n", LeftAloneReason.ARGUMENTS),
        ("import asyncio\n@asyncio.coroutine\ndef f():\n    yield\n", LeftAloneReason.ARGUMENTS),
        ("import asyncio\n@other.coroutine\ndef f():\n    yield from g()\n", LeftAloneReason.NOT_THERE),
        ("import asyncio\n# asyncio.coroutine\n", LeftAloneReason.IN_TEXT),
    ],
)
def test_what_is_no_coroutine_is_left_alone(text: str, reason: LeftAloneReason) -> None:
    made = rewrite_source(text, COROUTINE, lines=None)
    assert made.edits == ()
    assert {left.reason for left in made.left} & {reason}


def test_functions_within_are_functions_of_their_own() -> None:
    before = (
        "import asyncio\n@asyncio.coroutine\ndef f():\n    def g():\n        yield 1\n"
        "    yield from h(lambda: (yield))\n"
    )
    after = rewritten(before)
    assert "        yield 1" in after
    assert "    await h(lambda: (yield))" in after


def test_a_lock_that_is_taken_in_a_with_statement_is_waited_for() -> None:
    before = textwrap.dedent(
        """\
        import asyncio

        @asyncio.coroutine
        def run(lock):
            with (yield from lock):
                return 1
        """
    )
    after = textwrap.dedent(
        """\
        import asyncio

        async def run(lock):
            async with lock:
                return 1
        """
    )
    assert rewritten(before) == after
