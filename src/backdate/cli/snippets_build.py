"""``backdate snippets build``."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.cli import options
from backdate.cli.arguments import takes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backdate.construction.snippet.plan import SnippetBuildPlan
    from backdate.construction.snippet.snippet_funnel import SnippetFunnel
    from backdate.models.interface import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetBuildArguments:
    """What ``snippets build`` is given."""

    package: Annotated[
        str,
        typer.Option(
            "--package",
            metavar="NAME",
            help="The distribution on the index that changed, or python: its standard library.",
        ),
    ]
    first: Annotated[
        str, typer.Option("--from", metavar="VERSION|previous", help="The version that the code works with.")
    ]
    last: Annotated[
        str, typer.Option("--to", metavar="VERSION|latest", help="The version that it has to work with.")
    ] = "latest"
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DATASET", help="The new data set's folder.")
    ]
    usages_from: Annotated[
        Path | None,
        typer.Option(
            "--usages-from",
            metavar="FILE",
            help="Distributions, one a line, whose sdists are read for uses too, as of the origin.",
        ),
    ] = None
    companions: Annotated[
        list[str] | None,
        typer.Option(
            "--with", metavar="REQUIREMENT", help="What both environments have besides, such as numpy."
        ),
    ] = None
    python: Annotated[
        str | None,
        typer.Option(
            "--python",
            metavar="X.Y",
            help="The interpreter of both environments, instead of the newest that both versions work with.",
        ),
    ] = None
    most_of_name: Annotated[
        int, typer.Option("--most", metavar="N", min=1, help="Snippets for one changed name, at most.")
    ] = 3
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="NAME[@BASE_URL]",
            help="Ask this model for functions of changed names without a proven one.",
        ),
    ] = None
    most_asked: Annotated[
        int, typer.Option("--ask-about", metavar="N", min=1, help="Names that the model is asked about.")
    ] = 30
    sandbox: options.SandboxName = "bwrap"
    cache: options.CacheFolder = None
    index_url: options.IndexUrl = None


@takes(SnippetBuildArguments)
def build_command(arguments: SnippetBuildArguments) -> int:
    """Make a data set of new snippets for a library and two of its versions.

    What the versions changed is known from rules, mined from releases, or shows when both environments are
    asked. Code that uses it is drawn from the library's own tests and examples and from others' sdists; a
    function is kept when three cases run with the origin, the target differs because of such a name alone,
    and what takes its place gives the same. With --model it writes functions for names that are left, and is
    told up to three times what was wrong. What was found out is in DATASET.build: asked again, the build
    goes on from there. Example: backdate snippets build --package numpy --from 1.26 --to 2.0 -o set
    """
    from backdate.cli import exit_codes
    from backdate.cli.progress import watch
    from backdate.cli.terminal import printable
    from backdate.construction.snippet.build import build_snippets
    from backdate.construction.snippet.plan import make_plan
    from backdate.construction.snippet.write import write_built
    from backdate.index.names import normalise
    from backdate.projects.sources.listing import fetch_listing
    from backdate.session import Session

    options.require_writable(arguments.output, folder=True)
    names = _names(arguments.usages_from)
    settings = options.settings(
        sandbox=arguments.sandbox, cache=arguments.cache, index_url=arguments.index_url
    )
    with watch() as progress, Session(settings) as session:
        plan = make_plan(
            normalise(arguments.package),
            arguments.first,
            arguments.last,
            lambda name: fetch_listing(session.index, name),
            python=arguments.python,
            companions=arguments.companions or (),
            usages_from=names,
            most_of_name=arguments.most_of_name,
            most_asked=arguments.most_asked,
        )
        folder = arguments.output.with_name(f"{arguments.output.name}.build")
        with _model(arguments.model, folder) as model:
            built = build_snippets(session, plan, folder, model=model, progress=progress)
    for line in _lines(plan, built.funnel):
        typer.echo(printable(line))
    write_built(built, plan, arguments.output)
    typer.echo(f"{arguments.output}: {len(built.snippets)} snippets")
    return exit_codes.OK


@contextmanager
def _model(name: str | None, folder: Path) -> Iterator[Model | None]:
    """The model that a user named; its replies are kept beside the rest. Raises UsageError."""
    from backdate.models.model_name import parse_endpoint
    from backdate.models.open import open_model

    if name is None:
        yield None
        return
    folder.mkdir(parents=True, exist_ok=True)
    with open_model(parse_endpoint(name), answers=folder / "model-answers.sqlite") as model:
        yield model


def _names(file: Path | None) -> tuple[str, ...]:
    """The distributions that a file names, one a line; what follows # is a comment. Raises UsageError."""
    from backdate.errors import UsageError
    from backdate.index.names import normalise
    from backdate.serial import read_limited

    if file is None:
        return ()
    text = read_limited(file, limit=1024 * 1024, what="the list").decode("utf-8", "replace")
    words = [line.partition("#")[0].strip() for line in text.splitlines()]
    names = tuple(dict.fromkeys(normalise(word) for word in words if word))
    bad = next((name for name in names if not name.replace("-", "").isalnum()), None)
    if bad is not None:
        raise UsageError(f"{file}: {bad!r} is no name of a distribution; write one a line")
    return names


def _lines(plan: SnippetBuildPlan, funnel: SnippetFunnel) -> Iterator[str]:
    from backdate.construction.snippet.reasons import WORDS

    yield f"{plan.library} {plan.origin.version} to {plan.target.version}"
    yield (
        f"{funnel.names} changed names: {funnel.names_from_rules} by rules, {funnel.names_mined} mined, "
        f"{funnel.names_asked} by asking; {funnel.names_unchanged} are alike in both and left out"
    )
    yield f"{funnel.found} uses in {funnel.archives} archives ({funnel.archives_refused} refused)"
    if funnel.asked_of_model:
        yield f"{funnel.written_by_model} of {funnel.asked_of_model} names by functions that the model wrote"
    for one in funnel.dropped:
        yield f"{one.count:6} {WORDS[one.reason]}"
    yield f"{funnel.kept:6} proven, of {funnel.names_kept} names"
