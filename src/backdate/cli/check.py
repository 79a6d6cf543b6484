"""``backdate check``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.checking.question import Question
from backdate.cli import options
from backdate.cli.arguments import takes
from backdate.cli.changed_folder import folder_to_change
from backdate.cli.output_options import TEXT_PRINTED, OutputOptions, OutputTarget, write_json
from backdate.cli.recipe_options import RecipeOptions, folder_settings
from backdate.cli.side_options import NO_SIDES, SideOptions, deciding_questions

if TYPE_CHECKING:
    from backdate.checking.answers import CheckAnswers
    from backdate.checking.settings import AuditOptions, Settings
    from backdate.configuration.configuration import Configuration


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckArguments:
    """What ``check`` is given."""

    source: options.Source = "."
    sides: SideOptions = NO_SIDES
    as_: options.As = None
    outputs: OutputOptions = TEXT_PRINTED
    json: options.JsonFile = None
    junit: Annotated[
        Path | None,
        typer.Option("--junit", metavar="DIR", help="Write the runs there as JUnit XML for other tools."),
    ] = None
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="DIR", help="Keep source trees, logs, patch and result there."),
    ] = None
    audit: Annotated[
        bool,
        typer.Option(
            "--audit",
            help="Also tell which tests assert nothing: they pass although their last assertion asserts the "
            "opposite. Takes up to three more runs of the suite.",
        ),
    ] = False
    audit_tests: Annotated[
        str | None,
        typer.Option("--audit-tests", metavar="N|all", help="Test functions to audit. Default: 50."),
    ] = None
    audit_seed: Annotated[
        int | None,
        typer.Option(
            "--audit-seed", metavar="N", min=0, help="Choose them by N, as a result records it. Default: new."
        ),
    ] = None
    repeats: options.Repeats = 1
    recipe: RecipeOptions
    lowest: Annotated[
        bool,
        typer.Option(
            "--lowest",
            help="Instead tell whether the declared lower bounds are true: tests with the lowest versions.",
        ),
    ] = False
    apply_cap: options.ApplyCap = False
    machine: options.Machine
    no_store: options.NoStore = False
    apt: options.Apt = False
    verbose: options.Verbose = False


@takes(CheckArguments)
def check_command(arguments: CheckArguments) -> int:
    """Tell which of a project's own tests dependency updates broke.

    Builds the project's environment as of an old instant and as of a new one, runs its tests in both,
    and compares. Two questions are answered in one run: does the project work today for its users, with the
    bounds that it declares, and would it with the newest of everything? INSTANT is 2021-03-01 (00:00 UTC),
    2021-03, '30 days ago', yesterday, P3M, or a full 2021-03-01T12:30:00Z.

    With --apply-cap, what breaks for users is searched for its culprit (as `backdate bisect` does), and the
    limit that keeps the tests passing is written where a check of a copy proves it. The exit status stays
    that of what was found.

    What an audit finds does not change the exit status.

    Exit status, by what --as names: 0 nothing broke, 1 something broke, 2 cannot tell, or tests fail
    differently from before, 3 misuse, 4 this machine lacks something.
    """
    if arguments.lowest:
        from backdate.cli.lowest import check_lowest_command

        return check_lowest_command(arguments)
    from backdate.cli.asked_command import asked_command
    from backdate.cli.exit_codes import of_verdict
    from backdate.cli.opening import OF_CHECKS, try_sandbox_beside

    given = arguments.recipe.configuration(arguments.source)
    said = folder_settings(arguments.source, given)
    settings = _settings(arguments, given)
    folder = folder_to_change(arguments.source, "--apply-cap") if arguments.apply_cap else None
    audit = audit_options(arguments)
    sides = arguments.sides.asked(said)
    target = arguments.outputs.target(arguments.json)
    if arguments.junit is not None:
        options.require_writable(arguments.junit, folder=True)
    try_sandbox_beside(settings, OF_CHECKS)
    from backdate.cli.progress import watch
    from backdate.session import Session

    indexes = arguments.recipe.indexes(settings)
    with indexes as settings, watch() as progress, Session(settings) as session:
        answers = session.answer(
            arguments.source,
            decided_by=deciding_questions(arguments.as_, said),
            audit=audit,
            progress=progress,
            **sides,
        )
        sought = None
        if folder is not None:
            from backdate.cli.apply_cap import limits_of_check

            sought = limits_of_check(session, folder, answers, progress=progress, **sides)
    _report(replace(answers, asked=asked_command(arguments)), arguments, target)
    if folder is not None and sought is not None:
        from backdate.cli.apply_cap import write_limits

        write_limits(folder, sought, told=target.prints_text, findings=True)
    return of_verdict(answers.verdict)


def _settings(arguments: CheckArguments, given: Configuration) -> Settings:
    return arguments.machine.settings(
        keep=arguments.keep,
        store=not arguments.no_store,
        apt=arguments.apt,
        repeats=arguments.repeats,
        configuration=given,
    )


def _report(answers: CheckAnswers, arguments: CheckArguments, target: OutputTarget) -> None:
    """Write the answers wherever they were asked for."""
    write_json((arguments.json,), answers)
    if arguments.junit is not None:
        _write_junit(answers, arguments.junit)
    target.write(answers, source=arguments.source, verbose=arguments.verbose)


def _write_junit(answers: CheckAnswers, folder: Path) -> None:
    """The old side's run, that of the new side which decides, and that of the other question."""
    from backdate.serial import write_whole
    from backdate.testing.junit import to_junit

    deciding = answers.deciding
    runs = {"old": deciding.old.run, "new": deciding.new.run}
    other = answers.lifted if deciding.question is Question.DECLARED else answers.declared
    if other is not None and not answers.same:
        runs[f"new-{other.question}"] = other.new.run
    for name, run in runs.items():
        if run is not None:
            write_whole(folder / f"{name}.xml", to_junit(run))


def audit_options(arguments: CheckArguments) -> AuditOptions | None:
    """How the tests are audited; None for not at all. Raises UsageError."""
    from backdate.checking.settings import AUDITED_TESTS, AuditOptions
    from backdate.errors import UsageError

    given = arguments.audit_tests
    if not arguments.audit:
        if given is not None or arguments.audit_seed is not None:
            raise UsageError("--audit-tests and --audit-seed say how --audit works; give that as well")
        return None
    if given is not None and given != "all" and not (given.isdecimal() and int(given) > 0):
        raise UsageError(f"--audit-tests is a number of test functions, or all, not {given!r}")
    tests = None if given == "all" else AUDITED_TESTS if given is None else int(given)
    return AuditOptions(tests=tests, seed=arguments.audit_seed)
