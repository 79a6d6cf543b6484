"""A model as adviser of a set-up, after either paper."""

from __future__ import annotations

from pathlib import Path

from backdate.models.interface import Model
from backdate.models.prices import Prices
from backdate.recipes.adviser.consultation import Consultation, Strategy
from backdate.recipes.adviser.interview import MOST_CALLS, Interview
from backdate.recipes.adviser.recipe_of_commands import proposal_key
from backdate.recipes.adviser.setupagent import SetupAgent
from backdate.recipes.adviser.timemachine import TimeMachine
from backdate.recipes.adviser.web import WebReader
from backdate.recipes.recipe import Recipe
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.setup_failure import SetupFailure
from backdate.text import minor_version
from backdate.timeline.instants import Instant


class ModelAdviser:
    """Answers what the rules did not settle in *one* set-up, at ``instant``.

    ``strategy``: "setupagent" gives a recipe and repairs, "timemachine" a recipe only. ``web`` reads external
    pages that the files link to; None for none. ``prices``: what tokens cost. Raises
    nothing for what the model answers: see ``consultation``.
    """

    def __init__(
        self,
        model: Model,
        *,
        instant: Instant,
        strategy: Strategy = "setupagent",
        web: WebReader | None = None,
        most_calls: int = MOST_CALLS,
        prices: Prices | None = None,
    ) -> None:
        self._interview = Interview(model, strategy, most_calls=most_calls, prices=prices)
        who = f"model {model.name}"
        self._strategy: SetupAgent | TimeMachine = (
            SetupAgent(self._interview, who=who, instant=instant, web=web)
            if strategy == "setupagent"
            else TimeMachine(self._interview, who=who)
        )
        self._seen: set[str] = set()

    @property
    def consultation(self) -> Consultation:
        """The questions so far."""
        return self._interview.consultation

    def recipes(self, root: Path) -> tuple[Recipe, ...]:
        """Recipes for the project at ``root``, at most one."""
        return self._strategy.recipes(root)

    def propose(self, failure: SetupFailure, recipe: Recipe, root: Path) -> Repair | None:
        """A changed recipe that was not tried before; None when there is none."""
        if not isinstance(self._strategy, SetupAgent):
            return None
        self._seen.add(proposal_key(recipe, minor_version(failure.python)))
        repair = self._strategy.propose(failure, recipe, root)
        if repair is None:
            return None
        key = proposal_key(repair.recipe, minor_version(repair.interpreter or failure.python))
        if key in self._seen:
            self._interview.note("repair", "loop", f"proposed before: {repair.reason}")
            return None
        self._seen.add(key)
        return repair
