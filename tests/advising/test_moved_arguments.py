"""An argument that another method of the class takes now."""

from __future__ import annotations

from pathlib import Path

import pytest
from two_releases import with_library

from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.moved_arguments import taken_by
from backdate.sandboxes.interface import Sandbox

OLD = """
class Document:
    def __init__(self, version=None, title=None, size=1):
        pass

    def write(self, output):
        pass

    def scale(self, size):
        pass

    def save(self, path, compress=False):
        pass


def convert(text, title=None):
    pass
"""
NEW = """
class Document:
    def __init__(self):
        pass

    def write(self, output, version=None, title=None):
        pass

    def scale(self, size):
        pass

    def save(self, path):
        pass

    def pack(self, compress=False):
        pass

    def print(self, title=None):
        pass


def convert(text):
    pass
"""


@pytest.fixture(scope="module")
def pair(one_sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> EnvironmentPair:
    root: Path = tmp_path_factory.mktemp("papers")
    old, new = (
        with_library(root / version, "papers", version, {"papers.py": text})
        for version, text in (("1.0", OLD), ("2.0", NEW))
    )
    return EnvironmentPair(sandbox=one_sandbox, old=old, new=new)


@pytest.mark.parametrize(
    ("name", "argument", "taker"),
    [
        ("papers.Document", "version", "papers.Document.write"),
        ("papers.Document.save", "compress", "papers.Document.pack"),
        ("papers.Document", "title", ""),  # two methods take it
        ("papers.Document", "size", ""),  # it is another one's as it was before
        ("papers.convert", "title", ""),  # no method
    ],
)
def test_the_only_method_that_takes_it_and_did_not_before(
    pair: EnvironmentPair, name: str, argument: str, taker: str
) -> None:
    assert taken_by(name, argument, pair) == taker


@pytest.mark.parametrize(
    ("argument", "said", "taker"),
    [
        ("size", "Please pass the size to the Document.scale() method instead.", "papers.Document.scale"),
        ("size", "Scaling a document is slow.", ""),
        ("title", "Give the title to print(), not to the document.", "papers.Document.print"),
    ],
)
def test_what_the_library_names_counts_though_it_took_it_before(
    pair: EnvironmentPair, argument: str, said: str, taker: str
) -> None:
    assert taken_by("papers.Document", argument, pair, [said]) == taker
