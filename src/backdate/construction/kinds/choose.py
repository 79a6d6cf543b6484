"""The one place that chooses the builder of a kind of task; another kind adds its folder and a line here."""

from __future__ import annotations

from backdate.construction.kinds.interface import StageRule, TaskBuilder
from backdate.construction.migration.builder import MigrationBuilder
from backdate.errors import UsageError
from backdate.tasks.task import KindName

_FIRST = (
    StageRule(name="row", title="the entry can be read"),
    StageRule(name="repeated", title="not listed before"),
    StageRule(name="language", title="written in Python"),
    StageRule(name="licence", title="a permissive licence or none"),
    StageRule(name="stars", title="at least as many stars as asked for"),
    StageRule(name="window", title="older than the target instant"),
    StageRule(name="source", title="its files can be had"),
    StageRule(name="stated-licence", title="its files state a permissive licence or none"),
    StageRule(name="configuration", title="has a configuration file"),
    StageRule(name="tests", title="has tests of pytest or unittest"),
    StageRule(name="encoding", title="Python files are UTF-8"),
    StageRule(name="duplicate", title="not nearly the same as another"),
)
"""Stages that every kind has, before its own."""
_LAST = (StageRule(name="trouble", title="nothing on our side went wrong"),)
"""Stages that every kind has, after its own."""

_BUILDERS: dict[KindName, TaskBuilder] = {"migration": MigrationBuilder()}


def builder_of(kind: KindName) -> TaskBuilder:
    """The builder for tasks of ``kind``. Raises UsageError for a kind that cannot be built."""
    builder = _BUILDERS.get(kind)
    if builder is None:
        raise UsageError(f"tasks of the kind {kind} cannot be built; these can: {', '.join(_BUILDERS)}")
    return builder


def stages_of(kind: KindName) -> tuple[StageRule, ...]:
    """The stages of a build of ``kind``, in order: the shared ones around those of the kind."""
    return (*_FIRST, *builder_of(kind).stages, *_LAST)
