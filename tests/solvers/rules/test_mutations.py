"""Wrong rules that are planted do no harm, and superfluous edits that are planted are not in the patch."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from dead_names import missing, rename
from shaking_tree import DeadNamesRunner, FixedSource, no_evidence, solver, task_of
from slow_tests import others_slow

from backdate.advice import SourcePlace
from backdate.editing.apply import apply_patch
from backdate.solvers.interface import Assignment
from backdate.solvers.reasons import ProposalOrigin
from backdate.solvers.records import RunSettings, StopReason

RIGHT = {"product": "prod", "add": "sum"}


def project(random_numbers: random.Random) -> dict[str, str]:
    """Modules with dead names, living ones, and names on lines that never run."""
    files: dict[str, str] = {}
    for number in range(random_numbers.randint(1, 3)):
        lines = ["import lib"]
        for at in range(random_numbers.randint(1, 5)):
            name = random_numbers.choice(["product", "add", "prod", "sum"])
            lines.append(random_numbers.choice([f"x{at} = lib.{name}", f"if 0: n{at} = lib.{name}", "y = 1"]))
        files[f"m{number}.py"] = "\n".join(lines) + "\n"
    files["m0.py"] += "z = lib.product\n"
    return files


def mended(files: dict[str, str]) -> dict[str, str]:
    """What a careful person makes of them: dead names that run are renamed, and nothing else is."""
    after = {}
    for name, text in files.items():
        lines = []
        for line in text.splitlines():
            old = line.rpartition("lib.")[2]
            runs = line.startswith(("x", "z")) and old in RIGHT
            lines.append(line.replace(old, RIGHT[old]) if runs else line)
        after[name] = "\n".join(lines) + "\n"
    return after


def wrong_rules(files: dict[str, str], seed: int) -> FixedSource:
    """Right rules, and before or behind them one that writes a name which is not there."""
    everywhere = [
        SourcePlace(file=name, line=line)
        for name, text in files.items()
        for line in range(1, text.count("\n") + 1)
    ]

    def propose(group, evidence):
        name = group.cause.name
        if name not in RIGHT:
            return []
        right, wrong = rename(name, RIGHT[name], *group.places), rename(name, "wrong", *everywhere)
        return [wrong, right] if random.Random(f"{name}{seed}").random() < 0.5 else [right, wrong]

    return FixedSource(ProposalOrigin.WRITTEN_RULE, propose)


def superfluous(files: dict[str, str]):
    """Evidence that foresees failures on lines which never run, so that they are edited as well."""
    groups = tuple(
        missing(name, SourcePlace(file=file, line=number))
        for file, text in files.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if line.startswith("if 0:") and (name := line.rpartition("lib.")[2]) in RIGHT
    )

    def gathered(assignment, tree, given, *, log_folder):
        return replace(no_evidence(assignment, tree, given, log_folder=log_folder), foreseen=groups)

    return gathered


@pytest.mark.parametrize("seed", others_slow(range(30), kept=range(10)))
def test_what_is_planted_is_not_in_the_patch(seed: int, tmp_path) -> None:
    files = project(random.Random(seed))
    runner = DeadNamesRunner(files)
    scratch, logs = tmp_path / "scratch", tmp_path / "logs"
    scratch.mkdir()
    logs.mkdir()
    fixed = replace(solver(wrong_rules(files, seed)), gather=superfluous(files))
    result = fixed.attempt(
        Assignment(
            task=task_of(),
            settings=RunSettings(solver="rules", tests=20),
            task_runner=runner,
            scratch=scratch,
            logs=logs,
        )
    )
    tree = tmp_path / "tree"
    runner.make_tree(None, tree)
    if result.patch:
        apply_patch(result.patch, tree)
    after = {name: (tree / name).read_text() for name in files}
    assert result.ending is StopReason.SOLVED
    assert after == mended(files)
