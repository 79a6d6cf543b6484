"""Settings of an application's JSON that Flask does not read any more."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.solvers.rules.foreseen import foreseen_groups
from backdate.solvers.rules.sources.restructuring import RestructuringSource
from backdate.testing.tracing import SeenObject


def mended(statement: str, old: str = "2.0.1", class_name: str = "flask.app.Flask") -> str:
    """The statement, in a function, mended; "" where nothing is foreseen."""
    text = f"def make(app):\n    {statement}\n    return app\n"
    evidence = evidence_of(
        {"a.py": text},
        executed={"a.py": frozenset(range(1, text.count("\n") + 1))},
        versions={"flask": (old, "3.1.0")},
        objects=(SeenObject(file="a.py", line=2, expression="app", class_name=class_name),),
    )
    groups = foreseen_groups(evidence)
    made = [one for group in groups for one in RestructuringSource().propose(group, evidence)]
    after = made[0].file_edits[0].text if made else ""
    return after.removeprefix("def make(app):\n    ").removesuffix("\n    return app\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('app.config["JSON_SORT_KEYS"] = False', "app.json.sort_keys = False"),
        ('app.config["JSON_AS_ASCII"] = a or b  # é', "app.json.ensure_ascii = (a or b)  # é"),
        ('app.config["JSONIFY_PRETTYPRINT_REGULAR"] = True', "app.json.compact = False"),
        (
            "app.config.update(JSON_SORT_KEYS=False, DEBUG=True, JSON_AS_ASCII=off(), JSONIFY_MIMETYPE=a)",
            """app.json.sort_keys = False
    app.json.ensure_ascii = off()
    app.json.mimetype = a
    app.config.update(DEBUG=True)""",
        ),
        ("app.config.from_mapping(\n        JSON_AS_ASCII=False,\n    )", "app.json.ensure_ascii = False"),
    ],
)
def test_a_setting_becomes_an_attribute_of_the_provider(before: str, after: str) -> None:
    assert mended(before) == after


@pytest.mark.parametrize(
    "statement",
    ['app.config["DEBUG"] = True', 'app.settings["JSON_SORT_KEYS"] = False', 'print("JSON_SORT_KEYS")'],
)
def test_other_settings_are_left_alone(statement: str) -> None:
    assert mended(statement) == ""


def test_so_is_what_the_old_release_did_not_read_and_what_is_no_application() -> None:
    statement = 'app.config["JSON_SORT_KEYS"] = False'
    assert mended(statement, old="2.3.0") == ""
    assert mended(statement, class_name="sanic.app.Sanic") == ""
