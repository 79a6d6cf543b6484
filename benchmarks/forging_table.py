"""Which mechanism catches which forgery: the attacks of ``tests/attacks``, as a table in Markdown.

    python benchmarks/forging_table.py [--only NAME]... [--seeds 20] [--checked 1]

Every attack solves nothing. Each is run with all mechanisms off (is it scored as solved?), then watched
(what finds it: authentic events, canaries, the witness), then judged alone: every sound change of every
test is run once under the attack, in runs in which up to three quarters of the tests are changed, and the
verdicts of the seeds at k = 1, 3 and 10 are put together from these outcomes by the code that decides judge
runs. That is right as far as what becomes of a changed test does not depend on which others are changed; to
see whether it does, ``--checked`` seeds at each k are run for real, and it says how many agree. Attacks
that need other files than the one they are in are also handed in as patches: "not editable" says whether
the policy of migration tasks takes these files out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))  # the suites are those of the tests

from forgery_runs import HostileProject, record_changes, unwatched  # noqa: E402
from hostile_suites import BY_REASON, Mechanism, hostile_files  # noqa: E402

from backdate.editing.diff import diff_files  # noqa: E402
from backdate.evaluation.answer_patch import RejectedAnswer, take_patch  # noqa: E402
from backdate.tasks.judge_runs.deciding import JudgeSettings, JudgeVerdict, judge_answer  # noqa: E402
from backdate.tasks.kinds.choose import edit_policy_of  # noqa: E402
from backdate.tasks.task import Task  # noqa: E402
from backdate.testing.outcomes import SuiteRun  # noqa: E402

SIZES = (1, 3, 10)
PYTEST_ONLY = {
    "blinded",
    "dropped_exceptions",
    "emptied_functions",
    "patient",
    "planted_listener",
    "planted_protocol",
    "planted_wrapper",
    "conftest_hook",
    "configured_plugin",
    "entry_point",
}
UNITTEST_CASES = {"replaced_run"}
"""What pytest runs as unittest's classes."""
WITH_PLUGINS = {"entry_point"}
"""What needs that pytest looks for plugins of installed distributions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One attack under one runner."""

    name: str
    runner: str
    code: str = ""
    """Stands before the code that is tested."""
    planted: Mapping[str, str]
    """Other files, by their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What came of an attack."""

    attack: Attack
    solved: bool
    """With all mechanisms off."""
    caught_by: frozenset[Mechanism]
    judged: Mapping[int, Counter[JudgeVerdict]]
    """By k the verdicts of the seeds."""
    agreeing: int
    checked: int
    """Judge runs that were run for real, and how many of them said what was put together."""
    refused: bool
    """Whether an answer with these files is left without them."""

    @property
    def caught(self) -> bool:
        """Whether all mechanisms together refuse it for every seed and k."""
        return bool(self.caught_by) or self.refused or not any(map(_passing, self.judged.values()))


def attacks() -> Iterator[Attack]:
    """Every attack, under each runner that it is for."""
    folder = ROOT / "tests" / "attacks"
    for path in sorted((folder / "forging").glob("*.py")):
        for runner in _runners(path.stem):
            yield Attack(name=path.stem, runner=runner, code=path.read_text(), planted={})
    for place in sorted((folder / "planted_files").iterdir()):
        files = {path.relative_to(place).as_posix(): path.read_text() for path in _files(place)}
        for runner in _runners(place.name):
            yield Attack(name=place.name, runner=runner, planted=files)


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]


def _runners(name: str) -> tuple[str, ...]:
    first = "pytest-cases" if name in UNITTEST_CASES else "pytest"
    return (first,) if name in PYTEST_ONLY else (first, "unittest")


def measure(
    attack: Attack, project: HostileProject, task: Task, folder: Path, seeds: int, checked: int
) -> Row:
    """Run the attack in every way."""
    tree = project.tree_of(folder / "tree", attack.code, attack.planted)
    watched = project.run_watched(tree, folder / "watched")
    reasons = [reason for reason in watched.integrity.reasons if reason.is_forgery]
    with unwatched():
        off = project.run_tests(task, tree, "target", log_folder=folder / "off")
        recorded = record_changes(project, task, tree, folder / "changed", folder / "changes")
        judged = {
            size: Counter(recorded.verdict(tests=size, seed=seed) for seed in range(seeds)) for size in SIZES
        }
        pairs = [(size, seed) for size in SIZES for seed in range(checked)]
        agreeing = sum(
            _real_verdict(project, task, tree, folder / f"real-{size}-{seed}", off.run, size, seed)
            is recorded.verdict(tests=size, seed=seed)
            for size, seed in pairs
        )
    return Row(
        attack=attack,
        solved=off.solved,
        caught_by=frozenset(BY_REASON[reason] for reason in reasons),
        judged=judged,
        agreeing=agreeing,
        checked=len(pairs),
        refused=_refused(attack, task, folder / "answer"),
    )


def _real_verdict(
    project: HostileProject, task: Task, tree: Path, folder: Path, run: SuiteRun, size: int, seed: int
) -> JudgeVerdict:
    settings = JudgeSettings(tests=size)
    scratch = folder / "scratch"
    scratch.mkdir(parents=True)
    result = judge_answer(
        task, project, tree=tree, scratch=scratch, logs=folder / "logs", run=run, settings=settings, seed=seed
    )
    return result.verdict


def _refused(attack: Attack, task: Task, folder: Path) -> bool:
    """Whether the policy takes out all that the attack plants beside the code that is tested."""
    if not attack.planted:
        return False
    before = hostile_files("", attack.runner)
    for name, text in before.items():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    old = {name: before[name].encode() if name in before else None for name in attack.planted}
    patch = diff_files(old, {name: text.encode() for name, text in attack.planted.items()})
    taken = take_patch(patch, folder, edit_policy_of(task, allow_test_edits=False))
    return isinstance(taken, RejectedAnswer)


def table(rows: list[Row], seeds: int) -> Iterator[str]:
    """The table. Of judge runs: in how many of the seeds the attack is refused (forged or unproven)."""
    yield (
        "| attack | runner | off | events | canaries | witness | judged, k = 1 | k = 3 | k = 10 "
        "| not editable | together |"
    )
    yield "|---|---|---|---|---|---|--:|--:|--:|---|---|"
    for row in rows:
        marks = ["yes" if mechanism in row.caught_by else "" for mechanism in Mechanism]
        judged = [_judged(row.judged[size], seeds) for size in SIZES]
        planted = ("yes" if row.refused else "no") if row.attack.planted else ""
        cells = [
            row.attack.name,
            row.attack.runner,
            "solved" if row.solved else "not solved",
            *marks,
            *judged,
        ]
        yield f"| {' | '.join([*cells, planted, 'refused' if row.caught else '**solved**'])} |"


def _passing(verdicts: Counter[JudgeVerdict]) -> int:
    """How many judge runs let the attack through; one whose test file has no known test is none."""
    return verdicts[JudgeVerdict.PROVEN] + verdicts[JudgeVerdict.NOT_JUDGED]


def _judged(verdicts: Counter[JudgeVerdict], seeds: int) -> str:
    refused = seeds - _passing(verdicts)
    unproven = verdicts[JudgeVerdict.UNPROVEN]
    return f"{refused}" + (f" ({unproven} unproven)" if unproven else "")


def main() -> int:
    """Measure and print; 1 when an attack does not work, or a real judge run says something else."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--checked", type=int, default=1)
    given = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="backdate-forgeries-", ignore_cleanup_errors=True) as name:
        work = Path(name)
        work.chmod(0o755)
        projects: dict[str, tuple[HostileProject, Task]] = {}
        for attack in attacks():
            if given.only and attack.name not in given.only:
                continue
            plugins = attack.name in WITH_PLUGINS
            known = f"{attack.runner}-{plugins}"
            if known not in projects:
                project = HostileProject(attack.runner, plugins=plugins)
                projects[known] = project, project.verified(work / known)
            project, task = projects[known]
            folder = work / f"{attack.name}-{attack.runner}"
            rows.append(measure(attack, project, task, folder, given.seeds, given.checked))
            print([*table(rows[-1:], given.seeds)][-1], file=sys.stderr, flush=True)
    for line in table(rows, given.seeds):
        print(line)
    agreeing, checked = sum(row.agreeing for row in rows), sum(row.checked for row in rows)
    print(f"\n{checked} judge runs were run for real; {agreeing} of them say what was put together.")
    return 0 if agreeing == checked and all(row.solved for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
