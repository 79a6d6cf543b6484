"""What a repaired build of the new side leaves out, and its tests want."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_setups import carried, ran, recipe

from backdate.checking.recipe_run import RecipeRun
from backdate.checking.side_runner import wants_left_out
from backdate.environments.environment import LockedDistribution
from backdate.testing.outcomes import SuiteRun

MISSING = "ModuleNotFoundError: No module named 'yaml.reader'"


def with_installed(run: SuiteRun, *names: str) -> RecipeRun:
    one = carried(recipe("a"), run)
    assert one.environment is not None
    installed = tuple(LockedDistribution(name=name, version="1") for name in names)
    lock = replace(one.environment.lock, distributions=installed)
    return replace(one, environment=replace(one.environment, lock=lock))


@pytest.mark.parametrize(
    ("new", "wants"),
    [
        (with_installed(ran(not_collected=3, error=MISSING), "six"), True),
        (with_installed(ran(failed=3, error=MISSING), "six"), True),
        (with_installed(ran(passed=1, failed=3, error=MISSING), "six"), False),  # it shows something
        (with_installed(ran(failed=3, error=MISSING), "six", "pyyaml"), False),  # it is there, and broke
        (with_installed(ran(failed=3, error="ModuleNotFoundError: No module named 'other'"), "six"), False),
        (with_installed(ran(failed=3, error="KeyError: 'a'"), "six"), False),
    ],
)
def test_a_module_that_was_left_out_is_no_breakage(new: RecipeRun, wants: bool) -> None:
    """h5py has no wheel for the newer Python: "h5py is gone" was told, and no version of it was to blame."""
    old = with_installed(ran(passed=3), "six", "pyyaml")
    assert wants_left_out(new, old) is wants
