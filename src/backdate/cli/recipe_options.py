"""Options that say how a project is installed and tested, over what its files and the user's own say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from backdate.checking.settings import Settings
    from backdate.configuration.configuration import Configuration, Setting

_PANEL = "How the project is installed and tested"
_PYTEST_ARGUMENT = "--pytest-argument"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeOptions:
    """What the command line says about a recipe; see ``docs/reference/configuration.md``."""

    test_command: Annotated[
        str | None,
        typer.Option(
            "--test-command",
            metavar="TEXT",
            rich_help_panel=_PANEL,
            help="How the tests are run: 'pytest tests/unit', 'python -m unittest'.",
        ),
    ] = None
    extra: Annotated[
        list[str] | None,
        typer.Option(
            "--extra",
            metavar="NAME",
            rich_help_panel=_PANEL,
            help="Install the project with this extra instead of those that were found. Repeatable.",
        ),
    ] = None
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            metavar="NAME",
            rich_help_panel=_PANEL,
            help="Install this dependency group instead of those that were found. Repeatable.",
        ),
    ] = None
    env: Annotated[
        list[str] | None,
        typer.Option(
            "--env",
            metavar="NAME[=VALUE]",
            rich_help_panel=_PANEL,
            help="Set a variable for installing and testing; NAME alone shows this machine's value to the "
            "tests, and keeps it nowhere. Repeatable.",
        ),
    ] = None
    allow_network: Annotated[
        bool,
        typer.Option(
            "--allow-network",
            rich_help_panel=_PANEL,
            help="Let the tests reach this machine's network. Recorded.",
        ),
    ] = False
    trust_config: Annotated[
        bool,
        typer.Option(
            "--trust-config",
            rich_help_panel=_PANEL,
            help="Give the project what the settings in its folder ask for: network, Debian packages, "
            "services, variables of this machine.",
        ),
    ] = False
    extra_index_url: Annotated[
        list[str] | None,
        typer.Option(
            "--extra-index-url",
            metavar="[NAME=]URL",
            rich_help_panel=_PANEL,
            help="A private index, asked before the other one. Credentials come from UV_INDEX_NAME_USERNAME "
            "and _PASSWORD, ~/.netrc, or a keyring (UV_KEYRING_PROVIDER=subprocess). Repeatable.",
        ),
    ] = None
    index_strategy: Annotated[
        str | None,
        typer.Option(
            "--index-strategy",
            metavar="first-index|unsafe-best-match",
            rich_help_panel=_PANEL,
            help="Which of several indexes has a package: the first that knows it (the default), so that "
            "nobody can put a newer one of the same name on the public index; or all of them, as pip has it.",
        ),
    ] = None
    pytest_argument: Annotated[
        list[str] | None,
        typer.Option(_PYTEST_ARGUMENT, hidden=True, help="One of the arguments after --, for pytest."),
    ] = None

    def configuration(self, source: str | Path) -> Configuration:
        """What counts before the project's own settings: the command line's, then the user's own.

        With --trust-config then what the folder ``source`` asks for. Raises UsageError.
        """
        from backdate.configuration.documents import read_user_configuration

        given = self._given().over(read_user_configuration())
        if self.trust_config:
            given = given.over(_trusted(source))
        return given

    @contextmanager
    def indexes(self, settings: Settings) -> Iterator[Settings]:
        """``settings`` with the private indexes beside the other one, while the block runs."""
        if not self.extra_index_url:
            if self.index_strategy is not None:
                from backdate.errors import UsageError

                raise UsageError("--index-strategy is for several indexes: name them with --extra-index-url")
            yield settings
            return
        from backdate.index.beside import indexes_together
        from backdate.index.together import IndexStrategy, index_strategy

        strategy = index_strategy(self.index_strategy or IndexStrategy.FIRST_INDEX)
        pages = settings.open_cache().index
        with indexes_together(self.extra_index_url, settings.index_url, pages, strategy) as address:
            yield replace(settings, index_url=address)

    def _given(self) -> Configuration:
        from backdate.configuration.configuration import Configuration
        from backdate.configuration.keys import from_command_line

        def named(name: str, option: str, value: object) -> Setting[Any] | None:
            return from_command_line(name, option, value) if value else None

        shown = [each for each in self.env or () if "=" not in each]
        return Configuration(
            test_command=named("test-command", "--test-command", self.test_command),
            pytest_arguments=named("pytest-arguments", "--", self.pytest_argument),
            extras=named("extras", "--extra", self.extra),
            groups=named("groups", "--group", self.group),
            environment=tuple(self._variables()),
            host_variables=named("host-variables", "--env", shown),
            network=named("allow-network", "--allow-network", self.allow_network),
        )

    def _variables(self) -> Iterator[tuple[str, Setting[str]]]:
        from backdate.configuration.configuration import Setting, SettingOrigin, SettingSource
        from backdate.configuration.keys import require_variable_name

        origin = SettingOrigin(source=SettingSource.COMMAND_LINE, name="--env")
        for each in self.env or ():
            name, equals, value = each.partition("=")
            require_variable_name(name, "--env")
            if equals:
                yield name, Setting(value=value, origin=origin)


def _trusted(source: str | Path) -> Configuration:
    """All that the settings in a folder say. Raises UsageError for what is no folder of this machine."""
    from backdate.configuration.documents import read_project_configuration
    from backdate.errors import UsageError

    folder = Path(source)
    if not folder.is_dir():
        raise UsageError(
            f"--trust-config is for a folder of yours, and {source} is none: read them, and give what "
            "they ask for on the command line"
        )
    return read_project_configuration(folder).required()


def folder_settings(source: str | Path, given: Configuration) -> Configuration:
    """``given``, then what a folder's settings say of what is compared: instants, interpreter.

    Those of a URL or an sdist do not count: it has a date of its own. Raises ConfigurationError for what is
    wrong in a folder's settings.
    """
    from backdate.configuration.documents import read_project_configuration

    if not Path(source).is_dir():
        return given
    return given.over(read_project_configuration(Path(source)).required().without_widening())


def with_pytest_arguments(arguments: list[str]) -> list[str]:
    """A command line in which what stands after ``--`` is given to pytest."""
    if "--" not in arguments:
        return arguments
    at = arguments.index("--")
    return [*arguments[:at], *(f"{_PYTEST_ARGUMENT}={each}" for each in arguments[at + 1 :])]
