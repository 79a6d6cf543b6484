"""A task in words: what a solver, a person or a foreign harness is asked to do."""

from __future__ import annotations

from backdate.tasks.kinds.migration import migration_facts
from backdate.tasks.scripts import script_names
from backdate.tasks.task import Task
from backdate.timeline.instants import format_day

_MOST_TESTS = 50


def problem_statement(task: Task) -> str:
    """A migration task in Markdown. It names what fails and never what repairs it."""
    scripts = task.scripts or script_names(task.source.name)
    failing = [test.id for test in task.tests if test.role == "fail-to-pass"]
    sides = migration_facts(task).old, task.environment
    old, new = format_day(sides[0].instant), format_day(sides[1].instant)
    parts = [
        f"# Make {task.source.name} work with the dependencies of {new}",
        (
            f"With Python {sides[0].python} and the dependencies of {old} the project's own tests pass. "
            f"With Python {sides[1].python} and the dependencies of {new} they fail. "
            "Change the project's code so that they pass in the later environment."
        ),
        (
            "- Do not change tests, nor how the environment is set up: files that pin or install "
            f"dependencies, the scripts `{scripts.setup}` and `{scripts.test}`.\n"
            "- Change what is needed and nothing else.\n"
            f"- The tests are run by `bash {scripts.test}`, without network."
        ),
    ]
    if failing:
        shown = "\n".join(f"- `{test}`" for test in failing[:_MOST_TESTS])
        more = f"\n- and {len(failing) - _MOST_TESTS} more" if len(failing) > _MOST_TESTS else ""
        parts.append(f"Tests that have to pass again:\n\n{shown}{more}")
    if task.test_files:
        parts.append("Files that hold tests: " + ", ".join(f"`{name}`" for name in task.test_files))
    return "\n\n".join(parts) + "\n"
