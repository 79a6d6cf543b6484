from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from fake_index import UPSTREAM, Browser, Upstream, file_entry

from backdate.errors import ConfigurationError, SourceError, UsageError
from backdate.index.bundle import export_bundle, import_bundle
from backdate.index.cache import DiskCache
from backdate.index.lock_files import Need, read_needs
from backdate.index.upstream import IndexClient
from backdate.progress import Activity, Event

MakeClient = Callable[..., IndexClient]
UNTIL = datetime(2021, 3, 1, tzinfo=UTC)
CONTENT = b"a wheel"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def demo(upstream: Upstream) -> None:
    upstream.put_project(
        "demo",
        file_entry("demo-1.0-py3-none-any.whl", "2020-01-01T00:00:00Z", hashes={"sha256": SHA256}),
        file_entry("demo-1.0.tar.gz", "2020-01-01T00:00:00Z"),
        file_entry("demo-2.0.tar.gz", "2022-01-01T00:00:00Z"),
    )
    upstream.put_project("setuptools", file_entry("setuptools-50.0.zip", "2020-06-01T00:00:00Z"))
    upstream.put("/demo-1.0-py3-none-any.whl", CONTENT, "application/octet-stream")


NEEDS = [Need(name="demo", version="1.0", hashes=frozenset({f"sha256:{SHA256}"})), Need(name="setuptools")]


def test_a_bundle_serves_without_the_network(
    make_client: MakeClient, serve: Callable[..., Browser], tmp_path: Path
) -> None:
    bundle = tmp_path / "some.bundle"
    made = export_bundle(make_client(), NEEDS, bundle, until=UNTIL, with_files=True)
    assert (made.pages, made.files) == (2, 1)
    elsewhere = DiskCache(tmp_path / "elsewhere")
    assert import_bundle(bundle, elsewhere).pages == 2
    browser = serve(make_client(cache=elsewhere, offline=True), files="through")
    page = "/snapshot/2021-03-01/simple/demo/"
    assert browser.filenames(page) == ["demo-1.0-py3-none-any.whl", "demo-1.0.tar.gz"]
    assert browser.get("/snapshot/2021-03-01/files/demo/demo-1.0-py3-none-any.whl").content == CONTENT
    assert browser.filenames("/snapshot/2021-03-01/simple/setuptools/") == ["setuptools-50.0.zip"]
    assert browser.get("/snapshot/2021-03-02/simple/demo/").status_code == 504, "the bundle ends before"
    assert b"demo-2.0" not in bundle.read_bytes()


def test_metadata_that_a_bundle_lacks_is_missed_with_advice(
    upstream: Upstream, make_client: MakeClient, serve: Callable[..., Browser], tmp_path: Path
) -> None:
    metadata = b"Metadata-Version: 2.1\nName: demo\nVersion: 1.1\n"
    newer = file_entry("demo-1.1-py3-none-any.whl", "2020-06-01T00:00:00Z", hashes={"sha256": "b" * 64})
    newer["core-metadata"] = {"sha256": hashlib.sha256(metadata).hexdigest()}
    locked = file_entry("demo-1.0-py3-none-any.whl", "2020-01-01T00:00:00Z", hashes={"sha256": SHA256})
    upstream.put_project("demo", locked, newer)
    bundle = tmp_path / "some.bundle"
    export_bundle(make_client(), NEEDS[:1], bundle, until=UNTIL, with_files=True)
    elsewhere = DiskCache(tmp_path / "elsewhere")
    import_bundle(bundle, elsewhere)
    browser = serve(make_client(cache=elsewhere, offline=True), files="through")
    answer = browser.get("/snapshot/2021-03-01/files/demo/demo-1.1-py3-none-any.whl.metadata")
    assert answer.status_code == 504
    assert "install these locks instead of resolving again" in answer.text


def test_the_same_bundle_twice(make_client: MakeClient, tmp_path: Path) -> None:
    client = make_client()
    for name in ("one", "two"):
        export_bundle(client, NEEDS, tmp_path / name, until=UNTIL, with_files=True)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_what_the_index_lacks_is_named(make_client: MakeClient, tmp_path: Path) -> None:
    needs = [Need(name="demo", version="2.0"), Need(name="nothing"), Need(name="demo", version="1.0")]
    with pytest.raises(UsageError, match=r"demo==2.0, nothing;"):
        export_bundle(make_client(), needs, tmp_path / "b", until=UNTIL)
    assert not list(tmp_path.glob("*b*")), "nothing is left of it"


def rewritten(bundle: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    with zipfile.ZipFile(bundle) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(bundle, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return bundle


def with_manifest(**values: object) -> Callable[[dict[str, bytes]], None]:
    def change(members: dict[str, bytes]) -> None:
        members["bundle.json"] = json.dumps({**json.loads(members["bundle.json"]), **values}).encode()

    return change


def page_named(name: str, upstream: str = UPSTREAM) -> list[dict[str, object]]:
    return [{"upstream": upstream, "name": name, "fetched": 1, "exists": True, "hidden": 0}]


@pytest.mark.parametrize(
    "change",
    [
        with_manifest(format=2),
        with_manifest(files=["../../escape"]),
        with_manifest(files=["0" * 64]),
        with_manifest(pages=page_named("../../escape")),
        with_manifest(pages=page_named("Demo")),
        with_manifest(pages=page_named("demo", "file:///etc")),
        with_manifest(pages=page_named("demo") * 9),
        lambda members: members.update({f"files/{SHA256}": b"something else"}),
        lambda members: members.update({"pages/0.json": b"nonsense"}),
        lambda members: members.pop("bundle.json"),
    ],
)
def test_unsound_bundles(
    make_client: MakeClient, tmp_path: Path, change: Callable[[dict[str, bytes]], None]
) -> None:
    bundle = tmp_path / "b"
    export_bundle(make_client(), NEEDS, bundle, until=UNTIL, with_files=True)
    with pytest.raises(SourceError):
        import_bundle(rewritten(bundle, change), DiskCache(tmp_path / "elsewhere" / "cache"))
    assert not (tmp_path / "escape").exists()


def test_a_byte_that_flipped_on_the_way_is_no_bug(make_client: MakeClient, tmp_path: Path) -> None:
    bundle, random = tmp_path / "b", Random(7)
    export_bundle(make_client(), NEEDS, bundle, until=UNTIL, with_files=True)
    sound = bundle.read_bytes()
    refused = 0
    for number in range(60):
        data = bytearray(sound)
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        bundle.write_bytes(data)
        try:
            import_bundle(bundle, DiskCache(tmp_path / f"elsewhere{number}"))
        except SourceError:
            refused += 1
    assert refused > 20


def test_no_bundle_at_all(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"PK\x03\x04 nonsense")
    for name in ("b", "missing"):
        with pytest.raises(SourceError):
            import_bundle(tmp_path / name, DiskCache(tmp_path / "cache"))


def test_reading_needs(tmp_path: Path) -> None:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text(
        "# a comment\n--index-url https://x/\n-e .\nDemo==1.0 ; python_version > '3' \\\n"
        "    --hash=sha256:aa \\\n    --hash=sha256:bb  # why\nsetuptools\nlocal @ file:///x\nwild==1.*\n"
    )
    assert read_needs(requirements) == [
        Need(name="demo", version="1.0", hashes=frozenset({"sha256:aa", "sha256:bb"})),
        Need(name="setuptools"),
        Need(name="wild"),
    ]
    lock = tmp_path / "lock.json"
    distributions = [
        {"name": "Demo", "version": "1.00", "hashes": ["sha256:aa"]},
        {"name": "me", "version": "0", "source": "."},
    ]
    lock.write_text(json.dumps({"distributions": distributions}))
    assert read_needs(lock) == [Need(name="demo", version="1.0", hashes=frozenset({"sha256:aa"}))]
    pylock = tmp_path / "pylock.toml"
    pylock.write_text(
        'lock-version = "1.0"\n[[packages]]\nname = "demo"\nversion = "1.0"\n'
        '[[packages.wheels]]\nurl = "x"\nhashes = {sha256 = "aa"}\n'
        '[packages.sdist]\nhashes = {sha256 = "bb"}\n'
        '[[packages]]\nname = "tree"\ndirectory = {path = "."}\n'
    )
    assert read_needs(pylock) == [
        Need(name="demo", version="1.0", hashes=frozenset({"sha256:aa", "sha256:bb"}))
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"not a requirement!!"),
        ("a.txt", b"\xff\xfe"),
        ("a.json", b"{}"),
        ("a.toml", b"packages = 1"),
        ("a.toml", b"packages = [1]"),
        ("a.toml", b"["),
    ],
)
def test_what_is_no_lock(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigurationError, match=name):
        read_needs(tmp_path / name)
    with pytest.raises(ConfigurationError):
        read_needs(tmp_path / "missing.txt")


def test_the_export_says_how_far_it_is(make_client: MakeClient, tmp_path: Path) -> None:
    heard: list[str] = []

    class Heard:
        def report(self, event: Event) -> None:
            assert isinstance(event, Activity)
            heard.append(event.text)

    made = export_bundle(make_client(), NEEDS, tmp_path / "b", until=UNTIL, with_files=True, progress=Heard())
    assert sum(text.startswith("page ") for text in heard) == made.pages
    assert heard[-1] == f"file {made.files} of {made.files}"
