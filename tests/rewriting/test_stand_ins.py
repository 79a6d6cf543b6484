"""Functions of a file in the place of a library's: found, and given their parameters in its order."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import FollowSignature
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import LeftAloneReason
from backdate.rewriting.stand_ins import stand_ins

SOURCE = """\
from lib import templating

def silent(template, context, app):
    app.send(template)

class Case:
    def before(self):
        self.kept = templating.render
        templating.render = silent  # no output

    def after(self):
        templating.render = self.kept
"""
FOLLOW = FollowSignature(function="silent", parameters=("app", "template", "context"))


def test_an_assignment_to_a_library_s_name_is_found() -> None:
    (found,) = stand_ins(SOURCE)
    assert (found.library, found.function) == ("lib.templating.render", "silent")
    assert found.parameters == ("template", "context", "app")
    assert (found.defined, found.line) == (3, 9)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from lib import templating", "templating = object()"),  # not a library's
        ("def silent(template, context, app)", "def silent(template, context=None, app=None)"),
        ("def silent(template, context, app)", "def silent(*args)"),
        ("    app.send(template)", "    app.send(template)\nsilent = other"),
        ("templating.render = silent", "templating.render == silent"),
    ],
)
def test_what_is_no_plain_function_of_the_file_is_not(old: str, new: str) -> None:
    assert list(stand_ins(SOURCE.replace(old, new))) == []


def test_its_parameters_follow() -> None:
    made = rewrite_source(SOURCE, FOLLOW, lines=frozenset({3}))
    after = apply_edits(SOURCE, made.edits)
    assert after == SOURCE.replace("(template, context, app)", "(app, template, context)")
    assert rewrite_source(after, FOLLOW, lines=None).edits == ()
    assert rewrite_source(SOURCE, FOLLOW, lines=frozenset({9})).edits == ()


def test_what_the_file_calls_itself_or_needs_is_left_alone() -> None:
    called = rewrite_source(SOURCE + "silent(1, 2, 3)\n", FOLLOW, lines=None)
    less = rewrite_source(SOURCE, FollowSignature(function="silent", parameters=("template",)), lines=None)
    for made in (called, less):
        assert [left.reason for left in made.left] == [LeftAloneReason.ARGUMENTS]
