"""What people call a private index."""

from __future__ import annotations

import pytest

from backdate.errors import UsageError
from backdate.index.private_index import private_index


@pytest.mark.parametrize(
    ("text", "url", "name", "username"),
    [
        ("https://x.example/simple", "https://x.example/simple/", None, None),
        ("our-team=https://x.example/simple/", "https://x.example/simple/", "our-team", None),
        ("https://bob%40x@x.example:8080/a/", "https://x.example:8080/a/", None, "bob@x"),
        ("t=https://token@x.example/a=b/", "https://x.example/a=b/", "t", "token"),
        ("https://x.example/a=b/", "https://x.example/a=b/", None, None),
    ],
)
def test_names_and_users_are_told_from_the_address(
    text: str, url: str, name: str | None, username: str | None
) -> None:
    index = private_index(text)
    assert (index.url, index.name, index.username) == (url, name, username)


def test_variables_are_uvs() -> None:
    index = private_index("our-team.2=https://x.example/simple")
    assert index.username_variable == "UV_INDEX_OUR_TEAM_2_USERNAME"
    assert index.password_variable == "UV_INDEX_OUR_TEAM_2_PASSWORD"


@pytest.mark.parametrize(
    "text", ["a b=https://x.example/", "=https://x.example/", "x=", "https://a:b@x.example/", "x.example"]
)
def test_what_is_no_index_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as told:
        private_index(text)
    assert "a:b" not in str(told.value)
