"""``backdate rules``: what is known of what releases dropped, and reading more of it from releases."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.cli import options
from backdate.cli.arguments import takes

if TYPE_CHECKING:
    from packaging.version import Version

    from backdate.knowledge.rules import Rule
    from backdate.mining.mine import MinedDistribution
    from backdate.timeline.instants import Instant

app = typer.Typer(
    name="rules",
    help="What takes the place of what libraries dropped: list, show, mine from releases, prove.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MineArguments:
    """What ``rules mine`` is given."""

    packages: Annotated[
        list[str],
        typer.Argument(
            metavar="PACKAGE...",
            help="Distributions on the index, one or more; python for the standard library.",
        ),
    ]
    first: Annotated[
        str, typer.Option("--from", metavar="VERSION|INSTANT", help="The oldest release that is read.")
    ]
    last: Annotated[
        str, typer.Option("--to", metavar="VERSION|INSTANT", help="The newest release that is read.")
    ] = "now"
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE.toml",
            help="Where the rows go; of several packages a file for each, with its name: FILE-PACKAGE.toml.",
        ),
    ]
    licence: Annotated[
        str, typer.Option("--licence", metavar="SPDX", help="The licence of the library's words.")
    ] = ""
    sandbox: options.SandboxName = "bwrap"
    cache: options.CacheFolder = None
    index_url: options.IndexUrl = None


@app.command("mine")
@takes(MineArguments)
def mine_command(arguments: MineArguments) -> int:
    """Read libraries' releases for what they dropped, and write candidates of rules.

    One archive of each minor release is parsed, changelogs are read, nothing is run. The rows are off until
    they are proven.
    """
    from backdate.cli import exit_codes
    from backdate.cli.terminal import tell
    from backdate.errors import UsageError
    from backdate.index.names import normalise
    from backdate.mining.mine import mine
    from backdate.mining.releases import ReleaseBounds
    from backdate.session import Session

    packages = list(dict.fromkeys(map(normalise, arguments.packages)))
    outputs = {package: _output(arguments.output, package, len(packages)) for package in packages}
    for output in outputs.values():
        options.require_writable(output, folder=False)
    bounds = ReleaseBounds(first=_end(arguments.first), last=_end(arguments.last))
    settings = options.settings(
        sandbox=arguments.sandbox, cache=arguments.cache, index_url=arguments.index_url
    )
    with Session(settings) as session:
        for package, output in outputs.items():
            found = mine(session.index, package, bounds, cache=session.cache.downloads / "mined", tell=tell)
            if not found.releases:
                between = f"between {arguments.first} and {arguments.last}"
                raise UsageError(f"no release of {package} {between}")
            _write_mined(found, output, arguments.licence)
    return exit_codes.OK


def _output(output: Path, package: str, packages: int) -> Path:
    return output if packages == 1 else output.with_name(f"{output.stem}-{package}.toml")


def _write_mined(found: MinedDistribution, output: Path, licence: str) -> None:
    from backdate.knowledge.change_rows import ChangesFile
    from backdate.mining.announcements import AnnouncedBy
    from backdate.mining.write_rows import file_text, rows_of
    from backdate.serial import write_whole

    replaced = [candidate for candidate in found.candidates if candidate.is_rule]
    moved = sum(candidate.by is None for candidate in replaced)
    told = sum(candidate.by is AnnouncedBy.CHANGELOG for candidate in replaced)
    typer.echo(
        f"{found.distribution}: {found.announcements} announcements in {len(found.releases)} releases "
        f"({found.releases[0]} to {found.releases[-1]}); {len(found.candidates)} names are gone later, "
        f"{len(replaced)} of them with a replacement or arguments without effect; "
        f"{told} by a changelog, {moved} were found in another place"
    )
    for archive in found.unread:
        typer.echo(f"{archive} could not be read")
    for name, why in found.left_out:
        typer.echo(f"{name} is left out: {why}")
    rows = rows_of(found.distribution, replaced)
    if rows:
        file = ChangesFile(
            distribution=found.distribution,
            origin="mined",
            licence=licence or found.licence,
            read_from=found.read_from,
            change=rows,
        )
        write_whole(output, file_text(file).encode())
        typer.echo(f"{output}: prove them with: backdate rules prove {output}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProveArguments:
    """What ``rules prove`` is given."""

    files: Annotated[list[Path], typer.Argument(metavar="FILE.toml...", help="Files of `rules mine`.")]
    sandbox: options.SandboxName = "bwrap"
    cache: options.CacheFolder = None
    index_url: options.IndexUrl = None


@app.command("prove")
@takes(ProveArguments)
def prove_command(arguments: ProveArguments) -> int:
    """Ask two environments for each release whether it dropped the names and has what replaces them.

    The files are rewritten: what is not proven stays in them with the reason, and is no rule.

    Exit status: 0 all is proven, 1 not all is, 3 misuse.
    """
    from backdate.cli import exit_codes
    from backdate.cli.progress import watch
    from backdate.errors import UsageError
    from backdate.knowledge.change_rows import ChangesFile
    from backdate.knowledge.changes import PYTHON
    from backdate.knowledge.load import read_table
    from backdate.mining.prove_rows import prove_rows
    from backdate.mining.prove_standard_library import prove_standard_library
    from backdate.mining.write_rows import file_text
    from backdate.serial import write_whole
    from backdate.session import Session

    settings = options.settings(
        sandbox=arguments.sandbox, cache=arguments.cache, index_url=arguments.index_url
    )
    whole = True
    with watch() as progress, Session(settings) as session:
        for path in arguments.files:
            if not path.is_file():
                raise UsageError(f"{path} is not a file")
            file = read_table(path, ChangesFile)
            if file.distribution == PYTHON:
                file = prove_standard_library(session, file)
            else:
                file = prove_rows(session, file, progress=progress)
            write_whole(path, file_text(file).encode())
            proven = sum(len(row.names) for row in file.change if not row.unproven)
            names = sum(len(row.names) for row in file.change)
            whole = whole and proven == names
            typer.echo(f"{path}: {proven} of {names} names are proven")
    return exit_codes.OK if whole else exit_codes.BROKE


@dataclass(frozen=True, slots=True, kw_only=True)
class ListArguments:
    """What ``rules list`` is given."""

    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="A distribution; without one all are counted.")
    ] = ""


@app.command("list")
@takes(ListArguments)
def list_command(arguments: ListArguments) -> int:
    """Count the rules of each distribution, or list those of one."""
    from backdate.cli import exit_codes
    from backdate.cli.terminal import printable
    from backdate.errors import UsageError
    from backdate.index.names import normalise
    from backdate.knowledge.load import distributions_with_rules
    from backdate.knowledge.rules import rules_of

    if arguments.name:
        rules = rules_of(normalise(arguments.name), unproven=True)
        if not rules:
            raise UsageError(f"there are no rules for {arguments.name}; backdate rules list counts all")
        for rule in rules:
            typer.echo(printable(_line(rule)))
        return exit_codes.OK
    enabled: list[Rule] = []
    for distribution in distributions_with_rules():
        rules = rules_of(distribution, unproven=True)
        if rules:
            proven = [rule for rule in rules if rule.proven]
            mined = sum(rule.origin == "mined" for rule in rules)
            enabled += proven
            typer.echo(f"{distribution}: {len(rules)} rules, {len(proven)} proven, {mined} mined")
    mined = sum(rule.origin == "mined" for rule in enabled)
    typer.echo(f"all: {len(enabled)} rules are proven, {mined} of them mined ({mined / len(enabled):.0%})")
    return exit_codes.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowArguments:
    """What ``rules show`` is given."""

    name: Annotated[
        str, typer.Argument(metavar="NAME", help="As `rules list` names it, or a dotted name: numpy.product.")
    ]


@app.command("show")
@takes(ShowArguments)
def show_rule_command(arguments: ShowArguments) -> int:
    """Show a rule: what is written in whose place, since when, and who says so."""
    from backdate.cli import exit_codes
    from backdate.cli.terminal import printable
    from backdate.errors import UsageError
    from backdate.knowledge.load import distributions_with_rules
    from backdate.knowledge.rules import rules_of

    found = [
        rule
        for distribution in distributions_with_rules()
        for rule in rules_of(distribution, unproven=True)
        if arguments.name in (rule.name, rule.target)
    ]
    if not found:
        raise UsageError(f"no rule is called {arguments.name}; backdate rules list DISTRIBUTION lists them")
    for rule in found:
        typer.echo(printable(_line(rule)))
        told = (
            ("says", rule.words),
            ("source", rule.source),
            ("read from", rule.read_from),
            ("unproven", rule.row.unproven),
        )
        for label, text in told:
            if text:
                typer.echo(printable(f"  {label}: {text}"))
    return exit_codes.OK


def _line(rule: Rule) -> str:
    from backdate.rewriting.in_words import in_words

    state = "" if rule.proven else ", unproven and off"
    since = "before" if rule.row.added else "since"  # what a release added, older ones lack
    return f"{rule.name}: {in_words(rule.rewrite)} ({since} {rule.since}, {rule.origin.value}{state})"


def _end(text: str) -> Version | Instant:
    """A version, or an instant: 2021 is a year only with a month (2021-03, no post-release) or a day."""
    import re
    from contextlib import suppress

    from packaging.version import Version

    from backdate.text import UNREADABLE

    if not re.fullmatch(r"\d{4}-\d{2}", text, re.ASCII):
        with suppress(*UNREADABLE):
            return Version(text)
    at = options.instant(text)
    assert at is not None
    return at
