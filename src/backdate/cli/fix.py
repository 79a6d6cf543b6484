"""``backdate fix``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from backdate.checking.question import Question
from backdate.cli import options
from backdate.cli.arguments import takes
from backdate.cli.changed_folder import UNDO, folder_to_change
from backdate.cli.output_options import TEXT_PRINTED, OutputOptions, OutputTarget
from backdate.cli.recipe_options import RecipeOptions, folder_settings
from backdate.cli.side_options import NO_SIDES, SideOptions, one_question

if TYPE_CHECKING:
    from backdate.checking.resources import Resources
    from backdate.fixing.rounds import FixedFiles
    from backdate.solvers.interface import Solver


@dataclass(frozen=True, slots=True, kw_only=True)
class FixArguments:
    """What ``fix`` is given."""

    source: options.Source = "."
    sides: SideOptions = NO_SIDES
    as_: options.AsOne = None
    solver: Annotated[
        str,
        typer.Option(
            "--solver",
            metavar="SOLVER",
            help='rules[:SOURCES]; model:NAME[@BASE_URL] or command:"…" for what the rules leave.',
        ),
    ] = "rules"
    scope: Annotated[
        Literal["minimal", "thorough"],
        typer.Option(
            "--scope", help="thorough: a second patch for the same names where no failing test runs them."
        ),
    ] = "minimal"
    apply: Annotated[
        bool, typer.Option("--apply", help=f"Change the files, and leave {UNDO}, which takes it back.")
    ] = False
    patch: Annotated[
        Path | None,
        typer.Option("--patch", metavar="FILE", help="Write the patch there (for patch -p0)."),
    ] = None
    tests: Annotated[
        bool, typer.Option("--tests", help="Edit test files, too, where they use what libraries changed.")
    ] = False
    outputs: OutputOptions = TEXT_PRINTED
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="DIR", help="Keep source trees and logs there."),
    ] = None
    recipe: RecipeOptions
    machine: options.Machine
    no_store: options.NoStore = False
    apt: options.Apt = False
    verbose: options.Verbose = False


@takes(FixArguments)
def fix_command(arguments: FixArguments) -> int:
    """Make a project's tests pass again that dependency updates broke: the smallest edit, and why.

    Checks the project (see `backdate check`), and edits what its failing tests run, by rules and by what both
    environments say. No model is asked unless --solver names one. Nothing is changed without --apply.

    Examples:

      backdate fix .

      backdate fix . --from 2022-01-01 --patch fix.patch

      backdate fix . --apply

    Exit status: 0 nothing is broken, or the patch mends all that broke; 1 something stays broken, 2 cannot
    tell, 3 misuse (as when a file changed meanwhile), 4 this machine lacks something.
    """
    from backdate.cli.progress import watch
    from backdate.fixing.rounds import FixOptions
    from backdate.session import Session

    instead = "; --patch writes a file"
    folder = folder_to_change(arguments.source, "--apply", else_=instead) if arguments.apply else None
    given = arguments.recipe.configuration(arguments.source)
    said = folder_settings(arguments.source, given)
    settings = arguments.machine.settings(
        store=not arguments.no_store, apt=arguments.apt, configuration=given
    )
    target = arguments.outputs.target(arguments.patch)
    sides = arguments.sides.asked(said)
    indexes = arguments.recipe.indexes(settings)
    with indexes as settings, watch() as progress, Session(settings) as session:
        fixed = session.fix(
            arguments.source,
            solver=_opener(arguments),
            question=one_question(arguments.as_, said, Question.LIFTED),
            options=FixOptions(solver=arguments.solver, allow_test_edits=arguments.tests),
            keep=arguments.keep,
            progress=progress,
            **sides,
        )
    return _report(fixed, arguments, folder, target)


def _opener(arguments: FixArguments) -> Callable[[Resources], AbstractContextManager[Solver]]:
    """Opens the solver: the rules, and before a model or a command the rules, too. Raises UsageError."""
    from backdate.errors import UsageError
    from backdate.solvers.choose import SolverOptions, open_solver

    kind, _, rest = arguments.solver.partition(":")
    if kind not in ("rules", "model", "command"):
        raise UsageError(f"--solver {arguments.solver}: write rules[:SOURCES], model:NAME or command:'…'")
    if kind == "rules":
        from backdate.solvers.rules.sources.choose import choose_sources

        choose_sources(rest)  # a name that is none is told before the work
    text = arguments.solver if kind == "rules" else f"rules+{arguments.solver}"

    def open_for(resources: Resources) -> AbstractContextManager[Solver]:
        return open_solver(
            text, SolverOptions(sandbox=resources.sandbox, thorough=arguments.scope == "thorough")
        )

    return open_for


def _report(fixed: FixedFiles, arguments: FixArguments, folder: Path | None, target: OutputTarget) -> int:
    from backdate.cli.asked_command import asked_command
    from backdate.cli.render import print_lines
    from backdate.cli.results import of_fix
    from backdate.editing.patch_text import encode_patch
    from backdate.fixing.applying import apply_fix
    from backdate.serial import write_whole

    result = replace(fixed.result, asked=asked_command(arguments))
    target.write(result, source=arguments.source, verbose=arguments.verbose)
    if arguments.patch is not None and result.patch:
        write_whole(arguments.patch, encode_patch(result.patch))
        for name, text in (("elsewhere", result.elsewhere), ("requirements", result.requirements)):
            if text:
                beside = arguments.patch.with_suffix(f".{name}{arguments.patch.suffix}")
                write_whole(beside, encode_patch(text))
    if folder is not None and result.patch:
        apply_fix(folder, fixed.before, fixed.after, folder / UNDO)
        if target.prints_text:
            print_lines([("", ""), (f"Applied. Take it back: patch -p0 < {UNDO}", "bold")])
    return of_fix(result.outcome)
