"""Names asked in warm processes have the answers that processes of their own give."""

from __future__ import annotations

from pathlib import Path

from two_releases import with_library

from backdate.diagnosis.api import probe
from backdate.diagnosis.homes import find_homes
from backdate.sandboxes.interface import Sandbox
from backdate.snippets.warm.asking import WarmQuestions
from backdate.snippets.warm.kept import KeptServers

LIBRARY = {
    "lib/__init__.py": """
import os
print("no line of its own", end="")
PLACE = os.sep
def thing(a, size=1): "Makes a thing."
other = thing
""",
    "lib/ends.py": "import os\nos._exit(3)\n",
}
NAMES = ["lib.thing", "lib.PLACE", "lib.none", "json.dumps"]


def test_answers_are_those_of_a_process_of_its_own(tmp_path: Path, one_sandbox: Sandbox) -> None:
    environment = with_library(tmp_path / "env", "lib", "1.0", LIBRARY)
    with KeptServers(one_sandbox) as servers:
        asks = WarmQuestions(sandbox=one_sandbox, servers=servers)
        assert probe(one_sandbox, environment, NAMES, by=asks) == probe(one_sandbox, environment, NAMES)
        homes = find_homes(one_sandbox, environment, names=NAMES, owners=["lib"], by=asks)
        assert homes == find_homes(one_sandbox, environment, names=NAMES, owners=["lib"])
        assert homes.aliases["lib.thing"] == ("lib.other",)
        ending = probe(one_sandbox, environment, ["lib.thing", "lib.ends.x"], by=asks)
    assert [member.name for member in ending.members] == ["lib.thing"]
    assert ending.trouble
