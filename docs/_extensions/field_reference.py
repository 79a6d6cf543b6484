"""Writes the reference of results where a page says ``<!-- fields -->``: every field, made from the code."""

from __future__ import annotations

import dataclasses
import inspect
import re
import tomllib
import typing
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer

MARK = "<!-- fields -->"
MEANINGS = Path(__file__).with_name("field_meanings.toml")
ROOTS = (
    "backdate.checking.answers.CheckAnswers",
    "backdate.checking.result.CheckResult",
    "backdate.bisection.result.BisectResult",
    "backdate.fixing.result.FixResult",
    "backdate.lowest.result.LowestResult",
    "backdate.checking.setup_result.SetupResult",
    "backdate.checking.build_environment.EnvironmentResult",
    "backdate.diagnosis.log_report.LogReport",
    "backdate.testing.outcomes.SuiteRun",
    "backdate.checking.options.CheckOptions",
    "backdate.checking.settings.Settings",
    "backdate.checking.settings.SetupOptions",
    "backdate.checking.settings.AuditOptions",
    "backdate.progress.Activity",
    "backdate.progress.StageEntered",
    "backdate.checking.progress.AttemptStarted",
    "backdate.progress.SuiteAdvanced",
)
"""What the verbs give and take; the types of their fields follow."""
NOT_ENTERED = frozenset({"Settings", "SetupOptions"})
"""What a caller fills in: the types of their fields have a page of their own."""


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("source-read", _fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _fill_in(_app: Sphinx, _name: str, source: list[str]) -> None:
    if MARK in source[0]:
        source[0] = source[0].replace(MARK, field_reference())


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class FieldEntry:
    """One field of a type."""

    type_name: str
    name: str
    kind: str
    """Its annotation, as the code writes it."""
    meaning: str
    """Empty where neither the code nor ``field_meanings.toml`` says one."""
    told_by: str
    """"docstring", or the table of ``field_meanings.toml`` it is from: "common", "classes"."""

    @property
    def sentence(self) -> str:
        """The meaning, as a sentence."""
        text = self.meaning[:1].upper() + self.meaning[1:]
        return text if text.endswith((".", ":", "?")) else f"{text}."


def result_types() -> list[type]:
    """The types of results, each before the types of its fields."""
    found: list[type] = []
    waiting = [getattr(import_module(path.rpartition(".")[0]), path.rpartition(".")[2]) for path in ROOTS]
    while waiting:
        kind = waiting.pop(0)
        waiting[:0] = typing.get_args(kind)
        ours = inspect.isclass(kind) and kind.__module__.startswith("backdate.")
        if not ours or kind in found or not dataclasses.is_dataclass(kind):
            continue
        found.append(kind)
        if kind.__name__ not in NOT_ENTERED:
            waiting += typing.get_type_hints(kind).values()
    return found


def fields_of(kind: type, meanings: dict[str, Any]) -> Iterator[FieldEntry]:
    """The fields of a type, with what they mean."""
    documented: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("backdate."):
            found = ModuleAnalyzer.for_module(base.__module__).find_attr_docs()
            documented |= {
                name: " ".join(lines) for (owner, name), lines in found.items() if owner == base.__qualname__
            }
    for field in dataclasses.fields(kind):
        own = meanings["classes"].get(kind.__name__, {}).get(field.name)
        common = meanings["common"].get(field.name)
        meaning, told_by = next(
            (
                (text.strip(), source)
                for text, source in (
                    (documented.get(field.name), "docstring"),
                    (own, "classes"),
                    (common, "common"),
                )
                if text
            ),
            ("", ""),
        )
        yield FieldEntry(
            type_name=kind.__name__, name=field.name, kind=str(field.type), meaning=meaning, told_by=told_by
        )


def all_fields() -> dict[str, list[FieldEntry]]:
    """Of every type, by its name."""
    meanings = tomllib.loads(MEANINGS.read_text(encoding="utf-8"))
    return {kind.__name__: list(fields_of(kind, meanings)) for kind in result_types()}


def field_reference() -> str:
    """Every type as Markdown: what it is, and a table of its fields."""
    entries = all_fields()
    lines: list[str] = []
    for kind in result_types():
        summary = (kind.__doc__ or "").partition("\n\n")[0]
        lines += [f"## {kind.__name__}\n", f"{_text(summary)}\n", "| field | |", "|---|---|"]
        lines += [
            f"| `{entry.name}` | {_text(entry.sentence)} `{_code(entry.kind)}` |"
            for entry in entries[kind.__name__]
        ]
        lines.append("")
    return "\n".join(lines)


def _code(text: str) -> str:
    return text.replace("|", "\\|")


def _text(text: str) -> str:
    """A docstring as Markdown in one line: its code stays code, and nothing else of it is markup."""
    parts = re.split(r"(``.+?``|`[^`]+`)", " ".join(text.split()))
    return "".join(
        f"`{part.strip('`')}`" if number % 2 else re.sub(r"([\\<*_\[\]])", r"\\\1", part)
        for number, part in enumerate(parts)
    ).replace("|", "\\|")
