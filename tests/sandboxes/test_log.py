"""The log of bounded size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from backdate.sandboxes.log import BoundedLog


@given(chunks=st.lists(st.binary(max_size=40), max_size=12), limit=st.integers(2, 60))
def test_first_and_last_half_are_kept(tmp_path_factory, chunks, limit):
    path = tmp_path_factory.getbasetemp() / "log"
    with BoundedLog(path, limit) as log:
        for chunk in chunks:
            log.write(chunk)
    written, kept = b"".join(chunks), path.read_bytes()
    if len(written) <= limit:
        assert kept == written
        assert log.dropped == 0
    else:
        head, tail = written[: limit // 2], written[len(written) - (limit - limit // 2) :]
        assert log.dropped == len(written) - limit
        assert kept == head + b"\n[... %d bytes of output were left out here ...]\n" % log.dropped + tail


def test_an_old_log_is_replaced(tmp_path):
    (tmp_path / "log").write_text("a longer text from before")
    with BoundedLog(tmp_path / "log", 100) as log:
        log.write(b"new")
    log.close()
    assert (tmp_path / "log").read_text() == "new"
