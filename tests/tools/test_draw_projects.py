import hashlib
import importlib.util
import io
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from fake_index import Upstream, file_entry

from backdate.errors import ConfigurationError
from backdate.index.upstream import IndexClient
from backdate.projects.sources import sdist as sdist_room
from backdate.serial import from_json, to_json
from backdate.timeline.instants import parse_instant

ROOT = Path(__file__).parents[2]
DAY = parse_instant("2021-03-01")
INDEX = "https://index.example/simple/"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    specification = importlib.util.spec_from_file_location(
        "draw_projects", ROOT / "tools" / "draw_projects.py"
    )
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["draw_projects"] = module  # dataclasses look their module up
    specification.loader.exec_module(module)
    return module


def test_names_months_and_bands_are_read_from_the_columns_that_the_file_names(tool: ModuleType) -> None:
    names = list(
        tool.read_names(
            [
                "name\tversion\tmonth\trank_among_many\tsummary",
                "top\t1.0\t2021-02\t1000\tsomething",
                "next\t1.0\t2026-10\t1001\t",
                "last\t1.0\tsoon\t15000\t",
                "none\t1.0\t2020-01\t\t",
                "odd\t1.0\t2020-01\t-3\t",
            ]
        )
    )
    assert [(one.name, one.month, one.band) for one in names] == [
        ("top", "2021-02", "rank 1-1000"),
        ("next", "2026-10", "rank 1001-5000"),
        ("last", "", "rank 5001-15000"),
        ("none", "2020-01", tool.UNRANKED),
        ("odd", "2020-01", tool.UNRANKED),
    ]
    assert [one.band for one in tool.read_names(["name", "bare"])] == [tool.UNRANKED]
    with pytest.raises(ConfigurationError, match="no column 'name'"):
        list(tool.read_names(["package\tversion", "a\t1"]))


@pytest.mark.parametrize(
    ("year", "group"),
    [
        (2021, "2020-2021"),
        (2020, "2020-2021"),
        (2019, "2018-2019"),
        (2018, "2018-2019"),
        (2009, "until 2017"),
    ],
)
def test_groups_of_years(tool: ModuleType, year: int, group: str) -> None:
    assert tool.years_of(year, DAY) == group


def test_a_year_is_known_only_where_the_newest_release_is_of_an_earlier_month(tool: ModuleType) -> None:
    assert tool.known_year(tool.ListedName(name="a", month="2021-02"), DAY) == 2021
    assert tool.known_year(tool.ListedName(name="a", month="2021-03"), DAY) is None
    assert tool.known_year(tool.ListedName(name="a"), DAY) is None


def test_the_order_is_the_seed_s_alone_and_takes_the_bands_in_turn(tool: ModuleType) -> None:
    bands = list(tool.band_names())
    names = [tool.ListedName(name=f"n{number}", band=bands[number % 3]) for number in range(30)]
    order = [one.name for one in tool.in_turn(names, 1)]
    assert order == [one.name for one in tool.in_turn(names[::-1], 1)]
    assert sorted(order) == sorted(one.name for one in names)
    assert order != [one.name for one in tool.in_turn(names, 2)]
    by_name = {one.name: one.band for one in names}
    assert [by_name[name] for name in order[:6]] == [*bands[:3], *bands[:3]]
    fewer = [one.name for one in tool.in_turn(names[3:], 1)]
    assert [name for name in order if name in fewer and by_name[name] == bands[0]] == [
        name for name in fewer if by_name[name] == bands[0]
    ]


def drawn(
    tool: ModuleType, listed: list[Any], answers: dict[str, Any], **limits: int
) -> tuple[list[Any], list[str]]:
    asked: list[str] = []

    def look(name: str) -> Any:
        asked.append(name)
        return answers[name]

    most = tool.DrawLimits(**{"wanted": 9, "most_asked": 9, "most_in_a_stratum": 9, **limits})
    return list(tool.draws(iter(listed), DAY, most, look)), asked


def test_a_full_stratum_is_told_and_where_the_file_shows_it_not_asked_for(tool: ModuleType) -> None:
    known = [tool.ListedName(name=name, month="2020-05") for name in "abc"]
    later = tool.ListedName(name="d", month="2024-01")
    good = tool.FoundRelease(version="1", uploaded="2020-05-05")
    kept, asked = drawn(tool, [*known, later], dict.fromkeys("abcd", good), most_in_a_stratum=2)
    assert [draw.release.dropped for draw in kept] == ["", "", *["its stratum is full"] * 2]
    assert asked == ["a", "b", "d"]
    assert [draw.asked for draw in kept] == [True, True, False, True]


def test_a_draw_ends_when_enough_are_taken_or_asked(tool: ModuleType) -> None:
    listed = [tool.ListedName(name=name) for name in "abcd"]
    good = tool.FoundRelease(version="1", uploaded="2018-05-05")
    bad = tool.FoundRelease(dropped="no tests in its sdist", uploaded="2011-05-05")
    answers = {"a": bad, "b": good, "c": good, "d": good}
    kept, _ = drawn(tool, listed, answers, wanted=1)
    assert [(draw.name, draw.years, draw.release.dropped) for draw in kept] == [
        ("a", "until 2017", "no tests in its sdist"),
        ("b", "2018-2019", ""),
    ]
    limits = tool.DrawLimits(wanted=1, most_asked=9, most_in_a_stratum=9)
    assert tool.why_ended(kept, limits) == "all that were wanted are taken"
    kept, asked = drawn(tool, listed, answers, most_asked=2)
    assert asked == ["a", "b"]
    limits = tool.DrawLimits(wanted=9, most_asked=2, most_in_a_stratum=9)
    assert tool.why_ended(kept, limits) == "2 names were asked for, the most that were allowed"
    assert tool.why_ended(kept[:1], limits) == "the file has no further names"


@pytest.mark.parametrize(
    ("package_info", "address"),
    [
        ("Home-page: https://github.com/o/n", "https://github.com/o/n"),
        (
            "Home-page: https://o.example\nProject-URL: Code, https://gitlab.com/o/n.git/",
            "https://gitlab.com/o/n",
        ),
        (
            "Project-URL: Fund, https://github.com/sponsors/o\nHome-page: http://www.github.com/o/n/wiki",
            "https://github.com/o/n",
        ),
        ("Home-page: https://o.example", ""),
        ("", ""),
    ],
)
def test_the_repository_that_metadata_name(tool: ModuleType, package_info: str, address: str) -> None:
    assert tool.repository_of(package_info) == address


def archive(name: str, files: dict[str, str]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for path, text in files.items():
            info = tarfile.TarInfo(f"{name}/{path}")
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return data.getvalue()


TESTS = {"tests/test_it.py": "def test_it():\n    assert True\n", "setup.py": "import setuptools\n"}


@pytest.fixture
def look(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Callable[[str], Any]]:
    upstream = Upstream()
    files: dict[str, bytes] = {}

    def put(name: str, content: dict[str, str], day: str = "2020-02-02") -> None:
        data = archive(f"{name}-1.0", {"PKG-INFO": f"Name: {name}\nVersion: 1.0\n", **content})
        entry = file_entry(f"{name}-1.0.tar.gz", f"{day}T01:02:03Z")
        entry["hashes"] = {"sha256": hashlib.sha256(data).hexdigest()}
        files[f"/{name}-1.0.tar.gz"] = data
        upstream.put_project(name, entry)

    put("tested", TESTS)
    put("untested", {"setup.py": "import setuptools\n"})
    put("later", TESTS, "2022-02-02")
    put(
        "placed",
        {**TESTS, "PKG-INFO": "Name: placed\nVersion: 1.0\nHome-page: https://github.com/o/placed\n"},
    )
    upstream.put_project("wheel", file_entry("wheel-1.0-py3-none-any.whl", "2020-02-02T00:00:00Z"))
    transport = httpx.MockTransport(lambda request: httpx.Response(200, content=files[request.url.path]))
    monkeypatch.setattr(sdist_room, "new_client", lambda: httpx.Client(transport=transport))
    client = IndexClient(upstreams=(INDEX,), transport=httpx.MockTransport(upstream))

    def looking(kind: str = "sdists", clones: Path | None = None) -> Callable[[str], Any]:
        finder: Callable[[str], Any] = tool.release_finder(client, DAY, tmp_path / "kept", kind, clones)
        return finder

    return looking


def test_sdists_with_tests_are_taken_and_others_dropped_with_their_reason(
    look: Callable[..., Callable[[str], Any]],
) -> None:
    found = look()("tested")
    assert (found.dropped, found.version, found.uploaded) == ("", "1.0", "2020-02-02")
    assert found.tests == "tests/test_it.py"
    reasons = {name: look()(name).dropped for name in ("untested", "later", "absent", "wheel")}
    assert reasons == {
        "untested": "no tests in its sdist",
        "later": "no file on the index at the day",
        "absent": "no file on the index at the day",
        "wheel": "no sdist of its release at the day",
    }


def git(folder: Path, *command: str) -> None:
    subprocess.run(
        ["git", "-C", folder, "-c", "user.name=n", "-c", "user.email=e", *command],
        check=True,
        capture_output=True,
        env={"PATH": "/usr/bin:/bin", "GIT_COMMITTER_DATE": "2021-01-01T00:00:00Z"},
    )


def test_repositories_are_taken_as_of_the_day(
    look: Callable[..., Callable[[str], Any]], tmp_path: Path
) -> None:
    assert look("repositories")("tested").dropped == "no repository in its metadata"
    assert look("repositories")("placed").dropped == ""
    clones = tmp_path / "clones"
    assert look("repositories", clones)("placed").dropped == "its repository is not among the clones"
    clone = clones / "o+placed" / "repo"
    clone.mkdir(parents=True)
    git(clone, "init", "-q")
    (clone / "code.py").write_text("x = 1\n")
    git(clone, "add", ".")
    git(clone, "commit", "-qm", "code")
    assert look("repositories", clones)("placed").dropped == "no tests in its repository as of the day"
    (clone / "test_code.py").write_text("def test_x():\n    assert True\n")
    git(clone, "add", ".")
    git(clone, "commit", "-qm", "tests")
    found = look("repositories", clones)("placed")
    assert (found.dropped, found.tests, len(found.commit)) == ("", "test_code.py", 40)


def test_the_whole_draw_is_written_for_programs_and_people(tool: ModuleType) -> None:
    draws = (
        tool.ProjectDraw(
            name="a",
            band="rank 1-1000",
            years="2020-2021",
            asked=True,
            release=tool.FoundRelease(version="1.0", uploaded="2020-05-05", repository="https://x.example/a"),
        ),
        tool.ProjectDraw(name="b", band="unranked", release=tool.FoundRelease(dropped="no tests\nin it")),
    )
    whole = tool.ProjectList(
        kind="sdists",
        seed=7,
        day="2021-03-01",
        names_sha256="00",
        options="2 wanted",
        ended="the file has no further names",
        draws=draws,
    )
    assert from_json(tool.ProjectList, to_json(whole)) == whole
    page = "\n".join(tool.markdown(whole))
    assert "# Sdists drawn with seed 7 as of 2021-03-01" in page
    assert "1 taken of 2 drawn, 1 of them asked" in page
    assert "| rank 1-1000 | 2020-2021 | a | 1.0 | 2020-05-05 | https://x.example/a |" in page
    assert "| b | unranked | no tests in it |" in page
