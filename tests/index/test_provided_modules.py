"""Which distribution provides a module: read from the names in archives."""

import gzip
import io
import tarfile
import tracemalloc
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.index.archive_names import modules_of, sdist_members, wheel_members
from backdate.index.provided_modules import ProvidedModules
from backdate.index.upstream import IndexClient

AT = datetime(2021, 3, 1, tzinfo=UTC)


def _wheel(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "x" * 1000)
    return buffer.getvalue()


def _sdist(*names: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(f"p-1/{name}"))
    return buffer.getvalue()


def test_the_end_of_a_wheel_is_enough() -> None:
    data = _wheel(
        "a/__init__.py",
        "a/b.py",
        "c.cpython-38-x86_64-linux-gnu.so",
        "p-1.data/purelib/d.py",
        "p-1.dist-info/METADATA",
    )
    members = wheel_members(data[3000:])
    assert members is not None
    assert modules_of(members) == ("a", "a.b", "c", "d")
    assert wheel_members(data[-20:]) is None


def test_an_sdist_shows_what_is_below_its_usual_folders() -> None:
    data = _sdist("setup.py", "src/a/__init__.py", "b/c/d.py", "docs/conf-file.py")
    found = modules_of(sdist_members("p-1.tar.gz", data), sdist=True)
    assert {"a", "b.c.d"} <= set(found)
    assert "setup" not in found


@given(st.binary(max_size=2000))
def test_garbage_holds_nothing(data: bytes) -> None:
    assert wheel_members(data) is None
    assert modules_of(sdist_members("p-1.tar.gz", data), sdist=True) == ()


def _header(kind: bytes, size: bytes) -> bytes:
    """The header of a member of a kind that is read whole, with a size that tarfile would not write."""
    member = tarfile.TarInfo("././@LongLink")
    member.type = kind
    block = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    block[124:136] = size
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


@pytest.mark.slow
@pytest.mark.parametrize(
    "size",
    [
        pytest.param(b"\xff" * 10 + b"\xf0\x00", id="negative: all of it"),
        pytest.param(b"\x80" + b"\0" * 4 + b"\xff" + b"\0" * 6, id="terabytes"),
        pytest.param(b"\x80" + b"\xff" * 11, id="no number of the machine"),
        pytest.param(b"00777777777\0", id="a gigabyte"),
    ],
)
@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.REGTYPE])
def test_no_header_is_gathered_in_memory(kind: bytes, size: bytes) -> None:
    first = tarfile.TarInfo("p-1/a.py").tobuf(tarfile.GNU_FORMAT)
    data = gzip.compress(first + _header(kind, size) + bytes(200_000_000), compresslevel=1)
    tracemalloc.start()
    try:
        assert modules_of(sdist_members("p-1.tar.gz", data), sdist=True) == ("a",)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def test_names_that_announce_names_without_end() -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 2
    one = header.tobuf(tarfile.GNU_FORMAT) + b"a\0".ljust(512, b"\0")
    data = gzip.compress(tarfile.TarInfo("p-1/a.py").tobuf(tarfile.GNU_FORMAT) + one * 3000)
    assert modules_of(sdist_members("p-1.tar.gz", data), sdist=True) == ("a",)


@pytest.mark.network
def test_what_the_index_shows(tmp_path: Path) -> None:
    with IndexClient() as client:
        names = ProvidedModules(client, tmp_path)
        assert names.providers("yaml", ("yaml", "PyYAML"), AT) == ("PyYAML",)
        assert names.providers("google.cloud.storage", ("google-cloud-storage",), AT) == (
            "google-cloud-storage",
        )
        assert names.providers("docopt", ("docopt", "../x", "no such"), AT) == ("docopt",)
        assert len(list(tmp_path.iterdir())) == 3
        assert names.versions("attrs", AT)[-1] == "20.3.0"
        assert names.has_wheels("attrs", AT)
        assert not names.has_wheels("pygraphviz", AT)
        later = names.first_upload("attrs", "21.3.0", AT)
        assert later is not None
        assert later.date().isoformat() == "2021-12-28"
        assert names.first_upload("attrs", "20.3.0", AT) is None
        assert names.versions("no-such-distribution-of-a-test", AT) == ()


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["m-1.tar.gz", "m-1-cp38-cp38-win_amd64.whl", "m-1-cp38-cp38-macosx_10_15_x86_64.whl"], False),
        (["m-1.tar.gz", "m-1-cp38-cp38-manylinux1_x86_64.whl"], True),
        (["m-1-py3-none-any.whl"], True),
        (["m-1.tar.gz"], False),
    ],
)
def test_wheels_of_other_systems_are_none(files: list[str], *, expected: bool) -> None:
    page = SimpleNamespace(before=lambda _at: [SimpleNamespace(filename=name) for name in files])
    client = SimpleNamespace(project_page=lambda _name, at: page)
    assert ProvidedModules(client, None).has_wheels("m", AT) is expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wanted", "day"),
    [("0.2.0", 6), (">=0.2.0", 6), ("==0.2.0", 6), ("==0.0.*", 3), (None, 3), (">=1", None), ("x y", None)],
)
def test_the_first_upload_is_that_of_a_wanted_version(wanted: str | None, day: int | None) -> None:
    files = tuple(
        SimpleNamespace(version=version, upload_time=datetime(2023, month, 1, tzinfo=UTC))
        for version, month in (("0.0.1", 3), ("0.2.0", 6), ("0.3.0", 9), (None, 12))
    )
    names = ProvidedModules(SimpleNamespace(project_page=lambda name, at: SimpleNamespace(files=files)))  # type: ignore[arg-type]
    found = names.first_upload("ml-dtypes", wanted, datetime(2022, 6, 1, tzinfo=UTC))
    assert (found.month if found else None) == day


@pytest.mark.parametrize(
    ("wanted", "python", "expected"),
    [
        ("<2.0", "3.13.0", True),
        ("<2.0", "3.11.7", False),
        ("<3.0", "3.13.0", False),
        ("<1.0", "3.13.0", False),
    ],
)
def test_what_only_other_interpreters_have_wheels_of_would_be_compiled(
    wanted: str, python: str, *, expected: bool
) -> None:
    files = [
        ("0.9", "m-0.9.tar.gz", 90_000),
        ("0.9", "m-0.9-cp36-cp36m-manylinux1_x86_64.whl", 1),
        ("1.5", "m-1.5.tar.gz", 5_000_000),
        ("1.5", "m-1.5-cp311-cp311-manylinux_2_17_x86_64.whl", 1),
        ("1.5", "m-1.5-cp313-cp313-win_amd64.whl", 1),
        ("2.2", "m-2.2-cp313-cp313-manylinux_2_17_x86_64.whl", 1),
    ]
    served = [
        SimpleNamespace(filename=name, version=version, size_bytes=size, yanked=False)
        for version, name, size in files
    ]
    client = SimpleNamespace(project_page=lambda _name, at: SimpleNamespace(before=lambda _at: served))
    names = ProvidedModules(client, None)  # type: ignore[arg-type]
    assert names.wants_compiling("m", wanted, python, AT) is expected
