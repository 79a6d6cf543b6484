from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from fake_index import JSON, UPSTREAM, Browser, Upstream, file_entry
from hypothesis import given
from hypothesis import strategies as st

from backdate.index.addresses import PUBLIC_INDEX
from backdate.index.bundle import export_bundle, import_bundle
from backdate.index.cache import DiskCache
from backdate.index.listed_versions import listed_versions
from backdate.index.lock_files import Need
from backdate.index.names import normalise, version_of
from backdate.index.page_store import pack, serialise
from backdate.index.reading import read_json
from backdate.index.upstream import IndexClient

MakeClient = Callable[..., IndexClient]


@pytest.mark.parametrize(
    ("filename", "listed", "version"),
    [
        ("PyQt5-5.8.1.1-5.8.0-cp35.cp36.cp37-abi3-manylinux1_x86_64.whl", ["5.8.1", "5.8"], "5.8.1"),
        ("django-cms-3.1.0.b1.tar.gz", ["3.1.0.b1", "3.1.0"], "3.1.0.b1"),
        ("django-cms-3.2.4.0.tar.gz", ["3.2.4"], "3.2.4"),
        ("hgsvn-0.2.0.dev.zip", ["0.2.0.dev"], "0.2.0.dev"),
        ("hgsvn-0.3.11-hotfix.zip", ["0.3", "0.3.1", "0.3.11"], "0.3.11"),
        ("Bottleneck-0.4.0_32bitOS.tar.gz", ["0.4", "0.4.0_x"], "0.4"),
        ("Yapsy-1.11.123b-py2.7.egg", ["1.11.12", "1.11.123"], "1.11.123"),
        ("sagemaker-2.54.1.tar.gz", ["2.54", "2.54.1.dev0"], "2.54.1.dev0"),
        ("rasterio-0.17.1-1.tar.gz", ["0.17.0", "0.17.1"], "0.17.1"),
        ("mpmath-all-0.17.tar.gz", ["0.17", "0.18"], "0.17"),
        ("SQLObject-0.12.5b1dev_r4211-py2.5.egg", ["0.12.5b1dev-r4211"], "0.12.5b1dev-r4211"),
        ("thing-9.0.tar.gz", ["1.0", "2.0"], None),
    ],
)
def test_a_file_name_chooses_among_listed_versions(
    filename: str, listed: list[str], version: str | None
) -> None:
    project = normalise(filename.partition("-")[0] if "cms" not in filename else "django-cms")
    assert listed_versions([version_of(filename, project)], listed) == [version]


@given(st.lists(st.text(max_size=30) | st.none(), max_size=9), st.lists(st.text(max_size=30), max_size=9))
def test_no_version_is_named_that_is_not_listed(stated: list[str | None], listed: list[str]) -> None:
    matched = listed_versions(stated, listed)
    assert len(matched) == len(stated)
    assert set(matched) <= {*listed, None}


def odd_page() -> bytes:
    files = [
        file_entry("demo-1.0.0.1-1-py3-none-any.whl", "2020-01-01T00:00:00Z"),
        file_entry("demo-2.0.tar.gz", "2022-01-01T00:00:00Z"),
    ]
    listed = ["1.0.0", "2.0", "3.0"]  # the files of 3.0 were deleted
    return json.dumps({"meta": {}, "name": "demo", "versions": listed, "files": files}).encode()


def test_views_list_what_the_index_lists(
    upstream: Upstream, make_client: MakeClient, serve: Callable[..., Browser], tmp_path: Path
) -> None:
    upstream.put("/simple/demo/", odd_page())
    client = make_client()
    browser = serve(client)
    assert browser.get("/simple/demo/").json()["versions"] == ["1.0.0", "2.0", "3.0"]
    past = "/snapshot/2021-03-01/simple/demo/"
    assert browser.get(past).json()["versions"] == ["1.0.0"], "when 3.0 was registered is not known"

    bundle, elsewhere = tmp_path / "bundle", DiskCache(tmp_path / "elsewhere")
    export_bundle(client, [Need(name="demo")], bundle, until=datetime(2021, 3, 1, tzinfo=UTC))
    import_bundle(bundle, elsewhere)
    offline = serve(make_client(cache=elsewhere, offline=True))
    assert offline.get(past).json()["versions"] == ["1.0.0"]


def test_every_file_has_hashes(upstream: Upstream, client: IndexClient, browser: Browser) -> None:
    bare = {
        "filename": "demo-1.0.zip",
        "url": "https://files.example/x",
        "upload-time": "2020-01-01T00:00:00Z",
    }
    upstream.put("/simple/demo/", json.dumps({"files": [bare]}).encode())
    upstream.put(
        "/simple/page/",
        b'<a href="https://files.example/page-1.zip" data-upload-time="2020-01-01T00:00:00Z">page-1.zip</a>',
        "text/html",
    )
    for name in ("demo", "page"):
        for path in (f"/simple/{name}/", f"/snapshot/2021-03-01/simple/{name}/"):
            assert browser.get(path).json()["files"][0]["hashes"] == {}


def test_pages_of_the_first_format(
    upstream: Upstream, make_client: MakeClient, serve: Callable[..., Browser], cache: DiskCache
) -> None:
    """They lack hashes and listed versions: asked again, or shown offline as they are, with the key."""
    entry = b'{"filename":"demo-1.0.0.1.zip","url":"https://files.example/x","upload-time":"2020-01-01T00:00:00Z"}'
    files = read_json(b'{"files":[%b]}' % entry, base=UPSTREAM, name="demo").files
    page = serialise("demo", files, upstream=UPSTREAM, fetched=1_700_000_000_000_000, etag='"old"')
    path = cache.page_path(UPSTREAM, "demo")
    path.parent.mkdir(parents=True)
    path.write_bytes(pack(page).replace(b"backdate page 2\n", b"backdate page 1\n"))
    past = "/snapshot/2021-03-01/simple/demo/"
    offline = serve(make_client(offline=True)).get(past).json()
    assert (offline["versions"], offline["files"][0]["hashes"]) == (["1.0.0.1"], {})
    upstream.put("/simple/demo/", odd_page())
    assert serve(make_client()).get(past).json()["versions"] == ["1.0.0"]
    assert "if-none-match" not in upstream.requests[-1].headers


ODD = [
    "sagemaker",
    "PyQt5",
    "reportlab",
    "SQLObject",
    "django-cms",
    "hgsvn",
    "cx_Oracle",
    "bottleneck",
    "rasterio",
    "Yapsy",
]


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.parametrize("name", ODD)
def test_versions_of_odd_projects_are_those_of_the_index(
    name: str, serve: Callable[..., Browser], tmp_path: Path
) -> None:
    answer = httpx.get(f"{PUBLIC_INDEX}{normalise(name)}/", headers={"accept": JSON}, timeout=60)
    listed = answer.raise_for_status().json()["versions"]
    with IndexClient(cache=DiskCache(tmp_path)) as client:
        shown = serve(client).get(f"/simple/{normalise(name)}/").json()["versions"]
    assert shown == listed
