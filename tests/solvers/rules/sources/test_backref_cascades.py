"""Objects that SQLAlchemy added to a session along a backref."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.backref_cascades import backref_cascades

MODELS = """\
class Author(Base):
    recipes = relationship("Recipe", back_populates="author")
    name = Column(String)


class Recipe(Base):
    author = relationship("Author", back_populates="recipes")
    steps = db.relationship("models.Step", backref=db.backref("recipe", lazy=True))
"""


def edited(body: str, *, kind: CauseKind = CauseKind.ASSERTION, old: str = "1.3.12", kept: str = "") -> str:
    text = "def write(self, author):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    cause = Cause(kind=kind, type="AssertionError", message="0 != 1")
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="test_a.py", line=1),))
    evidence = evidence_of(
        {"a.py": text, "models.py": MODELS},
        executed={"a.py": frozenset(range(1, 20))},
        versions={"sqlalchemy": (old, "2.0.42")},
        kept_files=frozenset({kept}),
    )
    made = list(backref_cascades(group, evidence))
    if not made:
        return ""
    return "\n".join(line[4:] for line in made[0].file_edits[0].text.splitlines()[1:])


@pytest.mark.parametrize(
    ("body", "after"),
    [
        (
            "recipe = Recipe(title=1, author=author)\nself.session.flush()",
            "recipe = Recipe(title=1, author=author)\nself.session.add(recipe)\nself.session.flush()",
        ),
        (
            "step = models.Step(\n    recipe=first)  # of it\ndb.session.commit()",
            "step = models.Step(\n    recipe=first)  # of it\ndb.session.add(step)\ndb.session.commit()",
        ),
        (
            "recipe = Recipe(title=1)\nrecipe.author = author\ns.session.flush()",
            "recipe = Recipe(title=1)\nrecipe.author = author\ns.session.add(recipe)\ns.session.flush()",
        ),
        (
            "for title in all:\n    Recipe(title=title, author=me)\nself.session.flush()",
            "for title in all:\n    self.session.add(Recipe(title=title, author=me))\nself.session.flush()",
        ),
    ],
)
def test_they_are_added_where_they_are_made(body: str, after: str) -> None:
    assert edited(body) == after
    assert edited(after) == ""  # once is enough


@pytest.mark.parametrize(
    "body",
    [
        "recipe = Recipe(title=1, author=author)\nsession.add(recipe)\nsession.commit()",
        "recipe = Recipe(title=1, author=author)\nauthor.recipes.append(recipe)\nsession.commit()",
        "recipe = Recipe(title=1, author=author)\nreturn recipe",  # no session is at hand
        "recipe = Recipe(title=1, author=author)\nself.session.flush()\nother_session.commit()",
        "recipe = Recipe(title=1)\nsession.commit()",
        "recipe = Recipe(title=1)\nrecipe.title = author\nsession.commit()",
        "recipe = find(title=1)\nrecipe.author = author\nsession.commit()",
        "recipe.author = other.author = author\nsession.commit()",
        "author = Author(name=1)\nsession.commit()",
        "recipe = Recipe(author=author); session.commit()",
        "if x: recipe = Recipe(author=author)\nsession.commit()",
    ],
)
def test_all_else_stays(body: str) -> None:
    assert edited(body) == ""


def test_only_past_the_release_for_such_failures_and_where_it_may_be_edited() -> None:
    body = "recipe = Recipe(author=author)\nsession.commit()"
    assert edited(body)
    assert edited(body, kind=CauseKind.MISSING_MODULE) == ""
    assert edited(body, old="2.0.1") == ""
    assert edited(body, kept="a.py") == ""
