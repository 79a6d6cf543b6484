"""A snapshot bundle whose last file is bad has put its pages and other files into the cache before."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from backdate.errors import SourceError
from backdate.index.bundle import import_bundle
from backdate.index.cache import DiskCache

UPSTREAM = "https://index.example/simple/"
PLANTED = b"a wheel that nobody asked for"
SHA256 = hashlib.sha256(PLANTED).hexdigest()
ENTRY = {
    "filename": "demo-1.0-py3-none-any.whl",
    "url": "https://files.example/demo-1.0-py3-none-any.whl",
    "hashes": {"sha256": SHA256},
    "upload-time": "2020-01-01T00:00:00Z",
}


def bundle(path: Path, files: dict[str, bytes], *, pages: int = 1) -> Path:
    page = {"upstream": UPSTREAM, "name": "demo", "fetched": 1, "exists": True, "hidden": 0}
    manifest = {"format": 1, "pages": [page] * pages, "files": list(files)}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bundle.json", json.dumps(manifest))
        archive.writestr("pages/0.json", json.dumps({"meta": {}, "name": "demo", "files": [ENTRY]}))
        for name, content in files.items():
            archive.writestr(f"files/{name}", content)
    return path


@pytest.mark.parametrize(
    ("files", "pages"),
    [
        ({SHA256: PLANTED, "0" * 64: b"another content"}, 1),
        ({SHA256: PLANTED, "../../escape": b"x"}, 1),
        ({SHA256: PLANTED}, 2),
    ],
)
def test_a_bundle_with_a_bad_part_leaves_nothing_behind(
    tmp_path: Path, files: dict[str, bytes], pages: int
) -> None:
    cache = DiskCache(tmp_path / "cache")
    with pytest.raises(SourceError):
        import_bundle(bundle(tmp_path / "bad", files, pages=pages), cache)
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []
    assert cache.load_page(UPSTREAM, "demo") is None
    assert not (tmp_path / "escape").exists()


def test_a_good_one_is_taken_whole(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path / "cache")
    import_bundle(bundle(tmp_path / "good", {SHA256: PLANTED}), cache)
    assert cache.file_path(SHA256).read_bytes() == PLANTED
    assert cache.load_page(UPSTREAM, "demo") is not None
    assert not list(cache.folder.glob(".import-*"))
