"""Runs Poetry with its built-in index replaced by the one in BACKDATE_INDEX_URL.

Poetry's default index cannot be configured: https://pypi.org/ is written in its code. This file is
started by Poetry's own interpreter (any from Python 3.6 on), as ``poetry_at_instant.py POETRY ARGUMENT…``;
it replaces the built-in repository by a legacy one. Its packages are written into the lock
without a source, as those of the built-in index are, so that the lock is the one the project would have had.
"""

import importlib
import inspect
import os
import runpy
import sys
import typing

_SOURCE = (
    "_source_type",
    "_source_url",
    "_source_reference",
    "_source_resolved_reference",
    "_source_subdirectory",
)


def _without_source(package: typing.Any) -> typing.Any:
    for name in _SOURCE:
        if hasattr(package, name):
            setattr(package, name, None)
    return package


def _replace_built_in_index(url: str) -> None:
    legacy: typing.Any = importlib.import_module("poetry.repositories.legacy_repository").LegacyRepository
    built_in: typing.Any = importlib.import_module("poetry.repositories.pypi_repository")
    accepted = inspect.signature(legacy.__init__).parameters

    class RepositoryAtInstant(legacy):  # type: ignore[misc] # its base is whatever Poetry is installed
        def __init__(self, *_: typing.Any, **options: typing.Any) -> None:
            known = {
                key: value for key, value in options.items() if key in accepted and key not in ("name", "url")
            }
            super().__init__("PyPI", url, **known)

        def package(self, *arguments: typing.Any, **options: typing.Any) -> typing.Any:
            return _without_source(super().package(*arguments, **options))

        def find_packages(self, *arguments: typing.Any, **options: typing.Any) -> typing.Any:
            return [_without_source(package) for package in super().find_packages(*arguments, **options)]

    built_in.PyPiRepository = RepositoryAtInstant


if __name__ == "__main__":
    del sys.argv[0]
    sys.path[0] = os.path.dirname(sys.argv[0])  # noqa: PTH120 - runs on Pythons where this is the plainer way
    _replace_built_in_index(os.environ["BACKDATE_INDEX_URL"])
    runpy.run_path(sys.argv[0], run_name="__main__")
