"""A class in the place of another, and its members with it."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import ReplaceClass
from backdate.rewriting.rewrite_source import rewrite_source

REQUIREMENT = ReplaceClass(
    old="pkg.Requirement",
    new="packaging.requirements.Requirement",
    members=(
        ("specs", "[(spec.operator, spec.version) for spec in {self}.specifier]"),
        ("project_name", "{self}.name"),
        ("parse", "{self}({0})"),
    ),
)
LISTED = """\
def f(line):
    req = Requirement(line)
    # which
    return [(spec.operator, spec.version) for spec in req.specifier]
"""
HEAD = "from pkg import Requirement\n"
NEW_HEAD = "from packaging.requirements import Requirement\n"


def rewritten(text: str, *lines: int) -> str:
    return apply_edits(text, rewrite_source(text, REQUIREMENT, lines=frozenset(lines) or None).edits)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("req = Requirement.parse(line)\n", "req = Requirement(line)\n"),
        ("name = Requirement.parse(line).project_name\n", "name = Requirement(line).name\n"),
        (
            "def f(line):\n    req = Requirement.parse(line)\n    # which\n    return req.specs\n",
            LISTED,
        ),
        (
            "req = Requirement.parse(line)\nother.specs\n",
            "req = Requirement(line)\nother.specs\n",
        ),
        (  # a variable that has something else as well
            "req = Requirement.parse(a)\nreq = find()\nreq.specs\n",
            "req = Requirement(a)\nreq = find()\nreq.specs\n",
        ),
    ],
)
def test_members_go_with_the_class_wherever_they_are_used(before: str, after: str) -> None:
    assert rewritten(HEAD + before, 1) == NEW_HEAD + after


def test_nothing_changes_where_the_class_is_not_asked_about() -> None:
    text = HEAD + "req = Requirement.parse(line)\n"
    assert rewritten("import pkg\n" + text, 1) == "import pkg\n" + text
    assert rewritten("from other import Requirement\nRequirement.parse(x)\n").startswith("from other")
