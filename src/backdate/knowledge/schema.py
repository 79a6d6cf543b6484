"""What a row of each other file in ``tables/`` holds. Unknown keys and wrong types are refused on reading."""

from __future__ import annotations

from datetime import datetime

from backdate.knowledge.row import Names, Row, Text


class ModuleRow(Row, frozen=True, kw_only=True):
    """A module that tests or projects import."""

    name: Text
    """As it is imported: "cv2", "google.protobuf"."""
    distributions: Names
    """Every distribution that provides it; the first is the one that the module's authors publish it as."""
    builds: tuple[Text, ...] = ()
    """Those of them that are other builds of the first: the same releases under another name."""
    install: str = ""
    """What to install when it is missing, where that is not the first one: a requirement."""
    why: str = ""
    """Why another one is installed; needed with ``install``."""


class ModulesFile(Row, frozen=True, kw_only=True):
    """``modules.toml``."""

    aliases: dict[str, str]
    """Names by which modules are imported by convention: np for numpy."""
    namespaces: Names
    """Modules that many distributions share: an error names them alone when none of those is installed."""
    module: tuple[ModuleRow, ...]


class PluginRow(Row, frozen=True, kw_only=True):
    """A plugin of pytest, and what asks for it."""

    install: Text
    """The requirement: a distribution, with an extra where the plugin is in one."""
    fixtures: tuple[Text, ...] = ()
    options: tuple[Text, ...] = ()
    """How its command-line options start; of all plugins the longest start that fits counts."""
    markers: tuple[Text, ...] = ()
    settings: tuple[Text, ...] = ()
    """Keys of pytest's configuration file."""


class PluginsFile(Row, frozen=True, kw_only=True):
    """``pytest_plugins.toml``."""

    plugin: tuple[PluginRow, ...]


class SystemRow(Row, frozen=True, kw_only=True):
    """Something of the system that builds or imports miss, and the packages of Debian 12 that hold it."""

    missing: Names
    """Headers, programs, libraries and pkg-config names; with a slash at the end, how a header starts."""
    packages: Names


class WheelRow(Row, frozen=True, kw_only=True):
    """A distribution that builds against the system, and one with the same modules in wheels."""

    distribution: Text
    instead: Text


class LoadedLibraryRow(Row, frozen=True, kw_only=True):
    """A distribution that loads a library of the system, which its early releases do not bring along."""

    distribution: Text
    library: Text
    """As ``system`` rows name it."""
    until: Text
    """The first release that brings it along."""


class SystemFile(Row, frozen=True, kw_only=True):
    """``system_packages.toml``. Of the rows that fit, the first counts."""

    system: tuple[SystemRow, ...]
    wheel: tuple[WheelRow, ...]
    loads: tuple[LoadedLibraryRow, ...]


class LicenceTextRow(Row, frozen=True, kw_only=True):
    """A licence that is recognised by its words."""

    name: Text
    """Its SPDX name, or its family's."""
    pattern: Text
    """Searched in the text without line breaks, upper and lower case alike."""
    example: Text
    """Words of the licence that the pattern matches."""


class ShortNameRow(Row, frozen=True, kw_only=True):
    """A licence as people name it in setup.py, by a mark in the text's lower-case first line."""

    mark: Text
    name: Text


class LicencesFile(Row, frozen=True, kw_only=True):
    """``licences.toml``."""

    permissive: Names
    """SPDX names in upper case."""
    none: tuple[str, ...]
    """How tables of repositories write that there is no licence, in upper case."""
    classifiers: dict[str, str]
    """The last part of a trove classifier to an SPDX name."""
    text: tuple[LicenceTextRow, ...]
    """The first that fits counts."""
    short: tuple[ShortNameRow, ...]
    """The first that fits counts."""


class CutoffRow(Row, frozen=True, kw_only=True):
    """A distribution that an old instant cuts later than everything else."""

    name: Text
    until: datetime
    """For instants before this one, the distribution is cut here instead."""
    reason: Text
    editable: bool = False
    """Whether it matters to editable installs alone."""


class CutoffsFile(Row, frozen=True, kw_only=True):
    """``cutoff_overrides.toml``."""

    cutoff: tuple[CutoffRow, ...]


class RestatedRow(Row, frozen=True, kw_only=True):
    """Releases of a distribution whose metadata uv cannot read."""

    name: Text
    """Normalised (PEP 503)."""
    versions: Names
    requires: Names
    """What they require, in words of PEP 508."""
    requires_python: str = ""
    reason: Text


class RestatedFile(Row, frozen=True, kw_only=True):
    """``restated_metadata.toml``."""

    restated: tuple[RestatedRow, ...]


class LibraryVersionRow(Row, frozen=True, kw_only=True):
    """What a version of a library, as data sets of snippets write it, is installed as."""

    library: Text
    """The distribution (PEP 503)."""
    versions: Names
    """Its spellings: "2.0", "2.0.0"."""
    requirements: Names
    """PEP 508, the library first."""
    python: Text
    uploaded: datetime
    """When the release appeared."""


class LibraryVersionsFile(Row, frozen=True, kw_only=True):
    """``library_versions.toml``."""

    library_version: tuple[LibraryVersionRow, ...]


class CondaFile(Row, frozen=True, kw_only=True):
    """``conda.toml``."""

    renamed: dict[str, str]
    """conda's name of a package to its distribution, where the two differ."""
    not_python: Names
    """Patterns of conda's packages that no distribution stands for, matched whole."""


class ToolsFile(Row, frozen=True, kw_only=True):
    """``tools.toml``."""

    around_tests: Names
    """Distributions that run, report, check or publish around the tests."""
