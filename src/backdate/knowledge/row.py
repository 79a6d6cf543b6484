"""What every table of the TOML files is: unknown keys and wrong types are refused on reading."""

from __future__ import annotations

from typing import Annotated

import msgspec

Text = Annotated[str, msgspec.Meta(min_length=1)]
Names = Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a TOML file."""
