import ast
import errno
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate import serial
from backdate.errors import ConfigurationError, DiskFull, StoredDataError
from backdate.serial import digest, from_json, read_limited, to_json, write_whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    text: str
    number: int
    path: Path
    many: tuple[str, ...] = ()


SAMPLES = st.builds(
    Sample,
    text=st.text(),
    number=st.integers(min_value=-(2**60), max_value=2**60),
    path=st.sampled_from([Path("a/b"), Path("/x")]),
    many=st.lists(st.text()).map(tuple),
)


@given(SAMPLES)
def test_written_and_read_again(sample: Sample) -> None:
    assert from_json(Sample, to_json(sample)) == sample
    assert from_json(Sample, to_json(sample, indent=2)) == sample


@given(st.binary())
def test_garbage_is_one_kind_of_error(data: bytes) -> None:
    with pytest.raises(StoredDataError, match="the thing"):
        from_json(Sample, data, what="the thing")


@given(SAMPLES, SAMPLES)
def test_digests_tell_values_apart(one: Sample, other: Sample) -> None:
    assert (digest(one) == digest(other)) == (to_json(one) == to_json(other))


def test_digest_knows_where_a_value_ends() -> None:
    assert digest("a", "b") != digest("ab", "") != digest("ab")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "deep" / "file.json"
    write_whole(target, b"old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(DiskFull, match="free some"):
        write_whole(target, b"new")
    assert target.read_bytes() == b"old"
    assert [path.name for path in target.parent.iterdir()] == ["file.json"]


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0, 0o644)])
def test_who_may_read_a_file_is_the_umask_s_matter(tmp_path: Path, mask: int, mode: int) -> None:
    before = os.umask(mask)
    try:
        write_whole(tmp_path / ("é" * 120), b"new")
    finally:
        os.umask(before)
    (path,) = tmp_path.iterdir()
    assert path.stat().st_mode & 0o777 == mode


def test_what_is_not_unicode_is_written_out() -> None:
    assert to_json({"caf\udce9": ["\udce9", 1]}) == b'{"caf\\\\udce9":["\\\\udce9",1]}'


DECODED_BY_SEVERAL_THREADS = """
import json, sys, threading
from backdate.checking.result import CheckResult
from backdate.environments.environment import Environment
from backdate.errors import StoredDataError
from backdate.serial import from_builtins, from_json
from backdate.solvers.journal import JournalEntry

sys.setswitchinterval(1e-6)
kinds = [Environment, CheckResult, JournalEntry] * 3
start = threading.Barrier(len(kinds))

def read(kind):
    start.wait()
    text = '{"key": "a", "choice": {"interpreter": {"version": "3"}}, "worked_s": 1, "started": 1}'
    try:
        from_builtins(kind, json.loads(text)) if "builtins" in sys.argv else from_json(kind, text.encode())
    except (StoredDataError, ValueError):
        pass

threads = [threading.Thread(target=read, args=(kind,)) for kind in kinds]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.mark.parametrize("form", ["json", "builtins"])
def test_the_first_values_of_a_type_may_be_read_by_several_threads(form: str) -> None:
    for _ in range(5):  # half of these ended with a crash of the interpreter
        ended = subprocess.run([sys.executable, "-c", DECODED_BY_SEVERAL_THREADS, form], check=False)
        assert ended.returncode == 0


def learns_a_type(call: ast.Call) -> bool:
    """Whether ``call`` has msgspec learn a type, as only one thread at a time may."""
    name = ast.unparse(call.func)
    return (
        name.endswith("msgspec.convert")
        or (name.endswith(".Decoder") and bool(call.args or call.keywords))
        or (name.endswith("json.decode") and (len(call.args) > 1 or bool(call.keywords)))
    )


def test_types_are_learnt_in_one_place() -> None:
    found = {
        path.name
        for path in Path(serial.__file__).parent.rglob("*.py")
        if "msgspec" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and learns_a_type(node)
    }
    assert found == {"serial.py"}


def test_a_file_of_a_user_is_read_up_to_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    with pytest.raises(ConfigurationError, match=r"the price file .* cannot be read: No such file"):
        read_limited(path, limit=3, what="the price file")
    path.write_bytes(b"abc")
    assert read_limited(path, limit=3, what="the price file") == b"abc"
    with pytest.raises(ConfigurationError, match="holds more than 2 bytes"):
        read_limited(path, limit=2, what="the price file")
