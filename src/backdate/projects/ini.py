"""INI files of foreign projects, read as setuptools reads them; every refusal is one kind of error."""

from __future__ import annotations

import configparser
from collections.abc import Mapping

from backdate.errors import ConfigurationError
from backdate.text import first_line


def parse_ini(text: str) -> Mapping[str, Mapping[str, str]]:
    """Sections, keys (lower case), values. Raises ConfigurationError, in one line, for what is not INI."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError) as error:
        raise ConfigurationError(f"not in INI format: {first_line(str(error), most=200)}") from error
    return {name: dict(parser.items(name)) for name in parser.sections()}
