"""The one place where a solver is chosen: from what a user wrote to something that takes assignments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from backdate.errors import UsageError
from backdate.extensions import ExtensionGroup, extensions
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.baselines import GoldSolver, NullSolver
from backdate.solvers.command import CommandOptions, CommandSolver
from backdate.solvers.half import HalfSolver
from backdate.solvers.interface import Solver
from backdate.solvers.model import Cost, ModelSolver, unknown_cost
from backdate.solvers.replay import ReplaySolver
from backdate.tasks.quality.record import HalfName

FORMS = (
    "null, gold, half[:second], rules[:SOURCES], rules+SOLVER, replay:PATH, model:NAME[@BASE_URL], "
    'command:"…"'
)
_HALVES: dict[str, HalfName] = {"half": "first", "half:first": "first", "half:second": "second"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverOptions:
    """What some solvers want to know."""

    sandbox: Sandbox
    prices: Path | None = None
    """Of ``model:``: what tokens cost."""
    answers: Path | None = None
    """Of ``model:``: where its answers are kept, so that a run that was ended asks nothing twice."""
    sample: int | None = 0
    """Of ``model:``: the seed; another one is another sample."""
    temperature: float | None = 0.0
    timeout_s: float = 300.0
    """Of ``model:``: for one request."""
    attempts: int = 5
    requests_per_minute: float | None = None
    thorough: bool = False
    """Of ``rules``: whether there is a second patch, see ``SolverResult.elsewhere``."""
    command: CommandOptions = field(default_factory=CommandOptions)


@contextmanager
def open_solver(text: str, options: SolverOptions) -> Iterator[Solver]:
    """The solver that ``text`` names (see ``FORMS``), closed afterwards. Raises UsageError.

    An extension's solver is named by its entry point: ``NAME`` or ``NAME:ARGUMENT``. What the entry point
    names is called with the argument and the options, and returns the solver.
    """
    kind, _, rest = text.partition(":")
    if text == "null":
        yield NullSolver()
    elif text == "gold":
        yield GoldSolver()
    elif text in _HALVES:
        yield HalfSolver(_HALVES[text])
    elif text.startswith("rules+"):
        from backdate.solvers.rules.choose import rules_solver
        from backdate.solvers.rules.rules_first import RulesFirst

        with open_solver(text.removeprefix("rules+"), options) as then:
            yield RulesFirst(rules=rules_solver(thorough=options.thorough), then=then)
    elif kind == "rules":
        from backdate.solvers.rules.choose import rules_solver

        yield rules_solver(rest, thorough=options.thorough)
    elif kind == "replay" and rest:
        yield ReplaySolver(Path(rest))
    elif kind == "command" and rest.strip():
        yield CommandSolver(rest, options.sandbox, options.command)
    elif kind == "model" and rest:
        yield from _model(rest, options)
    elif kind in (known := {extension.name: extension for extension in extensions(ExtensionGroup.SOLVERS)}):
        yield known[kind].value(rest, options)
    else:
        hint = f" ({kind}: needs a value)" if kind in ("replay", "command", "model") and not rest else ""
        raise UsageError(f"there is no solver {text!r}{hint}; write one of {', '.join((FORMS, *known))}")


def has_both_sides(text: str) -> bool:
    """Whether the solver that ``text`` names works with both of a task's environments."""
    return text.partition(":")[0] == "rules" or text.startswith("rules+")


def cost_by(prices: Path | None) -> Cost:
    """What requests cost by a file of prices; unknown without one. Raises UsageError, ConfigurationError."""
    from backdate.models.prices import read_prices

    if prices is None:
        return unknown_cost
    known = read_prices(prices)
    if known.currency != "USD":
        raise UsageError(f"{prices} has prices in {known.currency}; records hold US dollars")
    return known.cost


def _model(specification: str, options: SolverOptions) -> Iterator[Solver]:
    from backdate.models.model_name import parse_endpoint
    from backdate.models.open import open_model
    from backdate.models.settings import ModelSettings, Patience, Sampling

    cost = cost_by(options.prices)
    settings = ModelSettings(
        sampling=Sampling(temperature=options.temperature, seed=options.sample),
        patience=Patience(
            timeout_s=options.timeout_s,
            attempts=options.attempts,
            requests_per_minute=options.requests_per_minute,
        ),
    )
    with open_model(parse_endpoint(specification), settings, answers=options.answers) as model:
        yield ModelSolver(model, cost=cost)
