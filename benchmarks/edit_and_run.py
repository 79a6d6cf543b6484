"""What an edited line costs before the tests run again, on ten projects, next to rebuilding for every tree.

    python benchmarks/edit_and_run.py [PROJECT@DAY ...] [--rounds 5] [--cache DIR]

Each project is an sdist, built once as of a day. A round changes one line of a module that is installed (a
comment at its end), asks for the environment of the edited tree and runs the suite. Measured is all that is
not the run itself: the digest of the tree, the key, the layer. The same round, with another edit and with an
environment that is built whole for every tree, is what was done before there were layers.

Processor time (user and system, of processes in sandboxes as well) is told beside, and the least of the
rounds: on a machine that others use as well, time on the clock says how many they are.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from backdate.checking.dated_project import DatedProject, Interpreters, choose, dated_project
from backdate.checking.recipe_run import request_for
from backdate.environments.build import Builder
from backdate.environments.cache import Cache
from backdate.environments.environment import Environment
from backdate.environments.steps import Steps
from backdate.projects.sources.open import open_source
from backdate.recipes.extract import extract_recipes
from backdate.recipes.recipe import Recipe
from backdate.sandboxes.choose import choose_sandbox
from backdate.sandboxes.interface import Limits
from backdate.testing.several import run_plans
from backdate.timeline.instants import parse_instant

PROJECTS = (
    "mistune==2.0.4@2022-09-01",
    "click==8.1.3@2023-06-01",
    "jinja2==3.1.2@2023-01-01",
    "itsdangerous==2.1.2@2023-01-01",
    "marshmallow==3.19.0@2023-03-01",
    "sqlparse==0.4.3@2023-01-01",
    "pyjwt==2.6.0@2023-01-01",
    "cachetools==5.3.0@2023-03-01",
    "tomlkit==0.11.6@2023-01-01",
    "jmespath==1.0.1@2022-07-01",
)
WANTED_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one project's edits cost, in seconds."""

    layered: list[float]
    processor: list[float]
    """Processor time of what ``layered`` is the time on the clock of."""
    whole: list[float]
    run: list[float]
    derived: bool


def main() -> int:
    """Measure every project and print a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("projects", nargs="*", default=PROJECTS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cache", type=Path)
    parser.add_argument(
        "--edits-only", action="store_true", help="compare with nothing, which takes less time"
    )
    options = parser.parse_args()
    print(
        f"{'project':30} {'run':>7} {'edit costs':>11} {'least':>7} {'processor':>10} {'least':>7} "
        f"{'built whole':>12} {'ratio':>6}"
    )
    worst = worst_least = worst_processor = 0.0
    with tempfile.TemporaryDirectory(prefix="backdate-edit-") as temporary:
        cache = Cache(options.cache or Path(temporary, "cache"))
        for text in options.projects:
            figures = measure(text, cache, options.rounds, edits_only=options.edits_only)
            edit = statistics.median(figures.layered)
            whole = statistics.median(figures.whole) if figures.whole else math.nan
            processor = min(figures.processor)
            worst, worst_least = max(worst, edit), max(worst_least, min(figures.layered))
            worst_processor = max(worst_processor, processor)
            note = "" if figures.derived else "  built for every tree"
            run, least = statistics.median(figures.run), min(figures.layered)
            used = statistics.median(figures.processor)
            print(
                f"{text:30} {run:6.2f}s {edit:10.2f}s {least:6.2f}s {used:9.2f}s "
                f"{processor:6.2f}s {whole:11.2f}s {edit / whole:6.2f}{note}",
                flush=True,
            )
    print(
        f"the dearest edit: {worst:.2f} s beside its run, the least of its rounds {worst_least:.2f} s, of "
        f"processor time {worst_processor:.2f} s (at most {WANTED_S} s wanted)"
    )
    return 0


def measure(text: str, cache: Cache, rounds: int, *, edits_only: bool) -> Figures:
    """Edit, prepare and run ``rounds`` times, in both ways in turn."""
    name, _, day = text.partition("@")
    instant = parse_instant(day)
    sandbox = choose_sandbox("bwrap")
    layered = Builder(cache, sandbox)
    builders = {"layered": layered}
    if not edits_only:
        builders["whole"] = Builder(cache, sandbox, layered=False)
    interpreters = Interpreters(cache.folder)
    seconds: dict[str, list[float]] = {"layered": [], "whole": [], "run": [], "processor": []}
    with tempfile.TemporaryDirectory(prefix="backdate-edit-") as temporary:
        project = open_source(f"pypi:{name}", workdir=Path(temporary), cache=cache.downloads, before=instant)
        ground = dated_project(project, instant)
        recipe = extract_recipes(ground.tree).candidates[0]
        choice = choose(recipe, ground, interpreters)
        first = prepared(layered, recipe, ground, choice)
        for builder in builders.values():
            prepared(builder, recipe, ground, choice)
        module = edited_module(first, ground.tree)
        derived = False
        for number in range(rounds):
            for way, builder in builders.items():
                with module.open("a", encoding="utf-8") as file:
                    file.write(f"# edit {number}, {way}, {time.time_ns()}\n")
                with patch.object(Steps, "install", autospec=True, side_effect=Steps.install) as install:
                    started, before = time.perf_counter(), processor_s()
                    ground = dated_project(project, instant)
                    environment = prepared(builder, recipe, ground, choice)
                    spent = time.perf_counter() - started
                    used = processor_s() - before
                started = time.perf_counter()
                run = run_plans(
                    sandbox,
                    environment,
                    ground.tree,
                    (recipe.test,),
                    limits=Limits(),
                    log_folder=Path(temporary, "logs"),
                    at=request_for(recipe, ground, choice).at,
                )
                seconds["run"].append(run.duration_s)
                seconds[way].append(spent)
                assert run.results, run.trouble
                if way == "layered":
                    seconds["processor"].append(used)
                    derived = not install.called
    return Figures(
        layered=seconds["layered"],
        processor=seconds["processor"],
        whole=seconds["whole"],
        run=seconds["run"],
        derived=derived,
    )


def processor_s() -> float:
    """What this process and those that it has started and waited for have used."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def prepared(builder: Builder, recipe: Recipe, ground: DatedProject, choice: object) -> Environment:
    """The environment of the tree as it is now."""
    environment = builder.prepare(request_for(recipe, ground, choice))  # type: ignore[arg-type]
    assert isinstance(environment, Environment), environment
    return environment


def edited_module(environment: Environment, tree: Path) -> Path:
    """The largest module of the tree that is installed."""
    (site_packages,) = environment.root.glob("lib/python*/site-packages")
    installed = {path.read_bytes() for path in site_packages.rglob("*.py") if not path.is_symlink()}
    modules = [
        path for path in tree.rglob("*.py") if path.name != "setup.py" and path.read_bytes() in installed
    ]
    return max(modules, key=lambda path: path.stat().st_size)


if __name__ == "__main__":
    raise SystemExit(main())
