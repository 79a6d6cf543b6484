"""A test replaces the file that its outcome is read from: by a link to a host file, a pipe, a folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_suites import RunSuite

from backdate.testing.integrity import Witnessing

ATTACK = """
import os, sys
reached = []
for line in open("/proc/self/mountinfo"):
    place = line.split()[4].replace("\\\\040", " ")
    if place.startswith(("/proc", "/dev", "/sys")):
        continue
    files = [place] if os.path.isfile(place) else [
        os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names
        if name.endswith((".jsonl", ".json", ".xml"))
    ] if place.count("/") > 1 else []
    for path in files:
        try:
            os.unlink(path)
            REPLACE
            reached.append(path)
        except OSError:
            try:
                os.truncate(path, 0)
                reached.append(path)
            except OSError:
                pass
def test_it():
    assert 0
def test_more():
    assert 0
"""
REPLACEMENTS = {
    "a link": 'os.symlink("VICTIM", path)',
    "a pipe": "os.mkfifo(path)",
    "a folder": "os.mkdir(path)",
    "an endless file": 'open(path, "w").truncate(1 << 40)',
}


@pytest.mark.parametrize(
    "kind", [pytest.param(one, marks=() if one == "a link" else pytest.mark.slow) for one in REPLACEMENTS]
)
def test_nothing_is_read_through_it(kind: str, run_suite_of: RunSuite, tmp_path: Path) -> None:
    victim = tmp_path / "host-file"
    forged = '{"event":"phase","pid":1,"id":"test_odd.py::test_it","when":"call","outcome":"passed"}\n'
    victim.write_text(forged * 3, encoding="utf-8")
    attack = ATTACK.replace("REPLACE", REPLACEMENTS[kind].replace("VICTIM", str(victim)))
    run = run_suite_of({"test_odd.py": attack}, "pytest", witness=False)
    assert not [result for result in run.results if result.outcome.value == "passed"]
    assert run.integrity.state is not Witnessing.WITNESSED or len(run.results) == 2
    assert victim.read_text(encoding="utf-8") == forged * 3
