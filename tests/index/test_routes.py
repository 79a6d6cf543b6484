from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import UsageError
from backdate.index.policy import Policy, ProjectHidden, parse_hidden, parse_overrides
from backdate.index.routes import (
    Banner,
    FileRoute,
    Health,
    ProjectRoute,
    Redirect,
    RootRoute,
    UnknownPath,
    When,
    format_when,
    parse_path,
    parse_when,
)

DAY = datetime(2021, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/", Banner()),
        ("/healthz", Health()),
        ("/simple/", RootRoute(when=When())),
        ("/simple", Redirect(location="/simple/")),
        ("/simple/six/", ProjectRoute(when=When(), name="six")),
        ("/simple/six", Redirect(location="/simple/six/")),
        ("/simple/Typing_Extensions/", Redirect(location="/simple/typing-extensions/")),
        ("/snapshot/2021-03-01/simple/six/", ProjectRoute(when=When(instant=DAY), name="six")),
        ("/snapshot/2021-03-01T00:00:00Z/simple/six/", ProjectRoute(when=When(instant=DAY), name="six")),
        ("/snapshot/2021-03-01T02:00:00+02:00/simple/six/", ProjectRoute(when=When(instant=DAY), name="six")),
        (
            "/snapshot/2021-03-01T02%3A00%3A00%2B02%3A00/simple/six/",
            ProjectRoute(when=When(instant=DAY), name="six"),
        ),
        ("/snapshot/2021-03-01", Redirect(location="/snapshot/2021-03-01/simple/")),
        ("/snapshot/2021-03-01/simple/Flask", Redirect(location="/snapshot/2021-03-01/simple/flask/")),
        ("/snapshot/2021-03-01/Flask/", Redirect(location="/snapshot/2021-03-01/simple/flask/")),
        (
            "/snapshot/2021-03-01,Six=2020-01-01/simple/six/",
            ProjectRoute(
                when=When(instant=DAY, overrides={"six": datetime(2020, 1, 1, tzinfo=UTC)}), name="six"
            ),
        ),
        (
            "/files/six/six-1.0.whl.metadata",
            FileRoute(when=When(), name="six", filename="six-1.0.whl", metadata=True),
        ),
    ],
)
def test_routes(path: str, route: object) -> None:
    assert parse_path(path.encode()) == route


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/simple/../x/", 400),
        ("/simple/%2e%2e/", 400),
        ("/simple/%2E%2E%2Fetc/", 400),
        ("/simple/a%2fb/", 400),
        ("/simple/a%5cb/", 400),
        ("/simple/a%00/", 400),
        ("/simple/%ff/", 400),
        ("/simple/-x/", 400),
        ("/simple/" + "x" * 129 + "/", 400),
        ("/" + "x" * 3000, 414),
        ("/snapshot/2021-02-30/simple/six/", 400),
        ("/snapshot/0001-01-01/simple/six/", 400),
        ("/snapshot/9999-12-31/simple/six/", 400),
        ("/snapshot/today/simple/six/", 400),
        ("/snapshot/2021-03-01T00:00:00/simple/six/", 400),
        ("/snapshot/2021-03-01,six/simple/six/", 400),
        ("/snapshot/2021-03-01,six=9999-01-01/simple/six/", 400),
        ("/snapshot/2021-03-01" + ",six=2020-01-01" * 40 + "/simple/six/", 400),
        ("/files/six/..", 400),
        ("/files/Six/six-1.0.whl", 400),
        ("/snapshot/", 404),
        ("/nowhere", 404),
        ("/simple/six/extra", 404),
        ("//simple/six/", 404),
        ("/pypi/six/json", 404),
    ],
)
def test_refusals(path: str, status: int) -> None:
    route = parse_path(path.encode())
    assert isinstance(route, UnknownPath)
    assert (route.status, bool(route.message)) == (status, True)


@given(st.binary(max_size=200))
def test_any_bytes_have_a_route(path: bytes) -> None:
    route = parse_path(b"/" + path)
    if isinstance(route, Redirect):
        assert route.location.startswith("/")
        assert not route.location.startswith("//")
        assert route.location.isascii()
        assert route.location.isprintable()


seconds = st.integers(1_100_000_000, 1_700_000_000)


@given(seconds, st.dictionaries(st.sampled_from(["a", "b-c"]), st.just(DAY)))
def test_when_in_a_url(moment: int, overrides: dict[str, datetime]) -> None:
    when = When(instant=datetime.fromtimestamp(moment, UTC), overrides=overrides)
    assert parse_when(format_when(when)) == when
    route = parse_path(f"/snapshot/{quote(format_when(when))}/simple/six/".encode())
    assert route == ProjectRoute(when=when, name="six")


def test_policy() -> None:
    later, earlier = DAY + timedelta(days=9), DAY - timedelta(days=9)
    policy = Policy(overrides={"a": later, "h": later}, hidden={"gone": None, "h": earlier})
    assert policy.cutoff("six", DAY, {}) == DAY
    assert policy.cutoff("six", None, {}) is None
    assert policy.cutoff("a", DAY, {}) == later
    assert policy.cutoff("a", DAY, {"a": earlier}) == earlier, "the URL goes before the server's own"
    assert policy.cutoff("h", DAY, {"h": later}) == earlier, "hiding goes before everything"
    assert policy.cutoff("h", None, {}) == earlier
    with pytest.raises(ProjectHidden):
        policy.cutoff("gone", DAY, {"gone": later})


def test_options_of_the_policy() -> None:
    assert parse_overrides(["Set_Tools=2021-03-01"]) == {"set-tools": DAY}
    assert parse_hidden(["A", "b>=2021-03-01"]) == {"a": None, "b": DAY}
    for wrong in ("setuptools", "=2021-03-01", "a/b=2021-03-01", "a=soon"):
        with pytest.raises(UsageError):
            parse_overrides([wrong])
    for wrong in ("", "a/b", "a>=soon", "a==1.0"):
        with pytest.raises(UsageError):
            parse_hidden([wrong])
