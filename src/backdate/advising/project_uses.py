"""What the files of a project use of modules, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from backdate.advice import SourcePlace

_MOST_PLACES = 200
"""Of one name."""
_MOST_NAMES = 20_000

_MODULE_ENDS = (".py", "/__init__.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallShape:
    """What one call gives, without the values."""

    positional: int
    keywords: frozenset[str] = frozenset()
    starred: bool = False
    """Whether it gives more than is written, by "*" or "**"."""


@dataclass(slots=True)
class NameUses:
    """Where one dotted name is used."""

    places: dict[SourcePlace, None] = field(default_factory=dict)
    keywords: dict[str, dict[SourcePlace, None]] = field(default_factory=dict)
    """Keyword arguments with which it is called, and where."""
    values: dict[str, dict[str, None]] = field(default_factory=dict)
    """The constants that keyword arguments are given, as they are written; "" for what is no constant."""
    calls: dict[CallShape, None] = field(default_factory=dict)
    of_object: bool = False
    """Whether it was found as an attribute of an object, or of a base class, and not by its dotted name."""

    def record_argument(self, name: str, value: str, place: SourcePlace) -> None:
        """Note a keyword argument of a call. ``value``: see ``values``."""
        if len(self.keywords) < _MOST_PLACES:
            self.keywords.setdefault(name, {})[place] = None
            self.values.setdefault(name, {})[value] = None

    def add_calls(self, other: NameUses) -> None:
        """Note the calls of other files."""
        for name, places in other.keywords.items():
            if name in self.keywords or len(self.keywords) < _MOST_PLACES:
                self.keywords.setdefault(name, {}).update(places)
                self.values.setdefault(name, {}).update(other.values[name])
        for shape in other.calls:
            self.record_call(shape)

    def record_call(self, shape: CallShape) -> None:
        """Note what one call gives."""
        if len(self.calls) < _MOST_PLACES:
            self.calls[shape] = None


@dataclass(slots=True)
class ProjectUses:
    """What the files of a tree use, by dotted name ("numpy.random.rand", with every part before it)."""

    names: dict[str, NameUses] = field(default_factory=dict)
    defined: dict[str, dict[SourcePlace, None]] = field(default_factory=dict)
    """Attributes that classes of the project define, below the dotted name of the base class."""
    files: tuple[str, ...] = ()
    statements: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """First and last lines of the statements that take several lines and hold no other, by file."""
    asked: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """First and last lines of what asks whether a name is there (``if hasattr(…)``), by file."""

    by_keyword: dict[str, dict[SourcePlace, str]] = field(default_factory=dict)
    """Of calls of attributes: by keyword argument the lines, each with the name with which what is called
    begins (``ma`` of ``ma.Integer(default=1)``), as the trees do not always tell what that is."""

    def add(self, other: ProjectUses) -> None:
        """Note all that other files use."""
        for name, theirs in other.names.items():
            uses: NameUses | None = None
            for place in theirs.places:
                uses = self.record(name, place, of_object=theirs.of_object)
            if uses is not None:
                uses.add_calls(theirs)
        for name, places in other.defined.items():
            for place in places:
                self.record_defined(name, place)
        for argument, calls in other.by_keyword.items():
            for place, head in calls.items():
                self.record_keyword(argument, place, head)
        self.statements.update(other.statements)
        self.asked.update(other.asked)

    def defines_module_of(self, name: str) -> bool:
        """Whether a dotted name is of a module of the project itself.

        One that is called by a single word has to be at the top: ``app.debug`` is mostly of an object.
        """
        parts = name.split(".")[:-1]
        if len(parts) == 1:
            return not _at_top(parts[0]).isdisjoint(self.files)
        owners = ["/".join(parts[:length]) for length in range(2, len(parts) + 1)]
        ends = tuple(f"/{owner}{end}" for owner in owners for end in _MODULE_ENDS)
        return bool(ends) and any(f"/{file}".endswith(ends) for file in self.files)

    def lines_around(self, place: SourcePlace) -> frozenset[SourcePlace]:
        """The lines of the statement at ``place``: an error names one of them, a use another."""
        known = self.statements.get(place.file, ())
        first, last = next((span for span in known if span[0] <= place.line <= span[1]), (place.line,) * 2)
        return frozenset(SourcePlace(file=place.file, line=line) for line in range(first, last + 1))

    def is_asked(self, place: SourcePlace) -> bool:
        """Whether the line at ``place`` asks whether a name is there, or is for where it is."""
        return any(first <= place.line <= last for first, last in self.asked.get(place.file, ()))

    def of_modules(self, modules: Sequence[str]) -> dict[str, NameUses]:
        """The names in top-level or dotted ``modules``, and the modules themselves."""
        starts = tuple(f"{module}." for module in modules)
        return {name: uses for name, uses in self.names.items() if f"{name}.".startswith(starts)}

    def places_of(self, name: str) -> tuple[SourcePlace, ...]:
        """Where ``name`` is used."""
        uses = self.names.get(name)
        return tuple(uses.places) if uses else ()

    def record(self, name: str, place: SourcePlace, *, of_object: bool = False) -> NameUses | None:
        """Note a use of ``name``; None when there are more names than are kept."""
        uses = self.names.get(name)
        if uses is None:
            if len(self.names) >= _MOST_NAMES or len(name) > 300:
                return None
            uses = self.names[name] = NameUses(of_object=of_object)
        if len(uses.places) < _MOST_PLACES:
            uses.places[place] = None
        uses.of_object = uses.of_object and of_object
        return uses

    def record_keyword(self, argument: str, place: SourcePlace, head: str) -> None:
        """Note a keyword argument of a call of an attribute; see ``by_keyword``."""
        if len(self.by_keyword) < _MOST_NAMES:
            calls = self.by_keyword.setdefault(argument, {})
            if len(calls) < _MOST_PLACES:
                calls[place] = head

    def record_defined(self, name: str, place: SourcePlace) -> None:
        """Note an attribute that a class of the project defines; ``name``: see ``defined``."""
        if len(self.defined) < _MOST_NAMES:
            self.defined.setdefault(name, {})[place] = None


def _at_top(module: str) -> set[str]:
    """Where a top-level module may lie."""
    return {f"{folder}{module}{end}" for folder in ("", "src/") for end in _MODULE_ENDS}
