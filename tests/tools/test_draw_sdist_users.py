"""Drawing sdists whose packages use given libraries."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from backdate.errors import SourceError

TEST = "def test_a():\n    assert True\n"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "tools")
    import draw_sdist_users

    return draw_sdist_users


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"tests/test_a.py": TEST, "p.py": ""}, ""),
        ({"tests/test_a.py": "A = 1\n", "p.py": ""}, "no tests"),
        ({"tests/test_a.py": TEST, "src/p.pyx": ""}, "compiled sources"),
        (
            {"tests/test_a.py": TEST, **{f"p{number}.py": "" for number in range(60)}},
            "more than 60 Python files",
        ),
    ],
)
def test_an_sdist_is_taken_or_dropped_with_why(
    tool: ModuleType, tmp_path: Path, files: dict[str, str], why: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert tool.why_dropped(tmp_path) == why


def test_the_draw_ends_when_there_are_enough_and_keeps_every_name_asked(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def asked(name: str, *_: object) -> object:
        return tool.DrawnRepository(name=name, dropped="" if name in {"b", "d", "e"} else "no tests")

    monkeypatch.setattr(tool, "drawn_sdist", asked)
    drawn = list(tool.draw(list("abcde"), SimpleNamespace(), frozenset(), 2, tmp_path))
    assert [one.name for one in drawn] == ["a", "b", "c", "d"]


def test_what_the_index_refuses_and_what_uses_no_library_is_dropped(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def document(package: str, _: object) -> bytes:
        if package == "gone":
            raise SourceError("no such\nproject")
        return b'{"info": {"requires_dist": ["numpydoc"]}}'

    monkeypatch.setattr(tool, "document_of", document)
    for package, why in (("gone", "no such project"), ("other", "requires none of the libraries")):
        one = tool.drawn_sdist(package, SimpleNamespace(), frozenset({"numpy"}), tmp_path)
        assert (one.name, one.dropped) == (f"pypi:{package}", why)
