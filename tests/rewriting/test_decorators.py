"""Decorators that are left out."""

from __future__ import annotations

import textwrap

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import DropDecorator
from backdate.rewriting.rewrite_source import rewrite_source

DROP = DropDecorator(decorator="tornado.web.asynchronous")


def rewritten(text: str, lines: frozenset[int] | None = None) -> str:
    text = textwrap.dedent(text)
    return apply_edits(text, rewrite_source(text, DROP, lines=lines).edits)


def test_a_decorator_goes_with_its_line() -> None:
    before = """\
        import tornado.web
        import tornado.gen

        class Main(tornado.web.RequestHandler):
            @tornado.web.asynchronous  # no finish
            @tornado.gen.coroutine
            def get(self):
                yield self.work()
        """
    assert "asynchronous" not in rewritten(before)
    assert "    @tornado.gen.coroutine\n    def get" in rewritten(before)


def test_of_an_import_that_fails_all_uses_go_with_it() -> None:
    before = """\
        from tornado.web import RequestHandler, asynchronous as async_

        class Main(RequestHandler):
            @async_
            def get(self):
                pass
        """
    after = textwrap.dedent(
        """\
        from tornado.web import RequestHandler

        class Main(RequestHandler):
            def get(self):
                pass
        """
    )
    assert rewritten(before, frozenset({1})) == after


def test_another_use_keeps_the_import() -> None:
    before = "from tornado.web import asynchronous\nwrapped = asynchronous(work)\n"
    assert rewritten(before) == before


def test_a_class_loses_its_decorator() -> None:
    text = "import lib\n\n@lib.old\nclass Item:\n    pass\n"
    made = rewrite_source(text, DropDecorator(decorator="lib.old"), lines=None)
    assert "@" not in apply_edits(text, made.edits)


def test_other_lines_stay() -> None:
    text = "import tornado.web\n\n@tornado.web.asynchronous\ndef get(self):\n    pass\n"
    assert rewritten(text, frozenset({5})) == text
