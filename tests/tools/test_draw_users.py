"""Drawing repositories whose packages use given libraries."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from backdate.errors import SourceError

LIST = "name\tversion\tmonth\told\nfirst\t1\t2018-01\t\nlate\t1\t2022-01\t\nlast\t1\t2021-12\t\nshort\t1\n"
LIBRARIES = frozenset({"numpy", "scikit-learn"})


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "tools")
    import draw_users

    return draw_users


def client(documents: dict[str, object]) -> SimpleNamespace:
    """An index that has these JSON documents, by name, and refuses the name "gone"."""

    def page(name: str) -> SimpleNamespace:
        if name == "gone":
            raise SourceError("no such project")
        return SimpleNamespace(upstream="http://index/simple/", name=name)

    def get(url: str, headers: object) -> SimpleNamespace:
        name = url.rstrip("/").split("/")[-2]
        body = json.dumps(documents[name]).encode() if name in documents else b""
        return SimpleNamespace(status=200 if body else 404, body=lambda: body, close=lambda: None)

    return SimpleNamespace(project_page=page, fetcher=SimpleNamespace(get=get))


def document(requires: list[str] | None, home: str) -> object:
    return {"info": {"requires_dist": requires, "home_page": home}}


def test_packages_take_part_whose_newest_release_is_of_these_months(tool: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "names.tsv").write_text(LIST)
    assert list(tool.released_within(tmp_path / "names.tsv", "2018-01", "2021-12")) == ["first", "last"]


@pytest.mark.parametrize(
    ("found", "address", "dropped"),
    [
        (
            document(["Scikit_Learn (>=0.2) ; extra == 'x'"], "https://github.com/a/b"),
            "https://github.com/a/b",
            "",
        ),
        (document(["numpydoc"], "https://github.com/a/b"), "", "requires none of the libraries"),
        (document(None, "https://github.com/a/b"), "", "requires none of the libraries"),
        (document(["numpy"], "https://gitlab.com/a/b"), "", "elsewhere"),
        (document(["numpy"], "https://a.example"), "", "no-address"),
        ({"info": None}, "", "no-metadata"),
    ],
)
def test_a_package_adds_its_repository_or_says_why_not(
    tool: ModuleType, found: object, address: str, dropped: str
) -> None:
    one = tool.asked("p", client({"p": found}), LIBRARIES)
    assert (one.address, one.dropped) == (address, dropped)


def test_a_repository_is_taken_once_and_the_draw_ends_when_there_are_enough(tool: ModuleType) -> None:
    order = ["gone", "a", "again", "b", "c"]
    homes = {"a": "https://github.com/o/a", "again": "https://github.com/O/A", "b": "https://github.com/o/b"}
    index = client({name: document(["numpy"], home) for name, home in homes.items()})
    drawn = list(tool.draw(order, index, LIBRARIES, 2))
    assert [one.package for one in drawn] == ["gone", "a", "again", "b"]
    assert [one.dropped for one in drawn] == ["no such project", "", "its repository was drawn before", ""]
