"""Small projects that break where no error names the line, mended end to end with real releases."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from backdate.checking.settings import Settings
from backdate.fixing.result import FixOutcome
from backdate.fixing.rounds import FixOptions
from backdate.session import Session
from backdate.timeline.instants import parse_instant

pytestmark = [pytest.mark.slow, pytest.mark.network]


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenProject:
    """A project of one module with one test file."""

    requires: tuple[str, ...] = ()
    since: str
    code: str
    tests: str
    becomes: tuple[str, ...]
    """Lines that the patch adds, and no others."""


PROJECTS = {
    "flask": BrokenProject(
        requires=("flask",),
        since="2022-06-01",
        code="""\
import json

from flask import Flask, jsonify


class Money:
    amount = "1.50"


class MoneyEncoder(json.JSONEncoder):
    def default(self, value):
        return value.amount


def create_app():
    app = Flask(__name__)
    app.json_encoder = MoneyEncoder
    app.add_url_rule("/price", "price", lambda: jsonify(price=Money()))
    return app
""",
        tests="""\
from project import create_app


def test_price():
    assert create_app().test_client().get("/price").get_json() == {"price": "1.50"}
""",
        becomes=("    app.json.default = MoneyEncoder().default",),
    ),
    "pydantic": BrokenProject(
        requires=("pydantic",),
        since="2022-06-01",
        code="""\
from typing import Optional

from pydantic import BaseModel


class Base(BaseModel):
    class Config:
        orm_mode = True


class Person(Base):
    name: str
    town: Optional[str]

    class Config:
        anystr_strip_whitespace = True
""",
        tests="""\
from project import Person


class Row:
    name = " a "
    town = "b"


def test_rows():
    assert Person.from_orm(Row()).name == "a"


def test_default():
    assert Person(name="a").town is None
""",
        becomes=(
            "        from_attributes = True",
            "    town: Optional[str] = None",
            "        str_strip_whitespace = True",
        ),
    ),
    "caught": BrokenProject(
        requires=("django",),
        since="2021-06-01",
        code="""\
from django.conf import settings
from django.utils import timezone

settings.configure(USE_TZ=True, TIME_ZONE="Europe/Berlin")


def answer():
    try:
        return {"status": 200, "zone": timezone.get_default_timezone().zone}
    except Exception:
        return {"status": 500}
""",
        tests="""\
from project import answer


def test_answer():
    assert answer()["status"] == 200


def test_zone():
    assert answer().get("zone") == "Europe/Berlin"
""",
        becomes=('        return {"status": 200, "zone": timezone.get_default_timezone().key}',),
    ),
    "enumeration": BrokenProject(
        since="2020-06-01",
        code="""\
from enum import Enum


class Colour(str, Enum):
    RED = "red"


def address(colour):
    return f"/paints/{colour}"
""",
        tests="""\
from project import Colour, address


def test_address():
    assert address(Colour.RED) == "/paints/red"
""",
        becomes=(
            "",
            "    def __format__(self, format_spec):",
            "        return format(self.value, format_spec)",
        ),
    ),
}


@pytest.mark.parametrize("name", PROJECTS)
def test_it_is_mended(name: str, tmp_path: Path, session_cache: Path, index_url: str) -> None:
    broken = PROJECTS[name]
    source = tmp_path / "source"
    (source / "tests").mkdir(parents=True)
    (source / "setup.py").write_text(
        "from setuptools import setup\n"
        "setup(name='project', version='1.0', py_modules=['project'], "
        f"install_requires={list(broken.requires)!r})\n"
    )
    (source / "project.py").write_text(broken.code)
    (source / "tests/test_project.py").write_text(broken.tests)
    with Session(Settings(cache=session_cache, index_url=index_url)) as session:
        fixed = session.fix(
            source,
            from_instant=parse_instant(broken.since),
            to_instant=parse_instant("2025-06-01"),
            move_python=True,
            options=FixOptions(),
        )
    assert fixed.result.outcome is FixOutcome.FIXED, fixed.result
    added = [line[1:] for line in fixed.result.patch.splitlines() if line[:1] == "+" and line[:3] != "+++"]
    assert sorted(added) == sorted(broken.becomes)
