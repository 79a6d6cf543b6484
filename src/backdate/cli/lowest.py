"""``backdate check --lowest``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from backdate.cli import options

if TYPE_CHECKING:
    from backdate.cli.check import CheckArguments


def check_lowest_command(arguments: CheckArguments) -> int:
    """Tell whether the lower bounds are true; the exit status. Raises UsageError for options of others."""
    from backdate.cli.asked_command import asked_command
    from backdate.cli.opening import OF_CHECKS, try_sandbox_beside
    from backdate.cli.output_options import write_json
    from backdate.cli.progress import watch
    from backdate.cli.recipe_options import folder_settings
    from backdate.cli.results import status_of_result
    from backdate.errors import UsageError
    from backdate.session import Session

    sides = arguments.sides
    for name, is_given in (
        ("--from", sides.from_ is not None),
        ("--from-lock", sides.from_lock is not None),
        ("--as", arguments.as_ is not None),
        ("--move-python", sides.move_python),
        ("--audit", arguments.audit),
        ("--apply-cap", arguments.apply_cap),
        ("--junit", arguments.junit is not None),
    ):
        if is_given:
            raise UsageError(
                f"{name} is for two instants; --lowest compares the lowest versions with the newest"
            )
    given = arguments.recipe.configuration(arguments.source)
    said = folder_settings(arguments.source, given)
    settings = arguments.machine.settings(
        keep=arguments.keep, store=not arguments.no_store, apt=arguments.apt, configuration=given
    )
    target = arguments.outputs.target(arguments.json)
    try_sandbox_beside(settings, OF_CHECKS)
    indexes = arguments.recipe.indexes(settings)
    with indexes as settings, watch() as progress, Session(settings) as session:
        result = session.check_lowest(
            arguments.source,
            to_instant=options.instant(sides.to),
            python=sides.python_of(said),
            progress=progress,
        )
    result = replace(result, asked=asked_command(arguments))
    write_json((arguments.json,), result)
    target.write(result, source=arguments.source, verbose=arguments.verbose)
    return status_of_result(result)
