"""Whole builds in the small world: what comes out, killed again and again, moved to another target."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cache_folders import environment_names
from patience import PATIENCE_S
from small_world import build_command, contents

from backdate.construction.build import build_folder
from backdate.construction.ledger_view import read_ledger
from backdate.tasks.dataset import Dataset
from backdate.tasks.kinds.migration import migration_facts


def run(command: list[str], *, timeout: float = PATIENCE_S) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)


def test_what_comes_out(world) -> None:
    dataset = Dataset.open(world.dataset)
    assert dataset.check() == ()
    assert [task.instance_id.partition("-")[0] for task in dataset.tasks] == ["breaks", "mended"]
    breaks, mended = dataset.tasks
    assert {test.id.rpartition(".")[2]: test.role for test in breaks.tests} == {
        "test_loud": "fail-to-pass",
        "test_plain": "pass-to-pass",
    }
    assert "has no attribute 'shout'" in migration_facts(breaks).causes[0]
    assert breaks.patches.preparation.endswith("-brittle==1.0\n+brittle\n")
    assert breaks.proof is not None
    assert breaks.proof.solvable == "unproven"
    assert mended.proof is not None
    assert mended.proof.solvable == "later commit"
    assert {one.name: one.version for one in breaks.environment.distributions}["brittle"] == "2.0"


def test_nothing_that_is_published_names_a_folder_of_this_machine(world) -> None:
    place = str(world.names.parent).encode()
    assert [task.source.url for task in Dataset.open(world.dataset).tasks] == ["", ""]
    for path in world.dataset.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert place not in (gzip.decompress(data) if path.suffix == ".gz" else data), path


def test_every_entry_left_for_a_reason_or_is_a_task(world) -> None:
    with read_ledger(build_folder(world.dataset)) as ledger:
        left = {(one.name, one.stage) for one in ledger.left()}
        assert ledger.total() == 9
    assert left == {
        ("copied", "duplicate"),
        ("steady", "new-tests"),
        ("guarded", "stated-licence"),
        ("failing", "new-tests"),
        ("untested", "tests"),
        ("gone", "window"),
        ("breaks", "repeated"),
    }
    funnel = json.loads((world.dataset / "funnel.json").read_bytes())
    assert {(one["name"], one["stage"]) for one in funnel["excluded"]} == left
    assert funnel["funnel"]["tasks"] == 2
    assert "tasks" in world.said


@pytest.mark.slow
def test_the_funnel_is_told(world) -> None:
    command = [*build_command(world.names, world.dataset, world.index, world.cache)[:3], "bench", "funnel"]
    shown = run([*command, str(world.dataset)])
    assert "1 the same files as another" in shown.stdout
    excluded = run([*command, str(world.dataset), "--excluded", "duplicate"])
    assert excluded.stdout.startswith("copied@")
    assert "breaks, 100% alike" in excluded.stdout
    assert run([*command, str(world.dataset), "--excluded", "nonsense"]).returncode == 3


@pytest.mark.slow
def test_a_finished_build_does_nothing_and_another_one_is_refused(world) -> None:
    before = {path: path.stat().st_mtime_ns for path in world.dataset.rglob("*")}
    # An index that is not there: nothing is asked any more, and it is no other plan that says so.
    command = build_command(world.names, world.dataset, world.index, world.cache)
    assert run([*command, "--resume"]).returncode == 0
    assert {path: path.stat().st_mtime_ns for path in world.dataset.rglob("*")} == before
    assert "--resume" in run(command).stderr
    other = run([*command, "--resume", "--stars", "7"])
    assert other.returncode == 3
    assert "other parameters" in other.stderr


@pytest.mark.slow
def test_another_target_costs_the_new_side_alone(world, tmp_path: Path) -> None:
    store = world.cache / "construction"

    def entries() -> dict[str, set[str]]:
        return {room.name: {path.name for path in room.iterdir()} for room in store.iterdir()}

    before = entries()
    command = build_command(world.names, tmp_path / "earlier", world.index, world.cache, "--jobs", "2")
    command[command.index("--to") + 1] = "2024-06-01"
    done = run(command)
    assert done.returncode == 0, done.stderr
    after = entries()
    assert after["examined"] == before["examined"]
    assert after["trees"] == before["trees"]
    assert len(after["sides"] - before["sides"]) == 4  # the new sides of those that were run
    assert after["runs"] == before["runs"]
    assert Dataset.open(tmp_path / "earlier").tasks == ()


@pytest.mark.slow
def test_culprits_are_found_between_the_sides_that_were_built(world, tmp_path: Path) -> None:
    def environments() -> set[str]:
        return environment_names(world.cache)

    before = environments()
    dataset = tmp_path / "culprits"
    done = run(build_command(world.names, dataset, world.index, world.cache, "--jobs", "2", "--culprits"))
    assert done.returncode == 0, done.stderr
    tasks = Dataset.open(dataset).tasks
    assert {task.instance_id.partition("-")[0] for task in tasks} == {"breaks", "mended"}
    for task in tasks:
        assert [(one.distribution, one.version) for one in migration_facts(task).culprits] == [
            ("brittle", "2.0")
        ]
        assert migration_facts(task).culprits[0].confirmed
    # One release moved: only the newest with the culprit held back may be new, and the old side unpinned.
    assert len(environments() - before) <= 2 * len(tasks)


@pytest.mark.slow
def test_tasks_verify_from_the_data_set_alone(world, tmp_path: Path) -> None:
    copy, cache = tmp_path / "copy", tmp_path / "cache"
    shutil.copytree(world.dataset, copy)
    cache.mkdir()
    shutil.copyfile(world.cache / "interpreters.json", cache / "interpreters.json")
    python = build_command(world.names, copy, world.index, cache)[:3]
    where = ("--index-url", world.index, "--cache", str(cache), "--repos", str(tmp_path), "--repeats", "1")
    done = run([*python, "bench", "verify", str(copy), *where])
    assert "2 of 2 as published (100.00%)" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0, done.stdout + done.stderr
    assert "gold unproven: 2 of them" in done.stdout
    again = [*python, "bench", "verify", str(copy), *where, "--require-gold"]
    assert run(again).returncode == 1
    before, after = Dataset.open(world.dataset).tasks, Dataset.open(copy).tasks
    for built, verified in zip(before, after, strict=True):
        assert built.proof is not None
        assert verified.proof is not None
        assert (verified.proof.origin, verified.proof.start) == ("pass", "fail")
        assert verified.proof.proven > built.proof.proven
        assert verified.tests == built.tests
        assert set(built.proof.notes) <= set(verified.proof.notes)


@pytest.mark.slow
def test_killed_again_and_again_it_comes_to_the_same(world, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    shutil.copyfile(world.cache / "interpreters.json", cache / "interpreters.json")
    dataset = tmp_path / "undisturbed"
    command = build_command(world.names, dataset, world.index, cache, "--jobs", "2", "--resume")
    patience, kills = 1.0, 0
    while True:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, said = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
            kills += 1
            patience *= 1.5
            continue
        assert process.returncode == 0, said
        break
    assert kills >= 2
    assert contents(dataset) == contents(world.dataset)
    assert not [path for path in dataset.parent.iterdir() if path.name.startswith(".undisturbed")]


def end(command: list[str], *, when: Callable[[], bool]) -> tuple[int, str]:
    """Start ``command``, send it SIGTERM once ``when`` says so, and give its exit status and what it said."""
    process = subprocess.Popen(
        ["env", "--default-signal=TERM", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not when():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.terminate()
        _, said = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
    return process.returncode, said


def naming(text: str) -> list[str]:
    """The processes whose command line names ``text``: drivers, and what runs in their sandboxes."""
    lines = subprocess.run(
        ["ps", "-eo", "pid,args", "-ww"], capture_output=True, text=True, check=True
    ).stdout
    return [line for line in lines.splitlines() if text in line]


@pytest.mark.slow
def test_terminated_it_leaves_nothing_behind_and_goes_on(world, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    shutil.copyfile(world.cache / "interpreters.json", cache / "interpreters.json")
    dataset = tmp_path / "undisturbed"
    command = build_command(world.names, dataset, world.index, cache, "--jobs", "2", "--resume")
    status, said = end(command, when=lambda: bool(environment_names(cache)))
    assert status == 143, said
    assert "terminated; nothing half-built was left" in said
    assert naming(str(tmp_path)) == []
    assert environment_names(cache) <= {path.stem for path in (cache / "records").glob("*.json")}
    with contextlib.closing(sqlite3.connect(build_folder(dataset) / "ledger.sqlite")) as ledger:
        assert ledger.execute("SELECT count(*) FROM candidates WHERE until IS NOT NULL").fetchone() == (0,)
    done = run(command)
    assert done.returncode == 0, done.stderr
    assert contents(dataset) == contents(world.dataset)

    python, tasks = command[:3], dataset / "tasks"
    verify = [*python, "bench", "verify", str(dataset), "--index-url", world.index, "--cache", str(cache)]
    status, said = end(verify, when=lambda: any(tasks.glob("*/logs/*")))
    assert status == 143, said
    assert naming(str(tmp_path)) == []
    assert run([*verify, "--repeats", "1"]).returncode == 0


@pytest.mark.slow
def test_workers_of_a_batch_system_one_of_which_is_killed(world, tmp_path: Path) -> None:
    dataset = tmp_path / "undisturbed"
    driver = subprocess.Popen(
        build_command(world.names, dataset, world.index, world.cache, "--jobs", "0"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    spool = build_folder(dataset) / "spool"
    try:
        until = time.monotonic() + PATIENCE_S
        while not (spool / "jobs").is_dir() or not any((spool / "jobs").iterdir()):
            assert time.monotonic() < until
            assert driver.poll() is None
            time.sleep(0.05)
        python = build_command(world.names, dataset, world.index, world.cache)[:3]
        lost = subprocess.Popen([*python, "worker", str(dataset)], stdout=subprocess.DEVNULL)
        while not any((spool / "claims").iterdir()):
            assert time.monotonic() < until
            time.sleep(0.01)
        lost.kill()
        lost.wait()
        for claim in (spool / "claims").iterdir():
            os.utime(claim, (1, 1))  # as if it had been silent for long
        done = run([*python, "worker", str(dataset)])
        assert done.returncode == 0, done.stderr
        _, said = driver.communicate(timeout=PATIENCE_S)
        assert driver.returncode == 0, said
    finally:
        driver.kill()
        driver.communicate()
    assert contents(dataset) == contents(world.dataset)


@pytest.mark.slow
def test_a_cluster_of_three_workers_one_of_which_is_killed(world, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    script = Path(__file__).parents[1] / "support" / "small_cluster.py"
    python = build_command(world.names, tmp_path, world.index, world.cache)[0]
    cluster = subprocess.Popen(
        [python, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    cache = tmp_path / "cache"
    cache.mkdir()
    shutil.copyfile(world.cache / "interpreters.json", cache / "interpreters.json")
    dataset = tmp_path / "undisturbed"
    try:
        assert cluster.stdout is not None
        address, *pids = json.loads(cluster.stdout.readline())
        more = ("--cluster", address, "--store", f"file://{tmp_path}/store")
        driver = subprocess.Popen(
            build_command(world.names, dataset, world.index, cache, *more),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        until = time.monotonic() + PATIENCE_S
        while not (tmp_path / "store" / "sides").is_dir():  # the first of its results are there
            assert time.monotonic() < until
            assert driver.poll() is None, driver.communicate()
            time.sleep(0.02)
        os.kill(pids[0], signal.SIGKILL)
        _, said = driver.communicate(timeout=PATIENCE_S)
        assert driver.returncode == 0, said
    finally:
        cluster.kill()
        cluster.communicate()
    assert contents(dataset) == contents(world.dataset)
