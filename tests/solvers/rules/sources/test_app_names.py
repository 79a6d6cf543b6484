"""The configuration of a Django application gets the whole name of its package."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

CONFIG = """\
from django.apps import AppConfig


class OtherConfig(AppConfig):
    name = "other"


class ShopConfig(AppConfig):
    verbose_name = "the shop"
    name = {name}
"""


def proposed(message: str, file: str, text: str) -> list[str]:
    gone = message.startswith("No module named")
    kind = CauseKind.MISSING_MODULE if gone else CauseKind.OTHER_ERROR
    cause = Cause(kind=kind, type="Error", message=message, name=message.split("'")[1] if gone else "")
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="manage.py", line=1),))
    evidence = evidence_of({"manage.py": "x = 1\n", file: text})
    found = RestructuringSource().propose(group, evidence)
    return [edit.text for one in found for edit in one.file_edits]


MESSAGE = "Cannot import 'shop'. Check that 'site.shop.apps.ShopConfig.name' is correct."


GONE = "No module named 'shop'"


@pytest.mark.parametrize("message", [MESSAGE, GONE])
@pytest.mark.parametrize("file", ["site/shop/apps.py", "src/site/shop/apps.py"])
def test_the_last_part_of_a_name_becomes_the_whole(message: str, file: str) -> None:
    assert proposed(message, file, CONFIG.format(name="'shop'")) == [CONFIG.format(name="'site.shop'")]


@pytest.mark.parametrize(
    ("message", "file", "name"),
    [
        (MESSAGE, "site/other/apps.py", "'shop'"),
        (MESSAGE, "site/shop/apps.py", "SHOP"),
        (GONE, "shop/apps.py", "'shop'"),
        (GONE, "site/shop/models.py", "'shop'"),
        (MESSAGE, "site/shop/apps.py", "'stall'"),
        (MESSAGE.replace("'shop'", "'stall'"), "site/shop/apps.py", "'stall'"),
        ("Cannot import 'shop'.", "site/shop/apps.py", "'shop'"),
    ],
)
def test_what_is_not_that_is_left_alone(message: str, file: str, name: str) -> None:
    assert proposed(message, file, CONFIG.format(name=name)) == []
