"""Methods that nose called before and after tests, named as pytest calls them."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.nose_setups import module_setups, nose_setups
from backdate.rewriting.rewrite import NameSetups
from backdate.rewriting.rewrite_source import rewrite_source

BEFORE = """\
class Base:
    def setup(self):
        self.x = 1

class TestIt(Base):
    def setup(self):
        super().setup()
        app.setup()
    def teardown(self):
        self.reset()
    def test_it(self):
        self.setup()
"""
AFTER = """\
class Base:
    def setup_method(self):
        self.x = 1

class TestIt(Base):
    def setup_method(self):
        super().setup_method()
        app.setup()
    def teardown_method(self):
        self.reset()
    def test_it(self):
        self.setup_method()
"""


def test_methods_and_what_calls_them_are_renamed() -> None:
    assert nose_setups(BEFORE) == (2, 6, 9)
    made = rewrite_source(BEFORE, NameSetups(), lines=frozenset(nose_setups(BEFORE)))
    assert apply_edits(BEFORE, made.edits) == AFTER
    assert nose_setups(AFTER) == ()


@pytest.mark.parametrize(
    "text",
    [
        "class TestIt(unittest.TestCase):\n    def setup(self): pass\n",
        "class TestIt:\n    def setup(self): pass\n    def setup_method(self, method): pass\n",
        "class Helper:\n    def setup(self): pass\n",
        "class TestIt:\n    @fixture\n    def setup(self): pass\n",
        "class TestIt:\n    def setup(self, app): pass\n",
        "def setup(): pass\n",
    ],
)
def test_what_pytest_calls_or_nobody_did_stays(text: str) -> None:
    assert nose_setups(text) == ()


def test_classes_that_are_tests_by_another_setting() -> None:
    assert nose_setups("class test_barrier:\n    def setup(self): pass\n") == (2,)
    assert nose_setups("class Barrier:\n    def setup(self): pass\n") == ()


def test_functions_of_the_module_are_renamed_with_their_uses() -> None:
    before = "def setup():\n    x.setup()\n\ndef teardown():\n    pass\n\ndef test_it():\n    setup()\n"
    after = before.replace("def setup", "def setup_module").replace("def teardown", "def teardown_module")
    assert module_setups(before) == (1, 4)
    made = rewrite_source(before, NameSetups(of_module=True), lines=frozenset({1, 4}))
    assert apply_edits(before, made.edits) == after.replace("    setup()", "    setup_module()")
    assert module_setups(after) == ()


@pytest.mark.parametrize(
    "text",
    [
        "def setup(): pass\ndef setup_module(): pass\n",
        "def setup(app): pass\n",
        "@fixture\ndef setup(): pass\n",
        "def setup(): pass\ndef test_it(setup): pass\n",
        "class TestIt:\n    def setup(self): pass\n",
    ],
)
def test_other_functions_of_the_module_stay(text: str) -> None:
    assert module_setups(text) == ()
