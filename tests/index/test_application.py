from __future__ import annotations

import hashlib
import io
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pypi_simple
import pytest
from fake_index import JSON, Browser, Clock, Upstream, file_entry, html_page

from backdate.errors import MachineError
from backdate.index.policy import Policy
from backdate.index.rendering import Form
from backdate.index.responses import accepts_gzip, choose_form, matches
from backdate.index.server import SnapshotServer, listening_socket
from backdate.index.upstream import IndexClient

Serve = Callable[..., Browser]
MakeClient = Callable[..., IndexClient]
OLD = datetime(2021, 3, 1, tzinfo=UTC)
CONTENT = b"the content of a file" * 1000
DEMO = (
    file_entry("demo-1.0.tar.gz", "2020-01-01T00:00:00Z", yanked="because"),
    file_entry("demo-1.1.tar.gz", "2021-03-01T00:00:00Z"),
    file_entry("demo-1.0-py3-none-any.whl", "2022-01-01T00:00:00Z"),
)
PAGE = "/snapshot/2021-03-01/simple/demo/"


@pytest.fixture(autouse=True)
def demo(upstream: Upstream) -> None:
    upstream.put_project("demo", *DEMO)


def test_a_page_is_cut_strictly_before_the_instant(browser: Browser) -> None:
    assert browser.filenames(PAGE) == ["demo-1.0.tar.gz"]
    assert browser.filenames("/snapshot/2021-03-01T00:00:00.000001Z/simple/demo/") == [
        "demo-1.0.tar.gz",
        "demo-1.1.tar.gz",
    ]
    assert len(browser.filenames("/simple/demo/")) == 3
    answer = browser.get(PAGE)
    assert answer.headers["x-snapshot-cutoff"] == "2021-03-01T00:00:00Z"
    assert answer.json()["versions"] == ["1.0"]
    assert answer.json()["files"][0]["yanked"] == "because"


def test_forms(browser: Browser) -> None:
    assert browser.get(PAGE, None).headers["content-type"] == "text/html; charset=utf-8"
    assert browser.get(PAGE, "text/html").headers["content-type"].startswith("text/html")
    assert browser.get(PAGE, Form.HTML_V1.value).headers["content-type"] == Form.HTML_V1.value
    assert browser.get(PAGE, "application/vnd.pypi.simple.latest+json").headers["content-type"] == JSON
    assert browser.get(PAGE, "application/*").headers["content-type"] == JSON
    refused = browser.get(PAGE, "image/png")
    assert refused.status_code == 406
    page = pypi_simple.ProjectPage.from_response(_as_requests(browser.get(PAGE, "text/html")), "demo")
    assert [package.filename for package in page.packages] == ["demo-1.0.tar.gz"]


def _as_requests(answer: httpx.Response) -> object:
    import requests

    response = requests.Response()
    response.status_code = answer.status_code
    response.headers = requests.structures.CaseInsensitiveDict(answer.headers)
    response.raw = io.BytesIO(answer.content)
    response.url = str(answer.url)
    return response


def test_validators(browser: Browser) -> None:
    first = browser.get(PAGE)
    etag = first.headers["etag"]
    assert first.headers["cache-control"] == "public, no-cache"
    assert "Accept" in first.headers["vary"]
    again = browser.get(PAGE, if_none_match=f'"other", W/{etag}')
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
    assert browser.get(PAGE, if_none_match='"other"').status_code == 200
    assert browser.get(PAGE, "text/html").headers["etag"] != etag
    assert browser.get("/simple/demo/").headers["etag"] != etag


def test_head(browser: Browser) -> None:
    answer = browser.request("HEAD", PAGE)
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) == len(browser.get(PAGE, "*/*").content)


def test_redirects(browser: Browser) -> None:
    answer = browser.get("/snapshot/2021-03-01/simple/Demo")
    assert (answer.status_code, answer.headers["location"]) == (301, PAGE)
    assert browser.get("/simple/").headers["location"] == "https://index.example/simple/"


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/snapshot/2021-03-01/simple/nothing/", 404, "no index here knows"),
        ("/snapshot/2019-01-01/simple/demo/", 404, "no file of 'demo' was uploaded before 2019-01-01"),
        ("/snapshot/2999-01-01/simple/demo/", 400, "lies in the future"),
        ("/snapshot/1999-01-01/simple/demo/", 400, "before the package index existed"),
        ("/snapshot/2021-03-01/simple/", 501, "ask for /simple/NAME/"),
        ("/snapshot/2021-03-01/files/demo/demo-1.0.tar.gz", 404, "do not go through"),
    ],
)
def test_clear_refusals(browser: Browser, path: str, status: int, words: str) -> None:
    answer = browser.get(path)
    assert (answer.status_code, answer.headers["cache-control"]) == (status, "no-store")
    assert words in answer.text


def test_only_reading(browser: Browser) -> None:
    assert browser.request("POST", PAGE).status_code == 405
    assert browser.request("DELETE", PAGE).status_code == 405


def test_upstream_failures_are_said_and_not_kept(browser: Browser, upstream: Upstream) -> None:
    upstream.pages["/simple/other/"] = httpx.ReadTimeout("slow")
    assert browser.get("/simple/other/").status_code == 504
    upstream.put_project("other", *({**file, "upload-time": None} for file in DEMO))
    answer = browser.get("/simple/other/")
    assert answer.status_code == 502
    assert "'other'" in answer.text
    upstream.put_project("other", *DEMO)
    assert browser.get("/simple/other/").status_code == 200


def test_banner_and_health(browser: Browser) -> None:
    assert "as it was at any instant" in browser.get("/").text
    state = browser.get("/healthz").json()
    assert (state["status"], state["offline"]) == ("ok", False)


def test_policies(make_client: MakeClient, serve: Serve) -> None:
    policy = Policy(
        yanked="never", overrides={"demo": datetime(2021, 6, 1, tzinfo=UTC)}, hidden={"gone": None}
    )
    browser = serve(make_client(), policy=policy)
    answer = browser.get(PAGE)
    assert answer.headers["x-snapshot-cutoff"] == "2021-06-01T00:00:00Z"
    assert [bool(entry.get("yanked")) for entry in answer.json()["files"]] == [False, False]
    assert browser.filenames("/snapshot/2021-03-01,demo=2020-06-01/simple/demo/") == ["demo-1.0.tar.gz"]
    assert browser.get("/simple/gone/").status_code == 404
    hidden = Policy(hidden={"demo": datetime(2020, 6, 1, tzinfo=UTC)})
    assert serve(make_client(), policy=hidden).filenames("/simple/demo/") == ["demo-1.0.tar.gz"]


def test_compression(make_client: MakeClient, serve: Serve, upstream: Upstream) -> None:
    upstream.put_project("big", *(file_entry(f"big-{n}.zip", "2020-01-01T00:00:00Z") for n in range(100)))
    local = serve(make_client()).get("/simple/big/", accept_encoding="gzip")
    assert "content-encoding" not in local.headers, "on one machine it does not pay"
    always = serve(make_client(), compress="always")
    packed = always.get("/simple/big/", accept_encoding="br, gzip;q=0.5")
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < len(local.content) / 4
    assert packed.json() == local.json()
    assert packed.headers["etag"] != local.headers["etag"]
    assert "content-encoding" not in always.get("/simple/big/", accept_encoding="gzip;q=0, br").headers
    assert "content-encoding" not in always.get(PAGE, accept_encoding="gzip").headers, "too small to pay"


def test_today_is_looked_up_again(
    make_client: MakeClient, serve: Serve, upstream: Upstream, clock: Clock
) -> None:
    clock.pass_time(seconds=-3600)
    browser = serve(make_client())
    assert len(browser.filenames("/simple/demo/")) == 3
    upstream.put_project("demo", *DEMO, file_entry("demo-9.tar.gz", "2023-01-01T00:00:00Z"))
    clock.pass_time(seconds=3600)
    assert len(browser.filenames("/simple/demo/")) == 4
    assert browser.filenames(PAGE) == ["demo-1.0.tar.gz"]


def test_pages_of_one_mirror_that_answers_html(browser: Browser, upstream: Upstream) -> None:
    upstream.put("/simple/demo/", html_page("demo", *DEMO), "text/html")
    assert browser.filenames(PAGE) == ["demo-1.0.tar.gz"]


def test_ten_thousand_files(browser: Browser, upstream: Upstream) -> None:
    files = [
        file_entry(f"big-{n}.tar.gz", f"2020-01-01T00:{n // 60 % 60:02}:{n % 60:02}Z") for n in range(10_000)
    ]
    upstream.put("/simple/big/", html_page("big", *files), "text/html")
    assert len(browser.filenames("/snapshot/2021-03-01/simple/big/")) == 10_000
    assert len(browser.filenames("/snapshot/2020-01-01T00:30:00Z/simple/big/")) > 5_000


def test_two_servers_on_one_cache(make_client: MakeClient, serve: Serve, upstream: Upstream) -> None:
    one, two = serve(make_client()), serve(make_client())
    with ThreadPoolExecutor(8) as pool:
        pages = list(pool.map(lambda n: (one, two)[n % 2].get(PAGE).content, range(40)))
    assert len(set(pages)) == 1
    assert upstream.count("/simple/demo/") <= 2


@pytest.mark.slow
def test_a_bounded_load_of_many_projects(make_client: MakeClient, serve: Serve, upstream: Upstream) -> None:
    for number in range(60):
        upstream.put_project(
            f"p{number}",
            *(file_entry(f"p{number}-{n}.zip", f"20{10 + n}-01-01T00:00:00Z") for n in range(10)),
        )
    browser = serve(make_client(), memory_bytes=100_000)

    def ask(number: int) -> int:
        year = 2011 + number % 9
        return len(browser.filenames(f"/snapshot/{year}-06-01/simple/p{number % 60}/")) - (year - 2009)

    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(ask, range(600))) == {0}


@pytest.fixture
def with_files(upstream: Upstream) -> None:
    digest = hashlib.sha256(CONTENT).hexdigest()
    metadata = b"Metadata-Version: 2.1\n"
    files = (
        file_entry(
            "demo-1.0-py3-none-any.whl",
            "2020-01-01T00:00:00Z",
            hashes={"sha256": digest},
            **{"core-metadata": {"sha256": hashlib.sha256(metadata).hexdigest()}},
        ),
        file_entry("demo-2.0.tar.gz", "2022-01-01T00:00:00Z", hashes={"sha256": digest}),
        file_entry("demo-3.0.tar.gz", "2020-01-01T00:00:00Z", hashes={"sha256": "0" * 64}),
    )
    upstream.put_project("demo", *files)
    for entry in files:
        upstream.put(f"/{entry['filename']}", CONTENT, "application/octet-stream")
    upstream.put("/demo-1.0-py3-none-any.whl.metadata", metadata, "application/octet-stream")


@pytest.mark.usefixtures("with_files")
def test_files_through_the_server(make_client: MakeClient, serve: Serve, upstream: Upstream) -> None:
    browser = serve(make_client(), files="through")
    entry = browser.get(PAGE).json()["files"][0]
    assert entry["url"] == "../../files/demo/demo-1.0-py3-none-any.whl"
    path = "/snapshot/2021-03-01/files/demo/"
    for _ in range(2):
        answer = browser.get(f"{path}demo-1.0-py3-none-any.whl")
        assert (answer.content, answer.headers["content-length"]) == (CONTENT, str(len(CONTENT)))
    assert upstream.count("/demo-1.0-py3-none-any.whl") == 1
    assert browser.get(f"{path}demo-1.0-py3-none-any.whl.metadata").text.startswith("Metadata-Version")
    assert browser.get(f"{path}demo-2.0.tar.gz").status_code == 404, "of the future"
    assert browser.get("/files/demo/demo-2.0.tar.gz").content == CONTENT
    assert browser.get("/files/demo/demo-2.0.tar.gz.metadata").status_code == 404, "not advertised"
    assert browser.get(f"{path}demo-9.0.tar.gz").status_code == 404
    with pytest.raises(httpx.RemoteProtocolError):
        browser.get(f"{path}demo-3.0.tar.gz")  # the hash is wrong: the answer is not finished
    assert browser.request("HEAD", f"{path}demo-1.0-py3-none-any.whl").headers["content-length"] == str(
        len(CONTENT)
    )


@pytest.mark.usefixtures("with_files")
def test_files_offline(make_client: MakeClient, serve: Serve) -> None:
    path = "/snapshot/2021-03-01/files/demo/"
    online = serve(make_client(), files="through")
    online.get(f"{path}demo-1.0-py3-none-any.whl")
    offline = serve(make_client(offline=True), files="through")
    assert offline.get(f"{path}demo-1.0-py3-none-any.whl").content == CONTENT
    assert offline.get(f"{path}demo-3.0.tar.gz").status_code == 504
    assert offline.get("/simple/").status_code == 501


@pytest.mark.usefixtures("with_files")
def test_files_without_a_cache(make_client: MakeClient, serve: Serve) -> None:
    browser = serve(make_client(cache=None), files="through")
    assert browser.get("/files/demo/demo-2.0.tar.gz").content == CONTENT


def test_a_unix_socket(make_client: MakeClient, tmp_path: Path) -> None:
    path = tmp_path / "index.sock"
    with SnapshotServer(make_client(), socket_path=path):
        transport = httpx.HTTPTransport(uds=str(path))
        with httpx.Client(transport=transport, base_url="http://index") as http:
            assert http.get(PAGE).status_code == 200
        assert path.stat().st_mode & 0o777 == 0o600
    assert not path.exists()


def test_the_log(client: IndexClient) -> None:
    log = io.StringIO()
    with SnapshotServer(client, log=log) as server:
        httpx.get(server.origin + PAGE, trust_env=False)
        httpx.get(server.origin + "/nowhere?q=1", trust_env=False)
    lines = log.getvalue().splitlines()
    assert [line.split(" ", 1)[1].rsplit(" ", 1)[0] for line in lines] == [
        f"127.0.0.1 GET {PAGE} 200",
        "127.0.0.1 GET /nowhere 404",
    ]


def test_urls_of_a_server(client: IndexClient) -> None:
    with SnapshotServer(client) as server:
        assert server.url(None) == f"{server.origin}/simple/"
        assert server.url(OLD).endswith("/snapshot/2021-03-01T00:00:00Z/simple/")
        with_override = server.url(OLD, {"demo": datetime(2022, 1, 2, tzinfo=UTC)})
        answer = httpx.get(f"{with_override}demo/", headers={"accept": JSON}, trust_env=False)
        assert len(answer.json()["files"]) == 3


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(MachineError, match="--port"):
        listening_socket("127.0.0.1", taken.getsockname()[1])


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        (b"", Form.HTML),
        (b"*/*", Form.HTML),
        (b"text/html, application/xhtml+xml;q=0.9, */*;q=0.8", Form.HTML),
        (JSON.encode() + b", application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01", Form.JSON),
        (JSON.encode() + b";q=0.2, text/html", Form.HTML),
        (JSON.encode() + b";q=0", None),
        (JSON.encode() + b";q=nonsense", None),
        (b"image/png", None),
        (b"\xff;;;,,=", None),
    ],
)
def test_negotiation(accept: bytes, form: Form | None) -> None:
    assert choose_form(accept) == form


def test_small_parsers() -> None:
    assert accepts_gzip(b"gzip, deflate")
    assert not accepts_gzip(b"identity, gzip;q=0")
    assert not accepts_gzip(b"")
    assert matches(b'W/"a", "b"', b'"b"')
    assert matches(b"*", b'"b"')
    assert not matches(b'"c"', b'"b"')


def test_memory_stays_within_its_bound(client: IndexClient, serve: Serve, upstream: Upstream) -> None:
    bound = 60_000
    browser = serve(client, memory_bytes=bound)
    for number in range(50):
        files = (file_entry(f"p-{n}.zip", "2020-01-01T00:00:00Z") for n in range(20))
        upstream.put_project(f"p{number}", *files)
        for day in (1, 2):
            browser.get(f"/snapshot/2021-03-0{day}/simple/p{number}/")
    application = browser.server._application
    assert application is not None
    pages = application._pages
    assert 0 < pages._kept_bytes <= bound // 2
    assert sum(page.size_bytes for page in pages._kept.values()) == pages._kept_bytes
    assert 0 < application._answers._bytes <= bound // 2
    assert set(application._hot.values()) <= set(application._answers._kept.values())
