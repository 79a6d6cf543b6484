"""Whose a connection is, as the kernel tells it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from backdate.errors import MachineError
from backdate.index import peers


@pytest.mark.parametrize("mapped", [False, True])
def test_a_connection_of_this_process_is_its_users(mapped: bool) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.socket(socket.AF_INET6 if mapped else socket.AF_INET) as client,
    ):
        own = listening.getsockname()
        try:
            client.connect((f"::ffff:{own[0]}" if mapped else own[0], own[1]))
        except OSError as error:
            pytest.skip(f"this machine has no IPv6: {error}")
        peer = ("127.0.0.1", client.getsockname()[1])
        assert peers.is_of_this_user(peer, own)
        assert not peers.is_of_this_user(own, peer) or os.geteuid() == 0
        assert not peers.is_of_this_user(("127.0.0.2", peer[1]), own)
        client.close()
    assert not peers.is_of_this_user(peer, own) or os.geteuid() == 0


def test_a_machine_that_does_not_tell_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "_TABLES", (tmp_path / "tcp",))
    with pytest.raises(MachineError, match="mount /proc"):
        peers.require_tables()
