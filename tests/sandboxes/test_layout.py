from pathlib import Path

import pytest

from backdate.errors import UsageError
from backdate.sandboxes.interface import Command, Mount, Workspace
from backdate.sandboxes.layout import check

COMMAND = Command(argv=("true",), cwd="/")


def test_mounts_that_the_base_system_shows_are_allowed() -> None:
    usr = Path("/usr")
    check(COMMAND, Workspace(mounts=(Mount(source=usr, target="/usr"),)))
    with pytest.raises(UsageError, match="base system"):
        check(COMMAND, Workspace(mounts=(Mount(source=usr, target="/usr", writable=True),)))
    with pytest.raises(UsageError, match="base system"):
        check(COMMAND, Workspace(mounts=(Mount(source=Path("/tmp"), target="/usr"),)))
