"""Private indexes and the public one behind one address."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.errors import MachineError, UsageError
from backdate.index.beside import indexes_together

ONE, OTHER = "https://private.example/simple", "https://pypi.org/simple"


def test_the_same_indexes_have_the_same_address_and_one_server_at_a_time(tmp_path: Path) -> None:
    with indexes_together([ONE], OTHER, tmp_path) as first:
        assert first.startswith("http://127.0.0.1:")
        with (
            pytest.raises(MachineError, match="another command with the same indexes"),
            indexes_together([ONE], OTHER, tmp_path),
        ):
            pass
        with indexes_together(["https://second.example/simple"], OTHER, tmp_path) as second:
            assert second != first
    with indexes_together([f"{ONE}/"], OTHER, tmp_path) as again:
        assert again == first


def test_addresses_with_credentials_are_refused(tmp_path: Path) -> None:
    refused = indexes_together(["https://a:b@private.example/simple"], OTHER, tmp_path)
    with pytest.raises(UsageError, match="has credentials"), refused:
        pass
