"""``backdate bench verify|show`` of a data set of snippets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from backdate.cli.bench import VerifyArguments
    from backdate.snippets.dataset import SnippetDataset

_REPEATS = 2
"""Of the origin of a snippet: what differs between them is not certain."""


def verify(arguments: VerifyArguments) -> int:
    """Run the snippets of a data set in both versions, and print what was found."""
    from backdate.checking.resources import Resources
    from backdate.cli import exit_codes, options
    from backdate.cli.progress import watch
    from backdate.cli.terminal import tell
    from backdate.errors import MachineError
    from backdate.snippets.asked_names import EnvironmentNames
    from backdate.snippets.dataset import SnippetDataset
    from backdate.snippets.derived import derived_reference
    from backdate.snippets.environments import SnippetEnvironments
    from backdate.snippets.java.compiler import open_java
    from backdate.snippets.java.verify import java_snippets, verify_java
    from backdate.snippets.verify import verify_snippets
    from backdate.snippets.warm.runner import WarmRunner

    machine = arguments.machine
    settings = options.settings(
        sandbox=machine.sandbox,
        cache=machine.cache,
        index_url=machine.index_url,
        apt=machine.apt,
        build_network=machine.build_network,
    )
    dataset = SnippetDataset.open(arguments.folder)
    java = java_snippets(dataset, arguments.only or ())
    lacking = ""
    with watch() as progress, Resources(settings) as resources:
        environments = SnippetEnvironments(resources, progress=progress)
        dataset = verify_snippets(
            dataset,
            WarmRunner(resources.sandbox, environments),
            EnvironmentNames(resources.sandbox, environments, resources.cache),
            only=arguments.only or (),
            repeats=arguments.repeats or _REPEATS,
            jobs=arguments.jobs,
            retry=arguments.retry,
            references=derived_reference,
            secret=resources.cache.secret(),
            progress=progress,
        )
        if java:
            try:
                compiler = open_java(resources, apt=machine.apt)
            except MachineError as error:  # what was run is told all the same
                lacking = f"{len(java)} Java snippets are not verified: {error}"
            else:
                dataset = verify_java(dataset, compiler, only=arguments.only or ())
    _print_findings(dataset, arguments)
    if lacking:
        tell(lacking)
        return exit_codes.CANNOT_TELL
    return exit_codes.OK


def _print_findings(dataset: SnippetDataset, arguments: VerifyArguments) -> None:
    """The table of what was found, also in the files that were asked for."""
    from backdate.cli.render_snippets import table_lines
    from backdate.cli.terminal import printable
    from backdate.serial import to_json, write_whole
    from backdate.snippets.findings import findings_of

    findings = findings_of(dataset.snippets)
    lines = [printable(line) for line in table_lines(findings)]
    for line in lines:
        typer.echo(line)
    if arguments.json_file is not None:
        write_whole(arguments.json_file, to_json(findings, indent=2))
    if arguments.table is not None:
        write_whole(arguments.table, "".join(f"{line}\n" for line in lines).encode())


def show(folder: Path, name: str | None, *, as_json: bool) -> int:
    """Print a data set's counts and findings, or one snippet."""
    from backdate.cli import exit_codes
    from backdate.cli.render_snippets import dataset_lines, snippet_lines
    from backdate.cli.terminal import printable
    from backdate.serial import to_json
    from backdate.snippets.dataset import SnippetDataset
    from backdate.snippets.findings import findings_of

    dataset = SnippetDataset.open(folder)
    if as_json:
        value: object = findings_of(dataset.snippets) if name is None else dataset.snippet(name)
        typer.echo(to_json(value, indent=2).decode())
        return exit_codes.OK
    for line in dataset_lines(dataset) if name is None else snippet_lines(dataset.snippet(name)):
        typer.echo(printable(line))
    return exit_codes.OK
