"""Defaults of dataclass fields that Python 3.11 refuses."""

from __future__ import annotations

import sys

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

SHOP = """\
from dataclasses import dataclass


@dataclass
class Price:
    amount: int = 0


@dataclass
class Item:
    name: str = ""
    price: Price = Price()
    reduced: Price = Price(amount=1)
"""


def mended(message: str, text: str, line: int) -> str:
    """The text with every proposal made."""
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="ValueError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=line),))
    evidence = evidence_of({"a.py": text})
    for proposal in RestructuringSource().propose(group, evidence):
        (edited,) = proposal.file_edits
        text = edited.text
    return text


def test_every_refused_default_of_the_class_is_made_anew() -> None:
    message = "mutable default <class 'shop.Price'> for field price is not allowed: use default_factory"
    assert mended(message, SHOP, 9) == SHOP.replace(
        "import dataclass\n", "import dataclass, field\n"
    ).replace("= Price()", "= field(default_factory=Price)").replace(
        "= Price(amount=1)", "= field(default_factory=lambda: Price(amount=1))"
    )


@pytest.mark.skipif(sys.version_info < (3, 11), reason="older Pythons take such defaults")
def test_the_interpreter_says_so_and_takes_what_is_made() -> None:
    with pytest.raises(ValueError, match="mutable default") as refused:
        exec(compile(SHOP, "shop", "exec", dont_inherit=True), {"__name__": __name__})
    text = mended(str(refused.value), SHOP, 9)
    exec(compile(text, "shop", "exec", dont_inherit=True), {"__name__": __name__})


def test_a_name_is_made_by_a_function_and_other_errors_propose_nothing() -> None:
    text = SHOP.replace("price: Price = Price()", "price: Price = FREE")
    message = "mutable default <class 'shop.Price'> for field price is not allowed: use default_factory"
    assert "price: Price = field(default_factory=lambda: FREE)" in mended(message, text, 9)
    assert mended("mutable default of another kind", SHOP, 9) == SHOP


def test_what_a_function_gives_is_made_anew_for_fields_of_the_same_type() -> None:
    text = (
        "import dataclasses\nimport numpy as np\n\n\n@dataclasses.dataclass\nclass Body:\n"
        "    mass: float = one()\n    place: np.ndarray = np.zeros(3)\n    turned: np.ndarray = np.eye(3)\n"
        "    moved: np.ndarray = dataclasses.field(default=np.ones(3))\n"
    )
    message = "mutable default <class 'numpy.ndarray'> for field place is not allowed: use default_factory"
    assert mended(message, text, 6) == text.replace(
        "= np.zeros(3)", "= dataclasses.field(default_factory=lambda: np.zeros(3))"
    ).replace("= np.eye(3)", "= dataclasses.field(default_factory=lambda: np.eye(3))").replace(
        "default=np.ones(3)", "default_factory=lambda: np.ones(3)"
    )


def test_a_file_that_this_python_cannot_read_is_left_alone() -> None:
    message = "mutable default <class 'shop.Price'> for field price is not allowed: use default_factory"
    assert mended(message, "print 'Python 2'\n" + SHOP, 10) == "print 'Python 2'\n" + SHOP


def test_the_default_that_a_field_is_given_is_made_anew() -> None:
    text = SHOP.replace("import dataclass\n", "import dataclass, field\n").replace(
        "= Price()", "= field(default=Price(), repr=False)"
    )
    message = "mutable default <class 'shop.Price'> for field price is not allowed: use default_factory"
    assert mended(message, text, 9) == text.replace("default=Price()", "default_factory=Price").replace(
        "= Price(amount=1)", "= field(default_factory=lambda: Price(amount=1))"
    )
