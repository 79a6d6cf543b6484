"""``backdate cache``: what is kept on this machine, and giving some of it back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.cli import options
from backdate.environments.cache_kinds import CacheKind

if TYPE_CHECKING:
    from backdate.environments.cache import Cache
    from backdate.environments.cache_upkeep import CacheReport

app = typer.Typer(
    name="cache",
    help="See what is kept on this machine (environments, packages, results), and give some of it back.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Kinds = Annotated[
    list[CacheKind] | None,
    typer.Option("--kind", help="Only this kind; may be repeated.", show_default=False),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be removed, and remove nothing.")]


@app.command("size")
def size_command(cache: options.CacheFolder = None, json: options.JsonFile = None) -> int:
    """Tell what the cache takes on disk, by kind, and the bound that it is held to.

    Exit status: 0; 4 when the cache cannot be read.
    """
    from backdate.environments.cache_upkeep import measure

    return _told(measure(_open(cache, json)), json)


@app.command("prune")
def prune_command(
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="SIZE",
            help="Remove the least recently used until the rest takes at most this: 5GiB, 500M. Default: the "
            "cache's bound ($BACKDATE_CACHE_LIMIT, 20GiB), unless --unused-since says what goes.",
        ),
    ] = None,
    unused_since: Annotated[
        str | None,
        typer.Option(
            "--unused-since", metavar="INSTANT", help="Remove what was not used since: '30 days ago'."
        ),
    ] = None,
    kind: Kinds = None,
    dry_run: DryRun = False,
    cache: options.CacheFolder = None,
    json: options.JsonFile = None,
) -> int:
    """Remove what was least recently used, down to a bound, or what was not used since an instant.

    Commands do it themselves once a day. What a running command uses stays. Base systems go only when they
    are named: --kind bases.

    Exit status: 0; 3 for a size or an instant that is none, 4 when something cannot be removed.
    """
    from backdate.environments.cache_upkeep import PRUNED, bound_of, bytes_of_text, prune

    bound = bytes_of_text(to) if to is not None else bound_of() if unused_since is None else None
    since = options.instant(unused_since)
    kinds = tuple(kind) if kind else PRUNED
    report = prune(_open(cache, json), to_bytes=bound, unused_since=since, kinds=kinds, dry_run=dry_run)
    return _told(report, json)


@app.command("clean")
def clean_command(
    kind: Kinds = None,
    every: Annotated[bool, typer.Option("--all", help="Every kind.")] = False,
    dry_run: DryRun = False,
    cache: options.CacheFolder = None,
    json: options.JsonFile = None,
) -> int:
    """Remove everything of a kind, or all. What a running command uses stays.

    Proven recipes and data sets that are being built are no part of it.

    Exit status: 0; 3 when neither --kind nor --all is given, 4 when something cannot be removed.
    """
    from backdate.environments.cache_upkeep import clean
    from backdate.errors import UsageError

    if bool(kind) == every:
        names = ", ".join(CacheKind)
        raise UsageError(f"say what goes: --all, or --kind with one of {names}")
    return _told(clean(_open(cache, json), tuple(kind or CacheKind), dry_run=dry_run), json)


def _open(cache: Path | None, json: Path | None) -> Cache:
    if json is not None:
        options.require_writable(json, folder=False)
    return options.settings(sandbox="bwrap", cache=cache, index_url=None).open_cache()


def _told(report: CacheReport, json: Path | None) -> int:
    from backdate.cli.exit_codes import OK
    from backdate.cli.render import print_lines
    from backdate.cli.render_cache import cache_lines
    from backdate.serial import to_json, write_whole

    print_lines(cache_lines(report))
    if json is not None:
        write_whole(json, to_json(report, indent=2))
    return OK
