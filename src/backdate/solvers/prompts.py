"""What a model is told before its first reply: the task, the rules, the budget."""

from __future__ import annotations

from backdate.solvers.loop import Budget
from backdate.tasks.kinds.choose import kind_of
from backdate.tasks.task import Task

_RULES = """\
{goal}

- Make the smallest change that keeps the project's behaviour. Do not delete features, swallow exceptions, or
  put dummy values in the place of what is missing.
- {tests}
- The environment is given. Nothing can be installed, and what the project declares as its dependencies
  cannot be changed."""
_OF_A_MODEL = """\
- Work through tools only. Find the cause first: read the log and the code; then edit; then run the tests.
- You may make {calls} calls, {runs} of them test runs. The work ends by itself when all tests pass."""
_OF_A_COMMAND = """\
- You work in {at}, in a sandbox. What you changed there is your answer, however you end; changes of other
  files, of files that cannot be changed, and of modes and links are left out of it.
- {python}
- {network}{model}
- You are ended after {seconds:g} seconds."""
_PYTHON = "$BACKDATE_PYTHON, first on PATH too, is the interpreter of the environment: run the tests with it."
_NO_PYTHON = "There is no environment here: the tests cannot be run."
_NETWORK = (
    "The internet is reached through the HTTP proxy that $HTTPS_PROXY and its kin name, and in no other way."
)
_MODEL = """
- A model answers at $OPENAI_BASE_URL, as OpenAI's interface does; any key will do."""
_NO_NETWORK = "There is no network."
_TESTS_STAY = "The tests are right. Test files cannot be changed, and no new files can be made."
_TESTS_STAY_FILES_MAY_BE_MADE = "The tests are right. Test files cannot be changed; new files can be made."
_TESTS_MAY_CHANGE = (
    "Test files may be changed where they themselves use what libraries changed, never to check less. "
    "No new files can be made."
)
_TASK = """\
{introduction}

The tests were run once for you; go on from there."""


def rules_text(task: Task, budget: Budget, *, allow_test_edits: bool) -> str:
    """The rules for a model, the same for every task of one kind."""
    budget_text = _OF_A_MODEL.format(calls=budget.calls, runs=budget.tests)
    return f"{_shared_rules(task, allow_test_edits=allow_test_edits)}\n{budget_text}"


def command_text(
    task: Task,
    *,
    allow_test_edits: bool,
    at: str,
    has_python: bool,
    has_network: bool,
    has_model: bool,
    timeout_s: float,
) -> str:
    """What a command is told that works in the folder ``at``: the rules that it is held to, and the task."""
    rules = _OF_A_COMMAND.format(
        at=at,
        python=_PYTHON if has_python else _NO_PYTHON,
        network=_NETWORK if has_network else _NO_NETWORK,
        model=_MODEL if has_model else "",
        seconds=timeout_s,
    )
    introduction = kind_of(task).introduction(task)
    return f"{_shared_rules(task, allow_test_edits=allow_test_edits)}\n{rules}\n\n{introduction}"


def _shared_rules(task: Task, *, allow_test_edits: bool) -> str:
    kind = kind_of(task)
    whole_files = kind.edit_policy(task, allow_test_edits=allow_test_edits).whole_files
    tests_stay = _TESTS_STAY_FILES_MAY_BE_MADE if whole_files else _TESTS_STAY
    return _RULES.format(
        goal=kind.goal,
        tests=_TESTS_MAY_CHANGE if allow_test_edits else tests_stay,
    )


def task_text(task: Task) -> str:
    """What is said of one task. Nothing of its solution is in it."""
    return _TASK.format(introduction=kind_of(task).introduction(task))
