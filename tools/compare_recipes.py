"""Compare extracted recipes with the set-up and test scripts that TimeMachine-bench published.

    python tools/compare_recipes.py DATASET.jsonl REPOSITORIES

REPOSITORIES holds a git directory for each repository, at OWNER+NAME/repo or OWNER+NAME/repo/.git. Rows
whose repository or commit is not there are left out. For each row: does the first candidate install the
same requirement files and extras, and run the same tests, as the published scripts? Nothing is executed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from backdate.recipes.commands import read_commands
from backdate.recipes.extract import extract_recipes
from backdate.recipes.files import Files
from backdate.recipes.recipe import InstallStep, Recipe, SuitePlan

_LARGEST_BLOB = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One row's scripts, read as commands."""

    install: tuple[InstallStep, ...]
    test: SuitePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One row of the table."""

    repository: str
    source: str
    install: str
    """same, more, less, other."""
    tests: str
    """same, covers, less, other."""
    best: str
    """The rank of the first candidate that agrees in both; "-" when none does."""
    details: str


def git_directory(repositories: Path, name: str) -> Path | None:
    """The git directory of a repository, or None when it is not there."""
    folder = repositories / name.replace("/", "+") / "repo"
    return next((path for path in (folder, folder / ".git") if (path / "objects").is_dir()), None)


def export_tree(git: Path, commit: str, target: Path) -> bool:
    """Write a commit's regular files that are there and not large; False when there is no such commit."""
    base = ("git", "-c", "safe.directory=*", "--git-dir", str(git))
    listed = subprocess.run([*base, "ls-tree", "-r", "-z", commit], capture_output=True, check=False)
    if listed.returncode:
        return False
    wanted: list[tuple[str, str]] = []
    for entry in listed.stdout.decode("utf-8", "surrogateescape").split("\0"):
        mode, _, rest = entry.partition(" ")
        if mode in ("100644", "100755"):
            identity, _, path = rest.partition(" ")[2].partition("\t")
            wanted.append((identity, path))
    names = "".join(f"{identity}\n" for identity, _ in wanted).encode()
    read = subprocess.run([*base, "cat-file", "--batch"], input=names, capture_output=True, check=False)
    data, place = read.stdout, 0
    for _, path in wanted:
        end = data.index(b"\n", place)
        header = data[place:end].split()
        place = end + 1
        if header[-1] == b"missing":
            continue
        size = int(header[-1])
        if size <= _LARGEST_BLOB:
            file = target / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data[place : place + size])
        place += size + 1
    return True


def published_scripts(patch: str, files: Files) -> Published | None:
    """What the set-up and test scripts in a row's patch do; None when there is no test in them."""
    parts = re.split(r"^--- .*\n\+\+\+ (.*)\n", patch, flags=re.MULTILINE)
    install: list[InstallStep] = []
    plans: list[SuitePlan] = []
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        if re.match(r"(?:setup|test)_.*\.sh\s*\Z", name):
            script = "\n".join(line[1:] for line in body.split("\n") if line.startswith("+"))
            for action in read_commands(script, files=files, file=None, rule="published"):
                if isinstance(action, InstallStep):
                    install.append(action)
                elif isinstance(action, SuitePlan):
                    plans.append(action)
    return Published(install=tuple(install), test=plans[0]) if plans else None


def inputs(steps: Sequence[InstallStep]) -> set[str]:
    """What is installed, as words: requirement files, the project, its extras, distributions."""
    found: set[str] = set()
    for step in steps:
        if step.kind == "requirements":
            found.add(f"-r {step.file}")
        elif step.kind == "project":
            found |= {step.file or "."} | {f"[{extra}]" for extra in step.extras}
        elif step.kind == "packages":
            found |= set(step.packages)
    return found - {"pytest", "setuptools", "wheel"}


def compare_install(ours: Sequence[InstallStep], theirs: Sequence[InstallStep]) -> str:
    """How what we install relates to what they install."""
    mine, other = inputs(ours), inputs(theirs)
    if mine == other:
        return "same"
    return "more" if mine > other else "less" if mine < other else "other"


def compare_tests(ours: SuitePlan, theirs: SuitePlan) -> str:
    """How the tests that we run relate to those that they run."""
    everything = not ours.targets or set(ours.targets) <= {".", "tests", "test"}
    named = {target for target in theirs.targets if target != "."}
    if ours.runner == theirs.runner:
        if set(ours.targets) == set(theirs.targets) or (everything and not named):
            return "same"
        return "covers" if everything or (named and set(ours.targets) > named) else "less"
    if ours.runner == "pytest" and (everything or _modules(ours.targets) >= named):
        return "covers"  # pytest runs what unittest runs
    return "other"


def _modules(targets: Sequence[str]) -> set[str]:
    return {target.removesuffix(".py").replace("/", ".") for target in targets}


def compare_row(repository: str, tree: Path, patch: str) -> Compared | None:
    """One row's comparison; None when its scripts hold no test command."""
    published = published_scripts(patch, Files(tree))
    if published is None:
        return None
    candidates = extract_recipes(tree).candidates
    if not candidates:
        return Compared(
            repository=repository, source="-", install="none", tests="none", best="-", details="no recipe"
        )
    first = candidates[0]
    return Compared(
        repository=repository,
        source=first.provenance.rule.split(",")[0] if first.provenance else "-",
        install=compare_install(first.install, published.install),
        tests=compare_tests(first.test, published.test),
        best=next((str(rank) for rank, one in enumerate(candidates, 1) if _agrees(one, published)), "-"),
        details=_details(first, published),
    )


def _agrees(recipe: Recipe, published: Published) -> bool:
    return compare_install(recipe.install, published.install) in ("same", "more") and compare_tests(
        recipe.test, published.test
    ) in ("same", "covers")


def _details(recipe: Recipe, published: Published) -> str:
    mine, other = inputs(recipe.install), inputs(published.install)
    parts = [f"+{word}" for word in sorted(mine - other)] + [f"-{word}" for word in sorted(other - mine)]
    return " ".join(parts).replace("|", " ")[:160]


def compare_all(dataset: Path, repositories: Path) -> Iterator[Compared]:
    """Every row whose repository is there."""
    with dataset.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            git = git_directory(repositories, row["repo_name"])
            if git is None:
                continue
            with tempfile.TemporaryDirectory(prefix="backdate-compare-") as folder:
                tree = Path(folder, row["repo_name"].split("/")[1])
                tree.mkdir()
                if export_tree(git, row["commit_hash"], tree):
                    compared = compare_row(row["repo_name"], tree, row["patch"])
                    if compared is not None:
                        yield compared


def table(rows: Sequence[Compared]) -> str:
    """The rows in Markdown, and what they come to."""
    lines = [
        "| repository | first candidate | install | tests | agrees | difference |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {r.repository} | {r.source} | {r.install} | {r.tests} | {r.best} | {r.details} |" for r in rows
    ]
    install, tests = Counter(row.install for row in rows), Counter(row.tests for row in rows)
    lines += ["", f"{len(rows)} repositories. Install: {dict(install)}. Tests: {dict(tests)}."]
    first = sum(row.best == "1" for row in rows)
    some = sum(row.best != "-" for row in rows)
    lines.append(f"The first candidate agrees in both: {first}; some candidate does: {some}.")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    rows = list(compare_all(Path(arguments[0]), Path(arguments[1])))
    print(table(rows))
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
