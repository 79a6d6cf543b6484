"""The interface of an adviser, which a set-up asks where the rules have no answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from backdate.recipes.adviser.consultation import Consultation
from backdate.recipes.recipe import Recipe
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.setup_failure import SetupFailure


class Adviser(Protocol):
    """A source of recipes and repairs, usually a model; asked only where the rules found nothing."""

    @property
    def consultation(self) -> Consultation:
        """What was asked until now."""
        ...

    def recipes(self, root: Path) -> Sequence[Recipe]:
        """Recipes for the project at ``root``, the most trusted first; asked when no other one was proven."""
        ...

    def propose(self, failure: SetupFailure, recipe: Recipe, root: Path) -> Repair | None:
        """A changed recipe where no rule applies; None where the adviser has none either."""
        ...
